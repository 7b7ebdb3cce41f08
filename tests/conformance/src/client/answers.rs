//! The client's answers to requests of the server: its user agrees, and its model says one sentence.

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, Implementation, ListRootsResult,
    ProtocolVersion, Role, Root, SamplingMessage, SamplingMessageContentBlock,
};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Map, Value, json};

pub struct Answers {
    config: ClientConfig,
}

impl Answers {
    /// Answers for servers of this protocol version.
    pub fn to(version: &ProtocolVersion) -> Answers {
        let capabilities = ClientCapabilities::builder()
            .enable_elicitation()
            .enable_roots()
            .enable_sampling()
            .build();
        let name = Implementation::new("conformance-client", "0.1.0");
        let mut config = ClientConfig::new(capabilities, name);
        config.protocol_version = version.clone();
        Answers { config }
    }
}

impl ClientHandler for Answers {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_message(
        &self,
        _question: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let said = SamplingMessageContentBlock::text("This is what the model says.");
        let message = SamplingMessage::new(Role::Assistant, said);
        Ok(CreateMessageResult::new(message, "no-model".to_owned()))
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///project")]))
    }

    /// Accepts the suggested values of the form.
    async fn create_elicitation(
        &self,
        form: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let form = serde_json::to_value(form)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let content = filled_in(&form["requestedSchema"]);
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content))
    }
}

/// A value that fits a schema: its defaults, its first choices, or the simplest of its type.
pub fn filled_in(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    if let Some(first) = schema["oneOf"][0].get("const") {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(3),
        Some("array") => json!([]),
        Some("string") => json!("text"),
        Some("null") => Value::Null,
        _ => {
            let none = Map::new();
            let members = schema["properties"].as_object().unwrap_or(&none);
            let members = members.iter();
            Value::Object(
                members
                    .map(|(name, member)| (name.clone(), filled_in(member)))
                    .collect(),
            )
        }
    }
}
