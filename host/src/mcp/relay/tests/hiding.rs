//! Policies that hide content: ambiguous and unexpected frames do not pass.

use super::*;

#[test]
fn a_server_that_quotes_ids_does_not_slip_past() {
    let relay = relay();
    call(&relay, "1", "bound");
    assert_eq!(
        receive(&relay, r#"{"id":"1","result":[]}"#),
        r#"{"id":"1","result":<bound {"n":1}: 2>}"#
    );
    call(&relay, r#""1""#, "bound");
    untouched(&relay, r#"{"id":1,"result":[]}"#);
}

#[test]
fn where_something_is_hidden_no_id_means_two_requests() {
    let relay = Relay::new(Arc::new(Policy {
        hides: true,
        ..Policy::default()
    }));
    call(&relay, "1", "bound");
    // The answer to the first would be taken for the answer to this, which no chain is bound to.
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"free"}}"#;
    let noted = relay.from_client(frame.as_bytes(), Origin::default());
    assert_eq!(noted.forward, Forward::Nothing);
    assert_eq!(noted.answers.len(), 1);
    let told = receive(&relay, r#"{"jsonrpc":"2.0","id":1,"result":{"secret":1}}"#);
    assert!(!told.contains("secret"), "{told}");
    // It was answered, so the id is free.
    call(&relay, "1", "free");
}

#[test]
fn what_was_asked_under_a_policy_that_hides_stays_hidden_under_the_next() {
    let hiding = Policy {
        hides: true,
        ..Policy::default()
    };
    let relay = Relay::new(Arc::new(hiding));
    call(&relay, "1", "bound");
    relay.replace(Arc::new(Policy::default()));
    assert!(relay.has_hidden());
    for id in ["\"0x1\"", "7", "null"] {
        let told = receive(
            &relay,
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"secret":1}}}}"#),
        );
        assert!(!told.contains("secret"), "{id}: {told}");
    }
}

#[test]
fn where_things_are_hidden_an_answer_that_belongs_to_nothing_does_not_pass() {
    let relay = Relay::new(Arc::new(Policy {
        hides: true,
        ..Policy::default()
    }));
    call(&relay, "3", "bound");
    // Not an answer yet: the request still waits.
    untouched(&relay, "{\"jsonrpc\":\"2.0\",\"id\":3}\n");
    for odd in ["\"+3\"", "\"0x3\"", "4", "null"] {
        let answer = receive(
            &relay,
            &format!("{{\"id\":{odd},\"result\":{{\"a\":1}}}}\n"),
        );
        assert!(
            answer.contains("withheld: Tamis cannot tell which chain") && !answer.contains("\"a\""),
            "{answer}"
        );
    }
    let answer = receive(&relay, "{\"id\":3,\"result\":{\"a\":1}}\n");
    assert!(answer.contains("<bound"), "{answer}");
    let again = receive(&relay, "{\"id\":3,\"result\":{\"a\":1}}\n");
    assert!(again.contains("withheld"), "{again}");
    call(&relay, "5", "bound");
    let scalar = receive(&relay, "{\"id\":5,\"result\":\"a\"}\n");
    assert!(
        scalar.contains("content that no filter of its chain can check"),
        "{scalar}"
    );
}

