//! The edit tools of current agents and servers: `claude-code`, `opencode`, `gemini`, `mcp-filesystem` and `serena`.
//! A dialect here is a table of its tools, of their fields by meaning, and of its phrases. One module for all of them
//! translates the meanings into native edits. It finds no place in a file.
//!
//! *Recognition*: by the name of the tool where the payload is a call, else by the fields. Some tools of different
//! agents have the same fields (`{file_path, old_string, new_string}`); such a payload belongs to the first dialect
//! that has the tool, and only the wording of the reply depends on that.
//!
//! *Sequences*: the edits of a list (`MultiEdit`, `edit_file`) are stages: each is located in the result of the one
//! before it, as these tools do it.
//!
//! *Declared*: a text with several places is refused, even if the tool would take the first one; an empty old text
//! creates a missing file or fills an empty one, and is refused for a file with content; an old text is found by the
//! ladder; the lines of Serena are counted from 0, as Serena does.

mod arguments;
mod claude_code;
mod gemini;
mod mcp_filesystem;
mod opencode;
mod phrases;
mod reply;
mod serena;
mod table;
mod translate;

pub(super) use table::{ALL, called};

#[cfg(test)]
mod tests;
