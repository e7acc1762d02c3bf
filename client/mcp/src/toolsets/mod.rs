//! The tool sets: the tools of `editctl mcp` itself, and those of agent runtimes, with their names, arguments and words.
//! Each set is a table; a call is carried out by the daemon's dialect of the same name, or read here.
//!
//! *To add a set*: add a module with a `ToolSet`, and a line in [`ALL`]. Its dialect must be in the daemon.

mod claude_code;
mod codex;
mod gemini;
mod mcp_filesystem;
mod native;
mod opencode;
mod schema;
mod serena;
mod text_editor;

use crate::tools::ToolSet;

/// The sets. The first one is used if none is chosen.
const ALL: [&ToolSet; 8] = [
    &native::SET,
    &claude_code::SET,
    &codex::SET,
    &gemini::SET,
    &opencode::SET,
    &text_editor::SET,
    &serena::SET,
    &mcp_filesystem::SET,
];

/// Returns the names of the sets that can be chosen.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().skip(1).map(|set| set.name)
}

/// Returns every set.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = &'static ToolSet> {
    ALL.into_iter()
}

/// Returns the set with a name; without one, that of `editctl mcp` itself.
pub(crate) fn named(name: Option<&str>) -> &'static ToolSet {
    ALL.into_iter().find(|set| Some(set.name) == name).unwrap_or(&native::SET)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

    use serde_json::Value;

    use super::ALL;

    #[test]
    fn the_names_of_a_set_are_short_and_differ() {
        for set in ALL {
            let mut names: Vec<&str> = set.tools.iter().map(|tool| tool.name).collect();
            assert!(names.iter().all(|name| name.len() <= 34), "{names:?}");
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), set.tools.len(), "{}", set.name);
        }
    }

    #[test]
    fn the_required_fields_are_in_the_schema() {
        for tool in ALL.iter().flat_map(|set| set.tools) {
            let schema = (tool.schema)();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            for field in required {
                assert!(schema["properties"][field.as_str().unwrap()].is_object(), "{}: {field}", tool.name);
            }
        }
    }

    #[test]
    fn the_next_call_of_a_set_is_one_of_its_tools() {
        for set in ALL {
            let (name, arguments) = set.words.read.split_once(' ').unwrap();
            let tool = set.tools.iter().find(|tool| tool.name == name).unwrap();
            let arguments: Value = serde_json::from_str(&format!("{arguments}\"f\"}}")).unwrap();
            for (field, value) in arguments.as_object().unwrap() {
                assert!((tool.schema)()["properties"][field].is_object(), "{}: {field}", set.name);
                assert!(value == "f" || value == "view", "{}: {value}", set.name);
            }
        }
    }
}
