//! The tools: the entry of each with its schema and its action, and the sets in which they are offered. The modules here
//! carry out calls; the modules of `toolsets` have the tables.

pub(crate) mod edit;
pub(crate) mod history;
pub(crate) mod lines;
pub(crate) mod payload;
pub(crate) mod read;
pub(crate) mod undo;

use std::sync::Arc;

use editctl::show::{CallWords, OutputStyle};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

use crate::context::{CallContext, CallRefusal};
use crate::reply::ToolReply;
use payload::PathField;

/// The result of a call.
pub(crate) type CallResult = Result<ToolReply, CallRefusal>;

/// The tools that a server offers together.
pub(crate) struct ToolSet {
    /// The name, as `--as` takes it.
    pub(crate) name: &'static str,
    /// The dialect of the daemon that has the same tools.
    pub(crate) dialect: &'static str,
    /// The words with which replies name the next call.
    pub(crate) words: CallWords,
    /// The tools, in the order in which they are listed.
    pub(crate) tools: &'static [ToolEntry],
}

/// A tool.
pub(crate) struct ToolEntry {
    /// The name.
    pub(crate) name: &'static str,
    /// The description for the model.
    pub(crate) description: &'static str,
    /// Returns the schema of the arguments.
    pub(crate) schema: fn() -> Value,
    /// Set if a call changes nothing.
    pub(crate) looks: bool,
    /// The action of a call.
    pub(crate) action: ToolAction,
}

/// The action of a call.
pub(crate) enum ToolAction {
    /// Carries out the call.
    Run(fn(&ToolCall<'_>, Map<String, Value>) -> CallResult),
    /// Sends the call to the daemon as a payload of the set's dialect.
    Payload(&'static [PathField]),
    /// The same; the reply shows the change as a diff.
    PayloadWithDiff(&'static [PathField]),
}

/// A call of a tool.
#[derive(Clone, Copy)]
pub(crate) struct ToolCall<'c> {
    /// The workspaces and the session.
    pub(crate) context: &'c CallContext,
    /// The set.
    pub(crate) set: &'static ToolSet,
    /// The tool.
    pub(crate) tool: &'static ToolEntry,
}

impl ToolEntry {
    /// Returns the description for runtimes.
    pub(crate) fn describe(&self) -> Tool {
        let schema = match (self.schema)() {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        let looks = self.looks;
        let mut tool = Tool::new(self.name, self.description, Arc::new(schema));
        tool.annotations = Some(
            ToolAnnotations::new().read_only(looks).destructive(!looks).idempotent(looks).open_world(false),
        );
        tool
    }
}

impl ToolCall<'_> {
    /// Carries out the call.
    pub(crate) fn run(&self, arguments: Map<String, Value>) -> ToolReply {
        let reply = match self.tool.action {
            ToolAction::Run(run) => run(self, arguments),
            ToolAction::Payload(paths) => payload::call(self, paths, arguments, false),
            ToolAction::PayloadWithDiff(paths) => payload::call(self, paths, arguments, true),
        };
        let reply = reply.unwrap_or_else(|refusal| ToolReply::refused(&refusal.0, &self.style()));
        // The receipt of a job has them already.
        let late = if self.tool.looks { self.context.late_checks() } else { Vec::new() };
        reply.with_checks(&late, &self.style())
    }

    /// Returns the options of a reply.
    pub(crate) fn style(&self) -> OutputStyle {
        OutputStyle::for_tools(self.set.words)
    }
}
