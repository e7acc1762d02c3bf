//! Names that Windows reads differently than they are written. It compares text alone and opens nothing.

/// The names of devices, which Windows finds in every folder.
const DEVICES: [&str; 7] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"];

/// The devices that a digit follows.
const PORTS: [&str; 2] = ["COM", "LPT"];

/// Returns the reason why one name of a path could mean something else on Windows; `None` for an ordinary name.
pub fn why_misread(name: &[u8]) -> Option<&'static str> {
    let Ok(name) = std::str::from_utf8(name) else { return Some("it is not UTF-8") };
    if name.contains('\\') {
        return Some("names are separated by /");
    }
    if name.contains(':') {
        return Some("a colon names a drive or a stream of a file");
    }
    if name.contains(|one: char| one.is_control() || matches!(one, '*' | '?' | '"' | '<' | '>' | '|')) {
        return Some("it has a character that no name has there");
    }
    if name.ends_with(['.', ' ']) && name != ".." {
        return Some("a dot or space at its end is ignored there");
    }
    is_device(name).then_some("it is the name of a device")
}

/// Returns true for the name of a device, also with an ending.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_ascii_uppercase();
    let is_port = |port: &str| {
        let mut number = stem.strip_prefix(port).unwrap_or_default().chars();
        number.next().is_some_and(|digit| digit.is_ascii_digit() || matches!(digit, '¹' | '²' | '³'))
            && number.next().is_none()
    };
    DEVICES.contains(&stem.as_str()) || PORTS.into_iter().any(is_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_another_meaning_on_windows_are_found() {
        let misread = [
            "NUL",
            "nul.txt",
            "Con",
            "aux .c",
            "COM1",
            "com\u{b9}.log",
            "LPT9.x.y",
            "conin$",
            "a.",
            "a ",
            "a.txt:s",
            "C:",
            "a\\b",
            "a*",
            "what?",
            "a\u{1}",
            "<a>",
            "...",
        ];
        for name in misread {
            assert!(why_misread(name.as_bytes()).is_some(), "{name:?}");
        }
        assert!(why_misread(b"a\xff").is_some());
    }

    #[test]
    fn ordinary_names_are_left_alone() {
        for name in
            ["a.txt", ".git", "nullable.rs", "COM", "COM10", "com.rs", "console", "a b", "..", "é", "LPT.txt"]
        {
            assert_eq!(why_misread(name.as_bytes()), None, "{name:?}");
        }
    }
}
