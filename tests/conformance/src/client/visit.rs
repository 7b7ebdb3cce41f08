//! The client's actions on a server after a session began.
//!
//! Most scenarios only watch: for them a visit lists everything, and calls, reads and gets each item once. A few need
//! actions of their own.

use anyhow::Context as _;
use rmcp::model::{
    CallToolRequestParams, GetPromptRequestParams, JsonObject, Prompt, ReadResourceRequestParams,
};
use serde_json::{Value, json};

use crate::answers::filled_in;
use crate::{Scenario, Session};

pub async fn run(session: &Session, scenario: &Scenario) -> anyhow::Result<()> {
    match scenario.name.as_str() {
        "http-custom-headers" => make_calls(session, &scenario.context["toolCalls"]).await,
        "json-schema-2020-12-preservation" => echo_schema(session).await,
        // Its only tool has a schema with a trap, and no answer.
        "json-schema-ref-no-deref" => session
            .list_all_tools()
            .await
            .map(drop)
            .context("list tools"),
        _ => use_everything(session).await,
    }
}

/// Lists everything, and requests each item once.
async fn use_everything(session: &Session) -> anyhow::Result<()> {
    let server = session
        .peer_info()
        .context("the server has not said who it is")?;
    if server.capabilities.tools.is_some() {
        for tool in session.list_all_tools().await.context("list tools")? {
            let arguments = filled_in(&Value::Object(tool.input_schema.as_ref().clone()));
            call(session, &tool.name, arguments).await?;
        }
    }
    if server.capabilities.resources.is_some() {
        let resources = session.list_all_resources().await;
        for resource in resources.context("list resources")? {
            let read = ReadResourceRequestParams::new(&resource.uri);
            let read = session.read_resource(read).await;
            read.with_context(|| format!("read {}", resource.uri))?;
        }
    }
    if server.capabilities.prompts.is_some() {
        let prompts = session.list_all_prompts().await;
        for prompt in prompts.context("list prompts")? {
            let got = session.get_prompt(asking_for(&prompt)).await;
            got.with_context(|| format!("get the prompt {}", prompt.name))?;
        }
    }
    Ok(())
}

/// Makes the calls that the scenario names, of tools that it lists.
async fn make_calls(session: &Session, calls: &Value) -> anyhow::Result<()> {
    session.list_all_tools().await.context("list tools")?;
    for wanted in calls.as_array().context("the scenario names no calls")? {
        let name = wanted["name"].as_str().context("a call without a name")?;
        call(session, name, wanted["arguments"].clone()).await?;
    }
    Ok(())
}

/// Sends the schema of one tool back as the argument of another.
async fn echo_schema(session: &Session) -> anyhow::Result<()> {
    let tools = session.list_all_tools().await.context("list tools")?;
    let tool = tools
        .iter()
        .find(|tool| tool.name == "json_schema_2020_12_tool");
    let tool = tool.context("the tool with the schema is not listed")?;
    let arguments = json!({ "schema": *tool.input_schema });
    call(session, "json_schema_echo", arguments).await
}

async fn call(session: &Session, tool: &str, arguments: Value) -> anyhow::Result<()> {
    let arguments: JsonObject = arguments.as_object().cloned().unwrap_or_default();
    let call = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    let result = session.call_tool(call).await;
    result.map(drop).with_context(|| format!("call {tool}"))
}

fn asking_for(prompt: &Prompt) -> GetPromptRequestParams {
    let arguments = prompt.arguments.iter().flatten();
    let arguments: JsonObject = arguments
        .map(|argument| (argument.name.clone(), json!("text")))
        .collect();
    GetPromptRequestParams::new(&prompt.name).with_arguments(arguments)
}
