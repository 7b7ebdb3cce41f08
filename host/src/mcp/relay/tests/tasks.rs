//! Tasks: a call's result arrives in another frame.

use super::*;

#[test]
fn a_task_of_2025_is_filtered_where_its_result_arrives() {
    let relay = relay();
    call(&relay, "1", "bound");
    untouched(
        &relay,
        r#"{"id":1,"result":{"task":{"taskId":"t","status":"working"}}}"#,
    );
    send(
        &relay,
        r#"{"id":2,"method":"tasks/get","params":{"taskId":"t"}}"#,
    );
    untouched(
        &relay,
        r#"{"id":2,"result":{"taskId":"t","status":"completed"}}"#,
    );
    for id in [3, 4] {
        let ask = format!(r#"{{"id":{id},"method":"tasks/result","params":{{"taskId":"t"}}}}"#);
        send(&relay, &ask);
        assert_eq!(
            receive(
                &relay,
                &format!(r#"{{"id":{id},"result":{{"content":[]}}}}"#)
            ),
            format!(r#"{{"id":{id},"result":<bound {{"n":1}}: 14>}}"#)
        );
    }
}

#[test]
fn a_task_of_2026_is_filtered_inside_its_state_and_when_it_is_pushed() {
    let relay = relay();
    call(&relay, "1", "bound");
    untouched(
        &relay,
        r#"{"id":1,"result":{"resultType":"task","taskId":"t","status":"working"}}"#,
    );
    send(
        &relay,
        r#"{"id":2,"method":"tasks/get","params":{"taskId":"\u0074"}}"#,
    );
    untouched(
        &relay,
        r#"{"id":2,"result":{"resultType":"complete","taskId":"t","status":"working"}}"#,
    );
    send(
        &relay,
        r#"{"id":3,"method":"tasks/cancel","params":{"taskId":"t"}}"#,
    );
    untouched(&relay, r#"{"id":3,"result":{"resultType":"complete"}}"#);
    send(
        &relay,
        r#"{"id":4,"method":"tasks/get","params":{"taskId":"t"}}"#,
    );
    assert_eq!(
        receive(
            &relay,
            r#"{"id":4,"result":{"taskId":"t","result":{"content":[]},"status":"completed"}}"#
        ),
        r#"{"id":4,"result":{"taskId":"t","result":<bound {"n":1}: 14>,"status":"completed"}}"#
    );
    assert_eq!(
        receive(
            &relay,
            r#"{"method":"notifications/tasks","params":{"taskId":"t","result":[]}}"#
        ),
        r#"{"method":"notifications/tasks","params":{"taskId":"t","result":<bound {"n":1}: 2>}}"#
    );
    untouched(
        &relay,
        r#"{"method":"notifications/tasks","params":{"taskId":"u","result":[]}}"#,
    );
    untouched(
        &relay,
        r#"{"method":"notifications/else","params":{"taskId":"t","result":[]}}"#,
    );
}

#[test]
fn a_task_that_the_connection_did_not_create_is_the_policys_to_bind() {
    let relay = relay();
    send(
        &relay,
        r#"{"id":1,"method":"tasks/result","params":{"taskId":"old"}}"#,
    );
    assert_eq!(
        receive(&relay, r#"{"id":1,"result":[]}"#),
        r#"{"id":1,"result":<tasks/result: 2>}"#
    );
}

#[test]
fn the_oldest_task_is_forgotten_first() {
    let relay = relay();
    let kept = 4096;
    for task in 0..=kept {
        call(&relay, "1", "bound");
        untouched(
            &relay,
            &format!(r#"{{"id":1,"result":{{"task":{{"taskId":"{task}"}}}}}}"#),
        );
    }
    let push = |task: i32| {
        let frame = format!(
            r#"{{"method":"notifications/tasks","params":{{"taskId":"{task}","result":[]}}}}"#
        );
        receive(&relay, &frame) != frame
    };
    assert_eq!([push(0), push(1), push(kept)], [false, true, true]);
}

#[test]
fn where_things_are_hidden_a_task_that_nobody_knows_shows_nothing() {
    let relay = hiding();
    send(
        &relay,
        r#"{"id":1,"method":"tasks/get","params":{"taskId":"t"}}"#,
    );
    let state = receive(
        &relay,
        r#"{"id":1,"result":{"taskId":"t","result":{"a":1}}}"#,
    );
    assert!(
        state.contains("withheld") && !state.contains("\"a\""),
        "{state}"
    );
    for params in [
        r#"{"taskId":"t","result":{"a":1}}"#,
        r#"{"taskId":"t","Result":{"a":1}}"#,
        r#"{"taskId":"t","taskId":"u","result":{"a":1}}"#,
    ] {
        let frame = format!(r#"{{"method":"notifications/tasks","params":{params}}}"#);
        let notice = receive(&relay, &frame);
        assert!(
            notice.contains("withheld") && !notice.contains("\"a\""),
            "{notice}"
        );
    }
    // A result that claims to come later, but has content now.
    for result in [
        r#"{"task":{"taskId":"t"},"Content":[{"a":1}]}"#,
        r#"{"resultType":"input_required","messages":[{"a":1}]}"#,
    ] {
        call(&relay, "2", "bound");
        let answer = receive(&relay, &format!(r#"{{"id":2,"result":{result}}}"#));
        assert!(!answer.contains("\"a\""), "{answer}");
    }
}
