//! The rules of clipboards: the owner of a name, and the limits on names and contents. Pure; the store keeps them.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits;

/// Returns the session that owns a clipboard: "" for a name that begins with `/`.
pub fn owner<'a>(session: &'a str, name: &str) -> &'a str {
    if name.starts_with('/') { "" } else { session }
}

/// Checks the name of a clipboard.
///
/// # Errors
/// `malformed` for an empty name, one over [`limits::NAME`] bytes, or one with control characters.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    let wrong = if name.is_empty() || name == "/" {
        "is empty"
    } else if name.len() > limits::NAME {
        "is too long"
    } else if name.chars().any(char::is_control) {
        "has control characters"
    } else {
        return Ok(());
    };
    let shown: String = name.chars().take(40).flat_map(char::escape_default).collect();
    Err(Box::new(RequestError::new(
        ErrorCode::Malformed,
        format!("the clipboard name \"{shown}\" {wrong}; use 1 to {} bytes of text", limits::NAME),
    )))
}

/// Checks the content of a clipboard.
///
/// # Errors
/// `too_large` above [`limits::CLIPBOARD`] bytes.
pub fn check_size(name: &str, bytes: usize) -> Result<(), Refusal> {
    if bytes <= limits::CLIPBOARD {
        return Ok(());
    }
    let mut error = RequestError::new(
        ErrorCode::TooLarge,
        format!("clipboard {name:?} would have {bytes} bytes; the limit is {}", limits::CLIPBOARD),
    );
    error.limit = Some(limits::CLIPBOARD as u64);
    Err(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_slash_makes_a_name_the_workspaces() {
        assert_eq!(owner("s", "cut"), "s");
        assert_eq!(owner("s", "/cut"), "");
    }

    #[test]
    fn names_are_bounded_text() {
        for bad in ["", "/", "a\nb", &"x".repeat(limits::NAME + 1)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
        assert!(check_name("/shared name").is_ok());
        assert!(check_size("a", limits::CLIPBOARD).is_ok());
        assert!(check_size("a", limits::CLIPBOARD + 1).is_err());
    }
}
