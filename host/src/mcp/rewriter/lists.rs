//! The list of tools under a policy.

use super::Rewriter;
use crate::chain::Chain;
use crate::json;
use crate::mcp::listing::{self, Change, ListedTool};
use crate::mcp::relay::Rewrite;
use crate::mcp::shown::ClientDisplay;
use crate::mcp::tools::Facts;
use crate::mcp::{read_tool, shape};
use crate::policy::{InputSchema, PinTools, Structured, Surface, ToolList};
use std::sync::Arc;

impl Rewriter {
    /// Changes a page of the list as the policy says, and notes the list that the client sees.
    pub(super) fn list_tools(&self, result: &[u8]) -> Option<Vec<u8>> {
        let own_tool = || {
            let is_listed = self.lists_read_tool();
            let settings = self.read_tool();
            if is_listed {
                self.lasting.give_out(&settings.name);
            }
            let tools = &self.lasting.tools;
            tools.show_read_tool(is_listed.then_some(settings.name.as_str()));
            is_listed.then(|| read_tool::definition(settings))
        };
        let list =
            listing::filter_tools_list(result, self.is_strict(), |tool| self.list(tool), own_tool);
        let [next] = json::members(result, ["nextCursor"]);
        if next.is_none() {
            let names = || {
                let listed = self.lasting.tools.listed();
                listed.iter().map(|facts| facts.name.clone()).collect()
            };
            let policy = self.chains.policy();
            self.gate.unmatched.note(policy, &self.server, names);
            let closed = self.gate.closed(&self.lasting.tools);
            self.lasting.tools.show_closed(closed.is_some());
            if let Some(why) = closed {
                return Some(listing::closed(&why).into_bytes());
            }
        }
        list.map(String::into_bytes)
    }

    /// Whether the client's list differs from the list that it would get now.
    pub(super) fn lists_other_tools_than_shown(&self) -> bool {
        let tools = &self.lasting.tools;
        let Some(read_tool) = tools.shown_read_tool() else {
            return false;
        };
        let settings = self.read_tool();
        let own = self.lists_read_tool().then_some(&settings.name);
        let is_closed = self.gate.closed(tools).is_some();
        is_closed != tools.is_shown_closed()
            || read_tool.as_ref() != own
            || tools
                .listed()
                .iter()
                .any(|facts| self.change(facts) != facts.shown)
    }

    /// Warns that the server has a tool with the name of the read tool.
    pub(super) fn warn_of_taken_name(&self) {
        if self.store.is_some() {
            tracing::warn!(
                "the server has a tool `{}` of its own, so Tamis does not add one, and cuts nothing: give the read tool another name in [read-tool]",
                self.read_tool().name
            );
        }
    }

    fn lists_read_tool(&self) -> bool {
        // Of a result that programs compute on, nothing is cut.
        let computes = ClientDisplay::of(self.client_spec().as_deref()).computes();
        self.readable().is_some() && self.read_tool().listed && !computes
    }

    /// Whether the client's model searches for tools, and gets marked ones without a search.
    fn searches_for_tools(&self) -> bool {
        self.client_spec()
            .is_some_and(|spec| spec.tools == ToolList::Pinned)
    }

    /// Notes the facts about a listed tool, and returns its changes in the list.
    fn list(&self, tool: ListedTool<'_>) -> Change {
        let tools = &self.lasting.tools;
        if !tools.is_listed(tool.name) {
            if self.lasting.is_given_out(tool.name) {
                tracing::warn!(
                    tool = tool.name,
                    "the server lists a tool of this name now, by which originals were named before: it is left out, and the name stays Tamis's"
                );
            } else if tool.name == self.read_tool().name {
                self.warn_of_taken_name();
            }
        }
        let mut facts = tools.facts(&tool);
        let chains = self.chains_of(tool.name);
        if chains
            .iter()
            .any(|chain| chain.structured == Some(Structured::Rewrite))
        {
            // Now, and not when the first call waits for it.
            facts.schema();
        }
        let is_pinned = |chain: &&Arc<Chain>| chain.pin_tools == PinTools::Used;
        facts.is_reader = tool.is_read_only
            && chains.iter().any(is_pinned)
            && !self.is_hidden(tool.name)
            && tools.is_reader(tool.name);
        let change = self.change(&facts);
        facts.shown = change.clone();
        tools.show(facts);
        change
    }

    /// The chains with steps that results of a tool may have.
    fn chains_of(&self, tool: &str) -> Vec<&Arc<Chain>> {
        let client = self.lasting.client();
        let piece = self.piece(Surface::Result, tool, client.as_deref());
        let chains = self.chains.all_for(&piece);
        chains.filter(|chain| chain.has_steps()).collect()
    }

    /// Whether the list is without a tool.
    fn is_hidden(&self, tool: &str) -> bool {
        self.gate.refusal(tool).is_some() || self.lasting.is_given_out(tool)
    }

    /// This policy's changes of a tool in the list.
    fn change(&self, facts: &Facts) -> Change {
        if self.is_hidden(&facts.name) {
            return Change {
                hidden: true,
                ..Change::default()
            };
        }
        let chains = self.chains_of(&facts.name);
        let is_text_alone =
            |chain: &&Arc<Chain>| self.wanted_structured(chain, Some(facts)) == Structured::Text;
        Change {
            hidden: false,
            without_output_schema: facts.has_schema() && chains.iter().any(is_text_alone),
            short_input_schema: chains
                .iter()
                .any(|chain| chain.input_schema == InputSchema::Short),
            pinned: chains.iter().any(|chain| chain.pin_tools == PinTools::Used)
                && self.searches_for_tools()
                && self
                    .observer
                    .is_expected(&self.server, &facts.name, facts.is_reader),
            description: self.description(facts),
        }
    }

    /// The description of a tool after the chain that is bound to descriptions. None: it stays.
    fn description(&self, tool: &Facts) -> Option<String> {
        let upstreams = tool.description.as_deref()?;
        let client = self.lasting.client();
        let piece = self.piece(Surface::Description, &tool.name, client.as_deref());
        let chain = self.chains.find(&piece)?;
        // A list is the same for all sessions, and each time.
        let name = &tool.name;
        let mut context = self.context(chain, Surface::Description, name, "{}", None, None);
        context.keep = Arc::clone(&self.keep_in_list);
        shape::filter_text(chain, &context, upstreams).filter(|new| new != upstreams)
    }
}
