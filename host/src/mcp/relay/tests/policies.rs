//! Several policies on one connection.

use super::*;

/// A policy of this name, to come after others.
fn named(name: &'static str) -> Policy {
    Policy {
        name,
        ..Policy::default()
    }
}

#[test]
fn an_answer_is_dealt_with_by_the_policy_that_its_request_began_with() {
    let relay = Relay::new(Arc::new(named("old ")));
    call(&relay, "1", "bound");
    call(&relay, "2", "bound");
    untouched(
        &relay,
        r#"{"id":2,"result":{"task":{"taskId":"t","status":"working"}}}"#,
    );
    call(&relay, "3", "free");
    let new = Policy {
        hides: true,
        ..named("new ")
    };
    relay.replace(Arc::new(new));
    call(&relay, "4", "bound");
    let result = |id: &str| receive(&relay, &format!(r#"{{"id":{id},"result":"x"}}"#));
    assert!(result("1").contains("<old bound"));
    assert_eq!(result("3"), r#"{"id":3,"result":"x"}"#);
    assert!(result("4").contains("withheld"), "the new policy hides");
    let ask = r#"{"id":5,"method":"tasks/result","params":{"taskId":"t"}}"#;
    send(&relay, ask);
    let task = receive(&relay, r#"{"id":5,"result":{"content":[]}}"#);
    assert!(task.contains("<old bound"), "{task}");
}

#[test]
fn a_list_of_tools_is_the_newest_policys() {
    let relay = relay();
    for (id, lists, name, expected) in [
        (1, false, "", "{}"),
        (2, true, "", " [\"tools\"] "),
        (3, true, "new ", " [\"new tools\"] "),
    ] {
        let ask = format!(r#"{{"id":{id},"method":"tools/list"}}"#);
        send(&relay, &ask);
        relay.replace(Arc::new(Policy {
            lists,
            ..named(name)
        }));
        let answer = receive(&relay, &format!(r#"{{"id":{id},"result":{{}}}}"#));
        assert_eq!(answer, format!(r#"{{"id":{id},"result":{expected}}}"#));
        // One that passes is seen all the same.
        let passed = *relay.in_force.get().passed.lock().unwrap();
        assert_eq!(passed, usize::from(!lists));
    }
}

#[test]
fn a_policy_is_gone_when_the_last_call_that_began_with_it_is() {
    let first = Arc::new(Policy::default());
    let gone = Arc::downgrade(&first);
    let relay = Relay::new(first);
    call(&relay, "1", "bound");
    call(&relay, "2", "bound");
    call(&relay, "3", "free");
    send(
        &relay,
        r#"{"method":"notifications/cancelled","params":{"requestId":2}}"#,
    );
    relay.replace(Arc::new(named("new ")));
    assert!(gone.upgrade().is_some(), "a call holds it");
    receive(&relay, r#"{"id":1,"result":[]}"#);
    assert!(gone.upgrade().is_none(), "one that was cancelled does not");
    // Its late answer is nobody's.
    untouched(&relay, r#"{"id":2,"result":[]}"#);
}

#[test]
fn a_client_is_promised_word_of_another_list_and_gets_it() {
    let relay = Relay::new(Arc::new(Policy {
        announces: true,
        ..Policy::default()
    }));
    let lists = || {
        Arc::new(Policy {
            lists: true,
            ..Policy::default()
        })
    };
    send(&relay, r#"{"id":0,"method":"initialize","params":{}}"#);
    // The chain has made something else of it, which promises nothing.
    let greeting = r#"{"id":0,"result":{"capabilities":{"tools":{}}}}"#;
    let greeted = receive(&relay, greeting);
    assert_eq!(greeted, r#"{"id":0,"result":<initialize: 29>}"#);
    send(&relay, r#"{"method":"notifications/initialized"}"#);
    assert_eq!(relay.replace(Arc::new(Policy::default())).notices.len(), 0);
    let replaced = relay.replace(lists());
    assert!(replaced.lists_changed);
    assert_eq!(
        replaced.notices,
        [br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#]
    );
}
