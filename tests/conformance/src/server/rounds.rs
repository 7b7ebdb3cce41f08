//! Answers in several rounds: a server of 2026-07-28 uses them where an older one sends requests of its own.
//!
//! Owns the questions, the answers in the next call, and the state between the rounds. The server stores nothing: the
//! sealed state goes to the client and comes back.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    CreateMessageResult, ElicitResult, ElicitationAction, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, ListRootsResult, RequestStateCodec, SealOptions,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The key that seals states. A real server would have a secret here. This one shares it with all of its processes,
/// because the next round may reach another one.
const KEY: &[u8] = b"no secret: a state of the conformance server";

/// The prefix of the tools that [`call`] answers.
pub const PREFIX: &str = "test_input_required_result_";

/// The client's answers to the questions of the previous round.
pub struct Answers(InputResponses);

impl Answers {
    pub fn new(responses: Option<InputResponses>) -> Answers {
        Answers(responses.unwrap_or_default())
    }

    /// The answer to a question; none if it is missing and must be asked again.
    fn get<T: DeserializeOwned>(&self, question: &str) -> Result<Option<T>, ErrorData> {
        let Some(answer) = self.0.get(question) else {
            return Ok(None);
        };
        let answer = serde_json::from_value(answer.clone());
        answer.map(Some).map_err(|error| {
            let message = format!("inputResponses: `{question}`: {error}");
            ErrorData::invalid_params(message, None)
        })
    }

    /// One member of a form that the user has filled in, as text.
    pub fn form(&self, question: &str, member: &str) -> Result<Option<String>, ErrorData> {
        let filled_in = self.get::<ElicitResult>(question)?;
        Ok(filled_in.map(|form| match (form.action, form.content) {
            (ElicitationAction::Accept, Some(content)) => match &content[member] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
            _ => "nothing".to_owned(),
        }))
    }
}

/// A question for a form with one member.
pub fn form_question(message: &str, member: &str, kind: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": { member: { "type": kind } },
        "required": [member],
    });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

fn model_question(text: &str, max_tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    let params = json!({ "messages": [message], "maxTokens": max_tokens });
    json!({ "method": "sampling/createMessage", "params": params })
}

fn roots_question() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// Ends a round: the client must answer these questions, and call again.
pub fn ask<const N: usize>(
    questions: [(&str, Value); N],
    state: Option<String>,
) -> Result<InputRequiredResult, ErrorData> {
    let read = |(name, question): (&str, Value)| {
        let question = serde_json::from_value::<InputRequest>(question);
        question.map(|question| (name.to_owned(), question))
    };
    let questions: Result<InputRequests, _> = questions.into_iter().map(read).collect();
    let questions =
        questions.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(InputRequiredResult::new(Some(questions), state))
}

