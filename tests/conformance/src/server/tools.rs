//! The tools: their list, and the function of each.
//!
//! The first one takes no arguments and always succeeds: the suite uses it when any tool will do.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    JsonObject, LoggingLevel, ProgressNotificationParam, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::changes::{Changes, List};
use crate::everything::Everything;
use crate::streams::AnswerStream;
use crate::{content, questions, rounds};

/// Pause between the steps of a tool with progress reports: a client sees one report at a time.
const PAUSE: Duration = Duration::from_millis(20);

/// Tools without arguments, and their descriptions.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Answers with a text."),
    ("test_image_content", "Answers with an image."),
    ("test_audio_content", "Answers with a sound."),
    ("test_embedded_resource", "Answers with a resource."),
    (
        "test_multiple_content_types",
        "Answers with three kinds of content.",
    ),
    ("test_error_handling", "Always fails."),
    ("test_tool_with_logging", "Logs three lines while it runs."),
    ("test_logging_tool", "Logs a line."),
    ("test_tool_with_progress", "Reports its progress."),
    ("test_reconnection", "Closes its stream before it answers."),
    (
        "test_elicitation_sep1034_defaults",
        "Asks the user, with defaults.",
    ),
    ("test_elicitation_sep1330_enums", "Asks the user to choose."),
    (
        "test_streaming_elicitation",
        "Asks the user before it answers.",
    ),
    (
        "test_missing_capability",
        "Needs a client that has a model.",
    ),
    ("test_trigger_tool_change", "Changes the list of tools."),
    ("test_trigger_prompt_change", "Changes the list of prompts."),
    ("test_input_required_result_elicitation", "Asks for a name."),
    (
        "test_input_required_result_sampling",
        "Asks the client's model.",
    ),
    (
        "test_input_required_result_list_roots",
        "Asks for the client's roots.",
    ),
    (
        "test_input_required_result_request_state",
        "Asks, with a state.",
    ),
    (
        "test_input_required_result_tampered_state",
        "Asks, with a state.",
    ),
    (
        "test_input_required_result_multiple_inputs",
        "Asks three things at once.",
    ),
    ("test_input_required_result_multi_round", "Asks twice."),
    (
        "test_input_required_result_capabilities",
        "Asks what the client can answer.",
    ),
];

/// All current tools.
pub fn list(changes: &Changes) -> Vec<Tool> {
    let none = json!({ "type": "object", "properties": {} });
    let plain = PLAIN.iter().map(|(name, about)| tool(name, about, &none));
    let mut tools: Vec<Tool> = plain.collect();
    let text = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    // An argument that a client repeats in a header.
    let region = json!({ "type": "string", "x-mcp-header": "Region" });
    let region =
        json!({ "type": "object", "properties": { "region": region }, "required": ["region"] });
    tools.extend([
        tool("test_sampling", "Asks the client's model.", &text("prompt")),
        tool("test_elicitation", "Asks the user.", &text("message")),
        tool(
            "test_custom_header",
            "Answers with the region that it was called for.",
            &region,
        ),
        tool(
            "json_schema_2020_12_tool",
            "Tool with JSON Schema 2020-12 features",
            &modern_schema(),
        ),
    ]);
    if changes.is_there(List::Tools) {
        tools.push(tool("test_passing_tool", "Comes and goes.", &none));
    }
    tools
}

fn tool(name: &'static str, about: &'static str, schema: &Value) -> Tool {
    Tool::new(name, about, schema.as_object().cloned().unwrap_or_default())
}

