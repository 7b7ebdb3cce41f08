//! The handler of one session, or of one request without a session.
//!
//! Owns the state of a session: the log level, the subscribed resources, the streams that wait for changes. The modules
//! for tools, prompts and resources have the answers.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;

use crate::changes::{Changes, List, Listeners};
use crate::{prompts, resources, tools};

pub struct Everything {
    changes: Changes,
    listeners: Listeners,
    /// Lines below this level are not sent. Only up to 2025-11-25: later, each request has a level.
    level: Mutex<LoggingLevel>,
    subscribed: Mutex<BTreeSet<String>>,
}

impl Everything {
    pub fn new(changes: Changes) -> Everything {
        Everything {
            changes,
            listeners: Listeners::default(),
            level: Mutex::new(LoggingLevel::Debug),
            subscribed: Mutex::default(),
        }
    }

    /// Sends a line to the client's log, if the client wants its level.
    pub async fn log(&self, context: &RequestContext<RoleServer>, level: LoggingLevel, line: &str) {
        let from = if is_stateless(context) {
            context.meta.log_level()
        } else {
            Some(*self.level.lock().unwrap_or_else(PoisonError::into_inner))
        };
        if from.is_some_and(|from| level as u8 >= from as u8) {
            let line = LoggingMessageNotificationParam::new(level, json!(line));
            // A client that left does not need it.
            let _ = context.peer.notify_logging_message(line).await;
        }
    }

    /// Changes a list, and notifies all subscribers.
    pub async fn change(&self, list: List, context: &RequestContext<RoleServer>) {
        self.changes.change(list);
        if !is_stateless(context) {
            // A client that left does not need it.
            let _ = match list {
                List::Tools => context.peer.notify_tool_list_changed().await,
                List::Prompts => context.peer.notify_prompt_list_changed().await,
            };
        }
    }
}

/// Whether the request is of the protocol without sessions.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("conformance-server", "0.1.0"))
            .with_instructions("Has everything that the conformance suite asks for.")
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(&self.changes)))
    }

    /// Used by the transport, for the headers that repeat arguments.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = tools::list(&self.changes);
        tools.into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, request, context).await
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = prompts::list(&self.changes);
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(request)
    }

    /// Suggests values that begin with the argument.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known = ["paris", "park", "party", "test", "testing"];
        let fitting = known
            .into_iter()
            .filter(|word| word.starts_with(&request.argument.value))
            .map(str::to_owned);
        let values = CompletionInfo::with_all_values(fitting.collect());
        let values = values.map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(values))
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&request.uri)?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        resources::read(&request.uri)?;
        let mut subscribed = self
            .subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        subscribed.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut subscribed = self
            .subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if subscribed.remove(&request.uri) {
            return Ok(());
        }
        let message = format!("there is no subscription to {}", request.uri);
        Err(ErrorData::invalid_params(message, None))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_stateless(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.listeners.line_up(&self.changes);
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners.run(context, &self.changes).await
    }
}
