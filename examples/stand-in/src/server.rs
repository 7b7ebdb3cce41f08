//! One MCP server for all stand-ins: tools and prompts are data, this module is the protocol.
//!
//! Owns the typed handler and standard input and output. Refuses to know the content of any system.

use anyhow::Context as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptRequestParams,
        GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult,
        ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage, Role, ServerCapabilities,
        ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

/// A whole upstream server, as data.
pub struct Upstream {
    pub name: &'static str,
    pub version: &'static str,
    /// The server's text to the model about itself, at the start of a session.
    pub instructions: String,
    pub tools: Vec<AnsweringTool>,
    pub prompts: Vec<AnsweringPrompt>,
}

/// A tool and the function that answers its calls.
pub struct AnsweringTool {
    pub definition: Tool,
    pub answer: fn(&JsonObject) -> CallToolResult,
}

impl AnsweringTool {
    /// Makes a tool that changes nothing. `properties` are those of its input schema.
    pub fn reading(
        name: &'static str,
        description: &'static str,
        properties: &Value,
        required: &[&str],
        answer: fn(&JsonObject) -> CallToolResult,
    ) -> AnsweringTool {
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), properties.clone());
        schema.insert("required".to_owned(), json!(required));
        let mut definition = Tool::new(name, description, schema);
        definition.annotations = Some(ToolAnnotations::new().read_only(true));
        AnsweringTool { definition, answer }
    }
}

#[cfg(test)]
impl Upstream {
    /// The text that a tool answers.
    pub fn text_of(&self, tool: &str, arguments: Value) -> String {
        let found = self.tools.iter().find(|it| it.definition.name == tool);
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object: {arguments}");
        };
        let result = (found.expect("a tool of that name").answer)(&arguments);
        let text = result.content[0].as_text().expect("a text block");
        text.text.clone()
    }
}

/// A prompt and the function that returns the text of its one message.
pub struct AnsweringPrompt {
    pub definition: Prompt,
    pub text: fn() -> String,
}

/// Serves one client over standard input and output, until the client closes it.
pub async fn serve(upstream: Upstream) -> anyhow::Result<()> {
    let name = upstream.name;
    let session = upstream
        .serve(rmcp::transport::stdio())
        .await
        .with_context(|| format!("start a session as {name}"))?;
    session
        .waiting()
        .await
        .with_context(|| format!("serve a session as {name}"))?;
    Ok(())
}

impl ServerHandler for Upstream {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(self.name, self.version))
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|tool| tool.definition.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self
            .tools
            .iter()
            .find(|tool| tool.definition.name == call.name)
            .ok_or_else(|| {
                ErrorData::invalid_params(format!("unknown tool: {}", call.name), None)
            })?;
        Ok((tool.answer)(&call.arguments.unwrap_or_default()).into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.prompts.iter().map(|prompt| prompt.definition.clone());
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = self
            .prompts
            .iter()
            .find(|prompt| prompt.definition.name == request.name)
            .ok_or_else(|| {
                ErrorData::invalid_params(format!("unknown prompt: {}", request.name), None)
            })?;
        let message = PromptMessage::new_text(Role::User, (prompt.text)());
        Ok(GetPromptResult::new(vec![message]).into())
    }
}
