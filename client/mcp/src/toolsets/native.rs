//! The tools of `editctl mcp` itself. Their schemas together take at most 700 tokens.

use editctl::show::CallWords;

use crate::tools::ToolSet;
use crate::tools::edit::EDIT;
use crate::tools::history::HISTORY;
use crate::tools::read::READ;
use crate::tools::undo::UNDO;

/// The set.
pub(super) static SET: ToolSet = ToolSet {
    name: "editctl",
    dialect: "",
    words: CallWords {
        read: "read {\"path\": ",
        narrow: Some(
            "quote more of the text, or if it is replaced limit it with \"lines\" or set \"all\": true",
        ),
    },
    missing: None,
    tools: &[READ, EDIT, UNDO, HISTORY],
};
