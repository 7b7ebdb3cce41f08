//! Which answers change, and which pass byte for byte.

use super::*;
use crate::chain::Unsent;

#[test]
fn only_the_result_of_a_bound_call_changes() {
    let relay = relay();
    call(&relay, "1", "bound");
    let (before, after) = (
        "\t{ \"id\" :1.0 ,\"x\":1e2,\"result\"\t: ",
        " , \"x\":1E2, \"jsonrpc\":\"2.0\"} \r\n",
    );
    let answer = receive(&relay, &format!("{before}{{\"a\":[1, 2]}}{after}"));
    assert_eq!(answer, format!("{before}<bound {{\"n\":1}}: 12>{after}"));
}

#[test]
fn a_policy_may_leave_a_result_alone() {
    let relay = relay();
    call(&relay, "1", "bound");
    untouched(&relay, "{\"id\":1,\"result\":\"leave it\"}\n");
}

#[test]
fn nothing_else_is_touched() {
    let relay = relay();
    call(&relay, "1", "bound");
    call(&relay, "2", "free");
    send(
        &relay,
        r#"{"id":3,"method":"prompts/get","params":{"name":"bound"}}"#,
    );
    send(&relay, r#"{"id":4,"method":"tools/list"}"#);
    send(
        &relay,
        r#"{"id":5,"method":"tools/call","params":{"arguments":{}}}"#,
    );
    send(&relay, r#"{"id":6,"method":"tools/call"}"#);
    send(
        &relay,
        r#"{"method":"tools/call","params":{"name":"bound"}}"#,
    );
    send(&relay, "not json\n");
    for frame in [
        // A request of the server's with the id of the call, which it does not answer.
        r#"{"id":1,"method":"sampling/createMessage","params":{"result":{}}}"#,
        r#"{"method":"notifications/progress","params":{"progressToken":1}}"#,
        r#"{"id":2,"result":{"content":[]}}"#,
        r#"{"id":3,"result":{"messages":[]}}"#,
        r#"{"id":4,"result":{"tools":[]}}"#,
        r#"{"id":5,"result":{}}"#,
        r#"{"id":6,"result":{}}"#,
        r#"{"id":77,"result":{}}"#,
        r#"{"id":null,"result":{}}"#,
        r#"{"result":{}}"#,
        r#"{"id":1,"result":{"a":1}"#,
        "",
        "\n",
        "log line\r\n",
        r#"{"id":1,"error":{"code":-1,"message":"no"}}"#,
        // The error was the answer.
        r#"{"id":1,"result":{}}"#,
    ] {
        untouched(&relay, frame);
    }
    assert!(!relay.awaits_answers());
}

#[test]
fn an_id_used_again_means_the_newer_request() {
    let relay = relay();
    call(&relay, "1", "bound");
    call(&relay, "1", "free");
    untouched(&relay, r#"{"id":1,"result":[]}"#);
    call(&relay, "1", "bound");
    assert_ne!(
        receive(&relay, r#"{"id":1,"result":[]}"#),
        r#"{"id":1,"result":[]}"#
    );
}

#[test]
fn a_list_of_tools_is_rewritten_if_the_policy_wants_to() {
    let relay = Relay::new(Arc::new(Policy {
        lists: true,
        ..Policy::default()
    }));
    send(&relay, r#"{"id":"list","method":"tools/list","params":{}}"#);
    // Line breaks in new bytes would end the frame.
    assert_eq!(
        receive(&relay, "{\"id\":\"list\",\"result\":{}}\n"),
        "{\"id\":\"list\",\"result\": [\"tools\"] }\n"
    );
}

#[test]
fn other_requests_may_be_bound_too() {
    let relay = relay();
    send(&relay, r#"{"id":0,"method":"initialize","params":{}}"#);
    assert_eq!(
        receive(&relay, r#"{"id":0,"result":{}}"#),
        r#"{"id":0,"result":<initialize: 2>}"#
    );
}

#[test]
fn a_result_that_asks_for_input_passes_but_not_with_content_in_it() {
    let relay = relay();
    for (result, passes) in [
        (
            r#"{"resultType":"input_required","inputRequests":{}}"#,
            true,
        ),
        (r#"{"resultType":"input_required","content":[]}"#, false),
        (
            r#"{"resultType":"task","taskId":"t","structuredContent":{}}"#,
            false,
        ),
        (r#"{"task":{"taskId":"t"},"content":[]}"#, false),
        (r#"{"resultType":"complete","taskId":"t"}"#, false),
    ] {
        call(&relay, "1", "bound");
        let frame = format!(r#"{{"id":1,"result":{result}}}"#);
        assert_eq!(receive(&relay, &frame) == frame, passes, "{result}");
    }
}

#[test]
fn a_cancelled_call_is_filtered_if_answered_but_never_answered_by_an_error() {
    let relay = relay();
    call(&relay, "1", "bound");
    call(&relay, "2", "bound");
    send(
        &relay,
        r#"{"method":"notifications/cancelled","params":{"requestId":1.0}}"#,
    );
    send(
        &relay,
        r#"{"method":"notifications/cancelled","params":{"requestId":9}}"#,
    );
    send(&relay, r#"{"method":"notifications/cancelled"}"#);
    assert_eq!(
        *relay.in_force.get().cancelled.lock().unwrap(),
        [r#"bound {"n":1}"#]
    );
    assert_eq!(
        receive(&relay, r#"{"id":1,"result":[]}"#),
        r#"{"id":1,"result":<: 2>}"#
    );

    assert!(relay.awaits_answers());
    send(
        &relay,
        r#"{"method":"notifications/cancelled","params":{"requestId":2}}"#,
    );
    assert!(!relay.awaits_answers());
    assert!(relay.upstream_ended().is_empty());
}

#[test]
fn cancelled_calls_do_not_pile_up() {
    let relay = relay();
    for id in 0..5000 {
        call(&relay, &id.to_string(), "bound");
        let cancel =
            format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
        send(&relay, &cancel);
    }
    untouched(&relay, r#"{"id":0,"result":[]}"#);
    assert_ne!(
        receive(&relay, r#"{"id":4999,"result":[]}"#),
        r#"{"id":4999,"result":[]}"#
    );
}

#[test]
fn when_the_upstream_ends_what_waits_is_answered_in_order_and_in_its_own_spelling() {
    let relay = relay();
    call(&relay, "1e1", "bound");
    send(&relay, r#"{"id":"\u0061","method":"ping"}"#);
    send(
        &relay,
        r#"[{"id":-3,"method":"ping"},{"method":"x"},{"id":4,"method":"ping"}]"#,
    );
    untouched(&relay, r#"{"id":4,"result":{}}"#);
    let error = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"the upstream server ended before it answered"}}}}"#
        )
    };
    let answers: Vec<_> = relay
        .upstream_ended()
        .into_iter()
        .map(|answer| String::from_utf8(answer).unwrap())
        .collect();
    assert_eq!(answers, [error("1e1"), error(r#""\u0061""#), error("-3")]);

    let late = relay.from_client(br#"{"id":5,"method":"ping"}"#, Origin::default());
    let answers: Vec<_> = late.answers.into_iter().map(|job| job.run().0).collect();
    assert_eq!(answers, [error("5").into_bytes()]);
    assert!(relay.upstream_ended().is_empty());
}

#[test]
fn a_batch_is_rewritten_in_place_and_loses_what_tamis_answers() {
    let relay = relay();
    let own = r#"{"id":2,"method":"tools/call","params":{"name":"own","arguments":2}}"#;
    let bound = r#"{"id":1,"method":"tools/call","params":{"name":"bound"}}"#;
    let noted = relay.from_client(
        format!("[ {bound} , {own},{bound}]\r\n").as_bytes(),
        Origin::default(),
    );
    assert_eq!(
        noted.forward,
        Forward::Instead(format!("[{bound},{bound}]\n").into_bytes())
    );
    assert_eq!(noted.answers.len(), 1);
    assert_eq!(
        relay
            .from_client(format!("[{own}]").as_bytes(), Origin::default())
            .forward,
        Forward::Nothing
    );

    call(&relay, "2", "bound");
    assert_eq!(
        receive(
            &relay,
            "[{\"id\":1,\"result\":[]}, {\"id\":3,\"result\":[]} ,{\"result\":\"leave\",\"id\":4},{\"id\":2,\"result\":[0]}]\n"
        ),
        "[{\"id\":1,\"result\":<bound none: 2>}, {\"id\":3,\"result\":[]} ,{\"result\":\"leave\",\"id\":4},{\"id\":2,\"result\":<bound {\"n\":1}: 3>}]\n"
    );
}

#[test]
fn a_fault_in_the_policy_withholds_the_result() {
    let relay = relay();
    call(&relay, "1", "panics");
    let answer = receive(&relay, r#"{"id":1,"result":{"secret":1}}"#);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"].get("secret"), None);
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(
        text,
        "[tamis] This result is withheld: a fault in Tamis prevented its filtering. The operator's log says why."
    );

    let own = relay.from_client(
        br#"{"id":2,"method":"tools/call","params":{"name":"own panics","arguments":1}}"#,
        Origin::default(),
    );
    for job in own.answers {
        let answer: serde_json::Value = serde_json::from_slice(&job.run().0).unwrap();
        assert_eq!(
            (&answer["id"], &answer["result"]["isError"]),
            (&2.into(), &true.into())
        );
    }
}

#[test]
fn a_withheld_message_says_the_true_reason() {
    type Outcome = fn() -> Redacted;
    let reasons: [(Outcome, &str); 5] = [
        (
            || Redacted::Withheld(Unsent::StepFailed),
            "a filter that it must pass through failed. The operator's log says why.",
        ),
        (
            || Redacted::Withheld(Unsent::Unreadable),
            "it contains content that no filter of its chain can check. The operator's log says why.",
        ),
        (
            || Redacted::Withheld(Unsent::NoMessage),
            "a filter left something that is no message. The operator's log says why.",
        ),
        (
            || Redacted::Changed(b"{\"id\":1}".to_vec()),
            "a filter left something that is no message. The operator's log says why.",
        ),
        (
            || panic!("as intended"),
            "a fault in Tamis prevented its filtering. The operator's log says why.",
        ),
    ];
    for (redact, reason) in reasons {
        let relay = Relay::new(Arc::new(Policy {
            redacts: Some(redact),
            ..Policy::default()
        }));
        call(&relay, "1", "bound");
        let answer = receive(&relay, r#"{"id":1,"result":{"secret":1}}"#);
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let text = format!("[tamis] This result is withheld: {reason}");
        let result =
            serde_json::json!({"content": [{"type": "text", "text": text}], "isError": true});
        assert_eq!(answer["result"], result);
        call(&relay, "2", "bound");
        let answer = receive(&relay, r#"{"id":2,"error":{"secret":1}}"#);
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let message = format!("[tamis] This answer is withheld: {reason}");
        assert_eq!(answer["error"]["message"], message);
    }
}

#[test]
fn only_large_results_are_for_a_worker() {
    let relay = relay();
    for (length, large) in [(60_000, false), (70_000, true)] {
        call(&relay, "1", "bound");
        let frame = format!(r#"{{"id":1,"result":"{}"}}"#, "x".repeat(length));
        match relay.from_upstream(frame.as_bytes()) {
            FromUpstream::Rewrite(job) => assert_eq!(job.is_large(), large),
            other => panic!("it is bound: {other:?}"),
        }
    }
}
