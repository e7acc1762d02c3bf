//! The tools: their schemas, and what a call does. Each tool has its own file; the schemas together take at most 700
//! tokens, since a runtime sends them to the model with every request.

mod edit;
mod history;
mod read;
mod undo;

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

use crate::context::{CallContext, CallRefusal};
use crate::reply::ToolReply;

/// A tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ToolKind {
    Read,
    Edit,
    Undo,
    History,
}

impl ToolKind {
    /// All tools, in the order in which they are listed.
    pub(crate) const ALL: [Self; 4] = [Self::Read, Self::Edit, Self::Undo, Self::History];

    /// Returns the name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Undo => "undo",
            Self::History => "history",
        }
    }

    /// Returns the description for runtimes.
    pub(crate) fn describe(&self) -> Tool {
        let (description, schema) = match self {
            Self::Read => (read::DESCRIPTION, read::schema()),
            Self::Edit => (edit::DESCRIPTION, edit::schema()),
            Self::Undo => (undo::DESCRIPTION, undo::schema()),
            Self::History => (history::DESCRIPTION, history::schema()),
        };
        let schema = match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        let looks = matches!(self, Self::Read | Self::History);
        let mut tool = Tool::new(self.name(), description, Arc::new(schema));
        tool.annotations = Some(
            ToolAnnotations::new().read_only(looks).destructive(!looks).idempotent(looks).open_world(false),
        );
        tool
    }
}

/// Carries out a call.
pub(crate) fn call(
    tool: ToolKind,
    context: &CallContext,
    arguments: Map<String, Value>,
) -> Result<ToolReply, CallRefusal> {
    match tool {
        ToolKind::Read => read::call(context, arguments),
        ToolKind::Edit => edit::call(context, arguments),
        ToolKind::Undo => undo::call(context, arguments),
        ToolKind::History => history::call(context, arguments),
    }
}
