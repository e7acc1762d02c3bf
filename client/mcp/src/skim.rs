//! Finds out what a message is about that cannot be parsed as a whole, since it is too long or is not JSON. Pure.

use rmcp::model::RequestId;

/// The most bytes of a field name or of a value that are kept.
const KEPT: usize = 256;

/// The known facts about a message. Its bytes are fed in parts, and use no memory.
#[derive(Default)]
pub(crate) struct MessageSkim {
    /// The id, if it is a number or a text.
    pub(crate) id: Option<RequestId>,
    /// Set if the message has an id, which may be of another kind.
    pub(crate) has_id: bool,
    /// The method.
    pub(crate) method: Option<String>,
    /// Set if the message is a reply.
    pub(crate) is_reply: bool,
    depth: u32,
    in_text: bool,
    is_escaped: bool,
    /// The name of the field whose value comes.
    field: Option<Vec<u8>>,
    /// The bytes of a name or of a value so far.
    part: Vec<u8>,
}

impl MessageSkim {
    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.take(*byte));
    }

    fn take(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => {
                self.end_of_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_of_value(),
            b':' if self.depth == 1 => {
                let field = std::mem::take(&mut self.part);
                self.is_reply |= matches!(field.as_slice(), b"\"result\"" | b"\"error\"");
                self.field = Some(field);
            }
            b' ' | b'\t' | b'\r' => {}
            _ => {
                self.in_text = byte == b'"';
                self.keep(byte);
            }
        }
    }

    /// Keeps a byte of a field of the message itself.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.part.len() < KEPT {
            self.part.push(byte);
        }
    }

    fn end_of_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        let value = std::mem::take(&mut self.part);
        match self.field.take().as_deref() {
            Some(b"\"id\"") if !self.has_id => {
                self.has_id = true;
                self.id = serde_json::from_slice(&value).ok();
            }
            Some(b"\"method\"") => self.method = serde_json::from_slice(&value).ok(),
            _ => {}
        }
    }
}

/// Returns the first escape in the texts of a line that is half of a surrogate pair.
pub(crate) fn half_of_a_pair(line: &[u8]) -> Option<String> {
    let unit_at = |at: usize| {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(digits).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut at = 0;
    while at < line.len() {
        match (line.get(at), unit_at(at)) {
            (Some(b'\\'), Some(0xd800..=0xdbff)) if matches!(unit_at(at + 6), Some(0xdc00..=0xdfff)) => {
                at += 12;
            }
            (Some(b'\\'), Some(half @ 0xd800..=0xdfff)) => return Some(format!("\\u{half:04x}")),
            (Some(b'\\'), _) => at += 2,
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::{MessageSkim, half_of_a_pair};

    #[test]
    fn the_id_is_found_at_any_place_of_the_message() {
        for (line, id, method) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"id":8}}"#, Some(7), Some("a")),
            (r#"{"method":"a","params":{"x":["}",{"id":8,"y":"\""}]},"id": 7 }"#, Some(7), Some("a")),
            (r#"{"params":"\"id\":8,","id":7,"method":"a","x":"#, Some(7), Some("a")),
            (r#"{"id":7"#, None, None),
            (r#"[{"id":7}]"#, None, None),
            (r#""id":7,"#, None, None),
        ] {
            for size in [1, 5, line.len()] {
                let mut skim = MessageSkim::default();
                line.as_bytes().chunks(size).for_each(|part| skim.feed(part));
                assert_eq!(skim.id, id.map(RequestId::Number), "{line}");
                assert_eq!(skim.method.as_deref(), method, "{line}");
            }
        }
    }

    #[test]
    fn a_long_value_uses_no_memory() {
        let mut skim = MessageSkim::default();
        skim.feed(b"{\"id\":\"");
        (0..1000).for_each(|_| skim.feed(&[b'x'; 1000]));
        assert!(skim.part.capacity() <= 2 * super::KEPT, "{}", skim.part.capacity());
        skim.feed(b"\",\"method\":\"a\"}");
        assert!(skim.has_id && skim.id.is_none() && skim.method.is_some());
    }

    #[test]
    fn half_of_a_pair_is_named() {
        for (line, half) in [
            (r#""\ud83d\ude00""#, None),
            (r#""\\ud83d""#, None),
            (r#""\\\ud83d""#, Some("\\ud83d")),
            (r#""\uD83Dx""#, Some("\\ud83d")),
            (r#""\ude00""#, Some("\\ude00")),
            (r#""\ud83d\ud83d\ude00""#, Some("\\ud83d")),
            (r#""\u00e4\u12""#, None),
        ] {
            assert_eq!(half_of_a_pair(line.as_bytes()).as_deref(), half, "{line}");
        }
    }
}