/// A schema with the features of JSON Schema 2020-12 that older drafts lack.
fn modern_schema() -> Value {
    let address = json!({
        "$anchor": "addressDef",
        "type": "object",
        "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": address },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

pub async fn call(
    server: &Everything,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let capabilities = context.client_capabilities();
    if request.name.starts_with(rounds::PREFIX) {
        return rounds::call(request, capabilities);
    }
    let arguments = request.arguments.unwrap_or_default();
    let context = &context;
    let blocks = match request.name.as_ref() {
        "test_simple_text" => vec![text("This is a simple text response for testing.")],
        "test_image_content" => vec![content::image()],
        "test_audio_content" => vec![content::audio()],
        "test_embedded_resource" => {
            let said = "This is an embedded resource content.";
            vec![content::resource(
                "test://embedded-resource",
                "text/plain",
                said,
            )]
        }
        "test_multiple_content_types" => {
            let data = r#"{"test":"data","value":123}"#;
            let uri = "test://mixed-content-resource";
            vec![
                text("Multiple content types test:"),
                content::image(),
                content::resource(uri, "application/json", data),
            ]
        }
        "test_error_handling" => {
            let said = text("This tool intentionally returns an error for testing");
            return Ok(CallToolResult::error(vec![said]).into());
        }
        "test_tool_with_logging" => log_on_the_way(server, context).await,
        "test_logging_tool" => {
            server.log(context, LoggingLevel::Info, "A line.").await;
            vec![text("It logs a line where the client wants lines.")]
        }
        "test_tool_with_progress" => report_progress(context).await?,
        "test_reconnection" => leave_before_the_answer(context).await?,
        "test_sampling" => {
            let prompt = argument(&arguments, "prompt")?;
            return Ok(questions::ask_model(prompt, context).await?.into());
        }
        "test_elicitation" => {
            let message = argument(&arguments, "message")?;
            let asked = questions::ask_user(message, questions::who(), "User response", context);
            return Ok(asked.await?.into());
        }
        name @ ("test_elicitation_sep1034_defaults" | "test_elicitation_sep1330_enums") => {
            let schema = match name {
                "test_elicitation_sep1330_enums" => questions::choices(),
                _ => questions::defaults(),
            };
            let words = "Elicitation completed";
            let asked = questions::ask_user("Please fill this in", schema, words, context);
            return Ok(asked.await?.into());
        }
        "test_streaming_elicitation" => {
            let answers = rounds::Answers::new(request.input_responses);
            match answers.form("confirm", "ok")? {
                Some(ok) => vec![text(format!("Confirmed: {ok}"))],
                None => {
                    let question = rounds::form_question("Go on?", "ok", "boolean");
                    return Ok(rounds::ask([("confirm", question)], None)?.into());
                }
            }
        }
        "test_missing_capability" => {
            if capabilities.unwrap_or_default().sampling.is_none() {
                let needed = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            vec![text("This client has a model.")]
        }
        "test_trigger_tool_change" => {
            server.change(List::Tools, context).await;
            vec![text("The list of tools is another one now.")]
        }
        "test_trigger_prompt_change" => {
            server.change(List::Prompts, context).await;
            vec![text("The list of prompts is another one now.")]
        }
        "test_custom_header" => vec![text(format!("Region: {}", argument(&arguments, "region")?))],
        "json_schema_2020_12_tool" => vec![text(Value::Object(arguments).to_string())],
        "test_passing_tool" => vec![text("Here for a while.")],
        unknown => {
            let message = format!("unknown tool: {unknown}");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(CallToolResult::success(blocks).into())
}

fn text(said: impl Into<String>) -> ContentBlock {
    ContentBlock::text(said)
}

fn argument<'a>(arguments: &'a JsonObject, name: &str) -> Result<&'a str, ErrorData> {
    let value = arguments.get(name).and_then(Value::as_str);
    value.ok_or_else(|| {
        ErrorData::invalid_params(format!("argument `{name}`: expected a string"), None)
    })
}

async fn log_on_the_way(
    server: &Everything,
    context: &RequestContext<RoleServer>,
) -> Vec<ContentBlock> {
    let lines = [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ];
    for line in lines {
        server.log(context, LoggingLevel::Info, line).await;
        tokio::time::sleep(PAUSE).await;
    }
    vec![text("It logged three lines.")]
}

async fn report_progress(
    context: &RequestContext<RoleServer>,
) -> Result<Vec<ContentBlock>, ErrorData> {
    for percent in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let report = ProgressNotificationParam::new(token, percent).with_total(100.0);
            let sent = context.peer.notify_progress(report).await;
            sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(vec![text("It came to its end.")])
}

/// Without a stream to close (standard output; requests without a session), it only answers.
async fn leave_before_the_answer(
    context: &RequestContext<RoleServer>,
) -> Result<Vec<ContentBlock>, ErrorData> {
    if let Some(stream) = context.extensions.get::<AnswerStream>() {
        let closed = stream.close().await;
        closed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    }
    Ok(vec![text("You came back for this.")])
}
