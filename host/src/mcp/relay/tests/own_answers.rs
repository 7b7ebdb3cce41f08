//! Calls that Tamis itself answers.

use super::*;

#[test]
fn a_call_without_a_usable_id_is_still_tamiss_own() {
    let relay = relay();
    for id in ["", "\"id\":null,", "\"id\":[8],"] {
        let frame = format!(
            r#"{{{id}"method":"tools/call","params":{{"name":"own","arguments":{{"n":2}}}}}}"#
        );
        let noted = relay.from_client(frame.as_bytes(), Origin::default());
        assert_eq!(noted.forward, Forward::Nothing, "{frame}");
    }
}

#[test]
fn tamis_may_answer_with_an_error() {
    let relay = relay();
    let call = br#"{"id":7,"method":"tools/call","params":{"name":"own refuses"}}"#;
    let answers = relay.from_client(call, Origin::default()).answers;
    let answers: Vec<Vec<u8>> = answers.into_iter().map(|job| job.run().0).collect();
    let expected = br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32002}}"#;
    assert_eq!(answers, [expected.to_vec()]);
}

#[test]
fn tamis_answers_calls_of_its_own() {
    let relay = relay();
    let noted = relay.from_client(
        br#"{"id":"a","method":"tools/call","params":{"name":"own","arguments":{"n":2}}}"#,
        Origin::default(),
    );
    assert_eq!(noted.forward, Forward::Nothing);
    let answers: Vec<_> = noted.answers.into_iter().map(|job| job.run().0).collect();
    assert_eq!(
        answers,
        [br#"{"jsonrpc":"2.0","id":"a","result":[{"n":2}, 0]}"#.to_vec()]
    );
    assert!(!relay.awaits_answers());
}
