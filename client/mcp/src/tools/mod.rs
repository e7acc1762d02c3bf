//! The tools: the entry of each with its schema and its action, and the sets in which they are offered. The modules here
//! carry out calls; the modules of `toolsets` have the tables.

mod blank;
pub(crate) mod edit;
pub(crate) mod history;
pub(crate) mod lines;
pub(crate) mod numbers;
pub(crate) mod payload;
pub(crate) mod read;
pub(crate) mod undo;

use std::sync::Arc;

use editctl::show::{CallWords, OutputStyle};
use editd_proto::ErrorCode;
use editd_proto::message::Receipt;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

use crate::context::{CallContext, CallRefusal, CallTarget};
use crate::reply::ToolReply;
use crate::words;
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
    /// The runtime's words for a file to read that does not exist, with `{path}`.
    pub(crate) missing: Option<&'static str>,
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

impl ToolSet {
    /// Returns true if a tool has a name: its own, or that of a field or of a value that it takes.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name || schema_has(&(tool.schema)(), name))
    }
}

/// Returns true if a schema, or one in it, has a field or a value with a name.
fn schema_has(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Object(parts) => parts.iter().any(|(key, part)| match (key.as_str(), part) {
            ("properties", Value::Object(fields)) => {
                fields.contains_key(name) || fields.values().any(|field| schema_has(field, name))
            }
            ("enum", Value::Array(values)) => values.iter().any(|value| value == name),
            _ => schema_has(part, name),
        }),
        _ => false,
    }
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
        let reply = reply.unwrap_or_else(|CallRefusal(mut refusal)| {
            words::refusal(&mut refusal, &|name| self.set.has(name));
            let mut reply = ToolReply::refused(&refusal, &self.style());
            if let (ErrorCode::Missing, Some(words), Some(path)) =
                (refusal.code, self.set.missing, &refusal.path)
            {
                reply.text = words.replace("{path}", &path.to_string());
            }
            reply
        });
        // The receipt of a job has them already.
        let late = if self.tool.looks { self.context.late_checks() } else { Vec::new() };
        reply.with_checks(&late, &self.style())
    }

    /// Returns the receipt of a job in the words of the set, and with the lines that have moved.
    pub(crate) fn receipt(&self, target: &CallTarget<'_>, mut receipt: Receipt) -> Receipt {
        numbers::show_present(target, &mut receipt);
        words::receipt(&mut receipt, &|name| self.set.has(name));
        receipt
    }

    /// Returns the options of a reply.
    pub(crate) fn style(&self) -> OutputStyle {
        OutputStyle::for_tools(self.set.words)
    }
}