/// Answers a call of a tool with [`PREFIX`].
pub fn call(
    request: CallToolRequestParams,
    capabilities: Option<ClientCapabilities>,
) -> Result<CallToolResponse, ErrorData> {
    let tool = request.name.as_ref();
    let answers = Answers::new(request.input_responses);
    let state = match &request.request_state {
        Some(sealed) => Some(open(tool, sealed)?),
        None => None,
    };
    let said = match tool.strip_prefix(PREFIX).unwrap_or_default() {
        "elicitation" => match answers.form("user_name", "name")? {
            Some(name) => format!("Hello, {name}!"),
            None => {
                let question = form_question("What is your name?", "name", "string");
                return Ok(ask([("user_name", question)], None)?.into());
            }
        },
        "sampling" => match answers.get::<CreateMessageResult>("capital_question")? {
            Some(answer) => text_of(&answer),
            None => {
                let question = model_question("What is the capital of France?", 100);
                return Ok(ask([("capital_question", question)], None)?.into());
            }
        },
        "list_roots" => match answers.get::<ListRootsResult>("client_roots")? {
            Some(roots) => names_of(&roots),
            None => return Ok(ask([("client_roots", roots_question())], None)?.into()),
        },
        "request_state" | "tampered_state" => match (answers.form("confirm", "ok")?, state) {
            (Some(ok), Some(_)) => format!("state-ok, confirmed: {ok}"),
            _ => {
                let question = form_question("Please confirm", "ok", "boolean");
                let state = seal(tool, &json!({ "asked": "confirm" }))?;
                return Ok(ask([("confirm", question)], Some(state))?.into());
            }
        },
        "multiple_inputs" => {
            let name = answers.form("user_name", "name")?;
            let greeting = answers.get::<CreateMessageResult>("greeting")?;
            let roots = answers.get::<ListRootsResult>("client_roots")?;
            match (name, greeting, roots, state) {
                (Some(name), Some(greeting), Some(roots), Some(_)) => {
                    format!("{name}: {} {}", text_of(&greeting), names_of(&roots))
                }
                _ => {
                    let questions = [
                        (
                            "user_name",
                            form_question("What is your name?", "name", "string"),
                        ),
                        ("greeting", model_question("Generate a greeting", 50)),
                        ("client_roots", roots_question()),
                    ];
                    let state = seal(tool, &json!({ "asked": "all" }))?;
                    return Ok(ask(questions, Some(state))?.into());
                }
            }
        }
        "multi_round" => return two_questions(tool, &answers, state),
        "capabilities" => return only_what_is_declared(&answers, capabilities),
        _ => {
            let message = format!("unknown tool: {tool}");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
}

/// Asks for a name, and then a colour. The state of the second round holds the first answer.
fn two_questions(
    tool: &str,
    answers: &Answers,
    state: Option<Value>,
) -> Result<CallToolResponse, ErrorData> {
    let known = state.and_then(|state| state["name"].as_str().map(str::to_owned));
    let known = match known {
        Some(name) => Some(name),
        None => answers.form("step1", "name")?,
    };
    let Some(name) = known else {
        let question = form_question("Step 1: What is your name?", "name", "string");
        let state = seal(tool, &json!({ "step": 1 }))?;
        return Ok(ask([("step1", question)], Some(state))?.into());
    };
    let Some(color) = answers.form("step2", "color")? else {
        let question = form_question("Step 2: What is your favorite color?", "color", "string");
        let state = seal(tool, &json!({ "step": 2, "name": name }))?;
        return Ok(ask([("step2", question)], Some(state))?.into());
    };
    let said = format!("{name} likes {color}.");
    Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
}

/// Asks in the first form that the client declares.
fn only_what_is_declared(
    answers: &Answers,
    capabilities: Option<ClientCapabilities>,
) -> Result<CallToolResponse, ErrorData> {
    let declared = capabilities.unwrap_or_default();
    let answered = !answers.0.is_empty();
    let question = if declared.sampling.is_some() {
        model_question("Say something.", 20)
    } else if declared.elicitation.is_some() {
        form_question("Say something.", "text", "string")
    } else {
        roots_question()
    };
    if answered || (question == roots_question() && declared.roots.is_none()) {
        let said = if answered {
            "answered"
        } else {
            "nothing to ask with"
        };
        return Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into());
    }
    Ok(ask([("anything", question)], None)?.into())
}

fn text_of(answer: &CreateMessageResult) -> String {
    let content = serde_json::to_value(&answer.message).unwrap_or_default();
    let text = content["content"]["text"].as_str();
    text.unwrap_or("nothing that is text").to_owned()
}

fn names_of(roots: &ListRootsResult) -> String {
    let uris: Vec<&str> = roots.roots.iter().map(|root| root.uri.as_str()).collect();
    format!("Roots: {}", uris.join(", "))
}

fn seal(tool: &str, state: &Value) -> Result<String, ErrorData> {
    let bound = SealOptions::new().associated_data(tool.as_bytes());
    let sealed = codec()?.seal_json_with(state, &bound);
    sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn open(tool: &str, sealed: &str) -> Result<Value, ErrorData> {
    let state = codec()?.open_json_with(sealed, tool.as_bytes());
    state.map_err(|error| ErrorData::invalid_params(format!("requestState: {error}"), None))
}

fn codec() -> Result<RequestStateCodec, ErrorData> {
    RequestStateCodec::try_new(KEY)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
