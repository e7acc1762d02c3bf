//! The plugin by which opencode runs `editctl hook`: a file of its own.

use crate::format::FormatError;

const TEXT: &str = include_str!("plugin.js");
/// The command in `TEXT`.
const COMMAND: &str = r#"["editctl", "hook", "opencode"]"#;

/// Returns true if setup writes such a file, perhaps in another version or on another machine.
pub(crate) fn is_own(text: &str) -> bool {
    text.lines().next() == TEXT.lines().next()
}

/// Returns the file with a program; `None` if the text is that file. An older one is replaced.
///
/// # Errors
/// Setup did not write the text.
pub(crate) fn insert(text: Option<&str>, program: &str) -> Result<Option<String>, FormatError> {
    if text.is_some_and(|text| !is_own(text)) {
        return Err(FormatError::Shape("setup did not write this file; rename it or remove it".to_owned()));
    }
    let command = serde_json::json!([program, "hook", "opencode"]);
    let new = TEXT.replace(COMMAND, &command.to_string());
    Ok((text != Some(new.as_str())).then_some(new))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_runs_the_program() {
        let text = insert(None, "C:\\bin\\editctl.exe").unwrap().unwrap();
        assert!(text.contains(r#"const COMMAND = ["C:\\bin\\editctl.exe","hook","opencode"];"#), "{text}");
        assert_eq!(insert(Some(&text), "C:\\bin\\editctl.exe"), Ok(None));
        assert!(is_own(&text) && insert(Some(&text), "editctl").unwrap().is_some());
    }

    #[test]
    fn the_file_of_somebody_else_is_left_alone() {
        assert!(!is_own("export const Mine = async () => ({});\n"));
        insert(Some("export const Mine = async () => ({});\n"), "editctl").unwrap_err();
        insert(Some(""), "editctl").unwrap_err();
    }
}
