//! Frames of a client and an upstream, and the frames that the other side gets.

use crate::json;
use std::sync::Mutex;

use super::*;

/// Binds the tools `bound` and `panics`; its results show the binding and the input.
#[derive(Default)]
struct Policy {
    name: &'static str,
    lists: bool,
    hides: bool,
    announces: bool,
    /// Its redaction of every message, if it redacts messages.
    redacts: Option<fn() -> Redacted>,
    cancelled: Mutex<Vec<String>>,
    /// Lists of tools that it let pass.
    passed: Mutex<usize>,
}

impl Rewrite for Policy {
    type Trace = ();
    type Bound = String;

    fn bind(&self, asked: Asked<'_, ()>) -> Option<String> {
        let Asked { method, params, .. } = asked;
        if method != "tools/call" {
            return matches!(method, "initialize" | "tasks/result").then(|| method.to_owned());
        }
        let (tool, arguments) = call_of(params?)?;
        matches!(&*tool, "bound" | "panics").then(|| format!("{tool} {arguments}"))
    }

    fn answer_locally(&self, asked: Asked<'_, ()>) -> Option<LocalWork> {
        let Asked { method, params, .. } = asked;
        if method != "tools/call" {
            return None;
        }
        let (tool, arguments) = call_of(params?)?;
        match &*tool {
            "own" => Some(Box::new(move || {
                LocalAnswer::Result(format!("[{arguments},\n0]").into_bytes())
            })),
            "own refuses" => Some(Box::new(|| {
                LocalAnswer::Error(b"{\"code\":-32002}".to_vec())
            })),
            "own panics" => Some(Box::new(|| panic!("as intended"))),
            _ => None,
        }
    }

    fn result(&self, bound: &String, result: &[u8]) -> Option<Vec<u8>> {
        assert!(!bound.starts_with("panics"), "as intended");
        let untouched = result.starts_with(b"\"leave");
        let name = self.name;
        (!untouched).then(|| format!("<{name}{bound}: {}>", result.len()).into_bytes())
    }

    fn tools_list(&self, _result: &[u8]) -> Option<Vec<u8>> {
        Some(format!("\r[\"{}tools\"]\n", self.name).into_bytes())
    }

    fn tools_list_passes(&self, _result: &[u8]) {
        *self.passed.lock().unwrap() += 1;
    }

    fn announces_list_changes(&self) -> bool {
        self.announces
    }

    fn changes_tools_list(&self) -> bool {
        self.lists
    }

    fn hides(&self) -> bool {
        self.hides
    }

    fn redacts_messages(&self) -> bool {
        self.redacts.is_some()
    }

    fn redact(&self, _message: &[u8]) -> Redacted {
        self.redacts.map_or(Redacted::Unchanged, |redact| redact())
    }

    fn rewrites_tools_list(&self) -> bool {
        self.lists
    }

    fn cancelled(&self, bound: &mut String) -> bool {
        self.cancelled.lock().unwrap().push(std::mem::take(bound));
        true
    }
}

/// The tool and the arguments of a call.
fn call_of(params: &[u8]) -> Option<(String, String)> {
    let [tool, arguments] = json::members(params, ["name", "arguments"]);
    let tool = json::text(&params[tool?])?.into_owned();
    let arguments = arguments.map_or(&b"none"[..], |span| &params[span]);
    Some((tool, String::from_utf8_lossy(arguments).into_owned()))
}

fn relay() -> Relay<Policy> {
    Relay::new(Arc::new(Policy::default()))
}

/// Sends a frame that the upstream must get unchanged, and that nobody answers yet.
fn send(relay: &Relay<Policy>, frame: &str) {
    let noted = relay.from_client(frame.as_bytes(), Origin::default());
    assert_eq!(noted.forward, Forward::AsItIs, "{frame}");
    assert!(noted.answers.is_empty(), "{frame}");
}

fn call(relay: &Relay<Policy>, id: &str, tool: &str) {
    send(
        relay,
        &format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"n":1}}}}}}"#
        ),
    );
}

/// The bytes that the client gets for a frame.
fn receive(relay: &Relay<Policy>, frame: &str) -> String {
    match relay.from_upstream(frame.as_bytes()) {
        FromUpstream::Forward => frame.to_owned(),
        FromUpstream::Rewrite(job) => String::from_utf8(job.run().0).unwrap(),
        FromUpstream::Refused(refused) => {
            let errors = refused.errors.into_iter();
            errors
                .map(|error| String::from_utf8(error).unwrap() + "\n")
                .collect()
        }
    }
}

fn untouched(relay: &Relay<Policy>, frame: &str) {
    assert_eq!(receive(relay, frame), frame);
}

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

fn hiding() -> Relay<Policy> {
    Relay::new(Arc::new(Policy {
        hides: true,
        ..Policy::default()
    }))
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
fn a_withheld_message_says_whether_a_filter_or_tamis_failed() {
    let failed = "a filter that it must pass through failed. The operator's log says why.";
    let fault = "a fault in Tamis prevented its filtering. The operator's log says why.";
    let withholds: fn() -> Redacted = || Redacted::Withheld;
    let panics: fn() -> Redacted = || panic!("as intended");
    for (redact, reason) in [(withholds, failed), (panics, fault)] {
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
