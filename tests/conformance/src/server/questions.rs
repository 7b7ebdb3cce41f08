//! Requests that the server sends to the client, up to 2025-11-25: forms for the user, questions to the model.

use rmcp::model::{
    CallToolResult, ContentBlock, CreateMessageRequestParams, ElicitRequestParams, Role,
    SamplingMessage, SamplingMessageContentBlock,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

/// Asks the client's model, and returns its answer.
pub async fn ask_model(
    prompt: &str,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let declared = context.client_capabilities().unwrap_or_default();
    if declared.sampling.is_none() {
        return Ok(cannot("sampling"));
    }
    let question = SamplingMessage::new(Role::User, SamplingMessageContentBlock::text(prompt));
    let question = CreateMessageRequestParams::new(vec![question], 100);
    let answer = match context.peer.create_message(question).await {
        Ok(answer) => serde_json::to_value(answer.message).unwrap_or_default(),
        Err(error) => return Ok(failed(&error)),
    };
    let text = answer["content"]["text"].as_str().unwrap_or_default();
    Ok(text_result(format!("LLM response: {text}")))
}

/// Shows the user a form, and returns the answer after these words.
pub async fn ask_user(
    message: &str,
    schema: Value,
    words: &str,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let declared = context.client_capabilities().unwrap_or_default();
    if declared.elicitation.is_none() {
        return Ok(cannot("elicitation"));
    }
    let form = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let form: ElicitRequestParams = serde_json::from_value(form)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    match context.peer.create_elicitation(form).await {
        Ok(answer) => {
            let action = json!(answer.action);
            let action = action.as_str().unwrap_or_default();
            let content = answer.content.unwrap_or_default();
            Ok(text_result(format!(
                "{words}: action={action}, content={content}"
            )))
        }
        Err(error) => Ok(failed(&error)),
    }
}

/// A form for the user's identity.
pub fn who() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

/// A form with a member of each kind, each with a default.
pub fn defaults() -> Value {
    let states = ["active", "inactive", "pending"];
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": states, "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
        "required": [],
    })
}

/// A form with a choice of each kind: of one or of many, with and without titles.
pub fn choices() -> Value {
    let plain = ["option1", "option2", "option3"];
    let titled = |noun: &str| {
        let numbers = [
            ("value1", "First"),
            ("value2", "Second"),
            ("value3", "Third"),
        ];
        let entry =
            |(value, number)| json!({ "const": value, "title": format!("{number} {noun}") });
        numbers.map(entry)
    };
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": plain },
            "titledSingle": { "type": "string", "oneOf": titled("Option") },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
        },
        "required": [],
    })
}

fn text_result(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn cannot(what: &str) -> CallToolResult {
    let text = format!("this client has not declared `{what}`");
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn failed(error: &rmcp::ServiceError) -> CallToolResult {
    let text = format!("the client did not answer: {error}");
    CallToolResult::error(vec![ContentBlock::text(text)])
}