#[test]
fn what_has_a_result_is_an_answer_whatever_its_method() {
    for method in ["null", "7", "{}", "[\"ping\"]", "\"notifications/message\""] {
        let relay = relay();
        call(&relay, "1", "bound");
        let answer = receive(
            &relay,
            &format!(r#"{{"id":1,"method":{method},"params":{{}},"result":{{"a":1}}}}"#),
        );
        assert!(
            answer.contains("<bound") && !answer.contains("\"a\""),
            "{answer}"
        );
    }
    let relay = hiding();
    for (id, method) in [("1", "null"), ("2", "7"), ("3", "{}"), ("4", "\"ping\"")] {
        call(&relay, id, "bound");
        let frame = format!(r#"{{"id":{id},"method":{method},"result":{{"a":1}}}}"#);
        let answer = receive(&relay, &frame);
        assert!(!answer.contains("\"a\""), "{answer}");
    }
}

/// Answers to request 1 that readers could differ over.
const DOUBTFUL: [&str; 14] = [
    "\u{feff}{\"id\":1,\"result\":{\"a\":1}}\n",
    "{\"id\":1,\"result\":{\"a\":1},}\n",
    "{\"id\":1,\"result\":{\"a\":[1,]}}\n",
    "{\"id\":1,\"result\":{\"a\":1},\"result\":{}}\n",
    "{\"id\":2,\"id\":1,\"result\":{\"a\":1}}\n",
    "{\"id\":1,\"id\":2,\"result\":{\"a\":1}}\n",
    "{\"ID\":1,\"result\":{\"a\":1}}\n",
    "{\"id\":1,\"Result\":{\"a\":1}}\n",
    "{\"id\":1,\"\\u0052esult\":{\"a\":1}}\n",
    "{\"id\":\"1\",\"re\u{17f}ult\":{\"a\":1}}\n",
    "{\"id\":1,\"method\":\"ping\",\"result\":{\"a\":1}}\n",
    "[[{\"id\":1,\"result\":{\"a\":1}}]]\n",
    "[null,{\"id\":1,\"result\":{\"a\":1}}]\n",
    "{\"id\":1,\"result\":{\"a\":1}}{}\n",
];

#[test]
fn where_things_are_hidden_a_doubtful_answer_is_an_error() {
    for frame in DOUBTFUL {
        let relay = hiding();
        call(&relay, "1", "bound");
        let answer = receive(&relay, frame);
        assert!(!answer.contains("\"a\""), "{frame}: {answer}");
        assert!(answer.contains("\"id\":1,\"error\""), "{frame}: {answer}");
        assert!(!relay.awaits_answers(), "{frame}");
    }
    // Noise is dropped, and ends nothing.
    let relay = hiding();
    call(&relay, "1", "bound");
    for noise in [
        "Listening on stdio\n",
        "{\"id\":1,\"Method\":\"ping\"}\n",
        "{'id':1}\n",
    ] {
        assert_eq!(receive(&relay, noise), "", "{noise}");
    }
    untouched(&relay, "\r\n");
    assert!(relay.awaits_answers());
}

#[test]
fn where_nothing_is_hidden_doubtful_frames_go_on() {
    let relay = relay();
    for frame in DOUBTFUL {
        call(&relay, "1", "free");
        untouched(&relay, frame);
    }
    call(&relay, "1", "bound");
    let answer = receive(&relay, DOUBTFUL[0]);
    assert!(answer.contains("<bound"), "{answer}");
}

#[test]
fn where_things_are_hidden_no_doubtful_request_reaches_the_server() {
    for (request, id) in [
        (
            r#"{"id":1,"method":"tools/call","params":{"Name":"own"}}"#,
            "1",
        ),
        (
            r#"{"id":1,"method":"tools/call","params":{"name":"a","name":"own"}}"#,
            "1",
        ),
        (
            r#"{"id":"x","Method":"tools/call","params":{"name":"own"}}"#,
            "\"x\"",
        ),
        (
            r#"{"ID":1,"method":"tools/call","params":{"name":"own"}}"#,
            "1",
        ),
        (
            r#"{"id":1,"method":"tools/call","method":"ping","params":{}}"#,
            "1",
        ),
        (
            r#"{"id":1,"method":"tools/call","params":{"name":"own"},}"#,
            "1",
        ),
        (
            "\u{feff}{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"own\"}}",
            "1",
        ),
        (
            r#"[[{"id":1,"method":"tools/call","params":{"name":"own"}}]]"#,
            "1",
        ),
    ] {
        let noted = hiding().from_client(request.as_bytes(), Origin::default());
        assert_eq!(noted.forward, Forward::Nothing, "{request}");
        assert!(noted.refused.is_some() && noted.requests.is_empty());
        let answers: Vec<_> = noted.answers.into_iter().map(|job| job.run().0).collect();
        let answers = String::from_utf8(answers.concat()).unwrap();
        let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\"");
        assert!(answers.starts_with(&head), "{request}: {answers}");
        let noted = relay().from_client(request.as_bytes(), Origin::default());
        assert!(noted.refused.is_none(), "{request}");
    }
    let noted = hiding().from_client(b"no JSON\n", Origin::default());
    assert_eq!(noted.forward, Forward::Nothing);
    assert!(noted.answers.is_empty());
}

#[test]
fn what_was_hidden_once_stays_hidden() {
    let relay = hiding();
    relay.replace(Arc::new(Policy::default()));
    call(&relay, "1", "bound");
    let answer = receive(&relay, DOUBTFUL[5]);
    assert!(!answer.contains("\"a\""), "{answer}");
    assert!(relay.sibling().is_strict());
}
