//! Compares WIRE.md and its samples with the code: every example byte for byte, and the names of all fields, limits and
//! codes. `BLESS=1` rewrites the numbers and the bytes of the examples.

use std::collections::BTreeSet;
use std::fmt::{Debug, Write as _};

use editd_proto::codec::{Frame, Framing, Message, encode};
use editd_proto::operation::OPERATIONS;
use editd_proto::{ErrorCode, limits};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::messages::{self, MessageVisitor};

const DOCUMENT: &str = include_str!("../../WIRE.md");
const SAMPLES: &str = include_str!("../../WIRE-SAMPLES.md");

/// An example of the document, with its place there.
struct Example<'d> {
    side: &'d str,
    json: &'d str,
    /// The text in front of it, back to the example above.
    before: &'d str,
}

/// Returns the ```` ```json SIDE ```` blocks of the document, and the text below the last one.
fn examples(document: &str) -> (Vec<Example<'_>>, &str) {
    let mut examples = Vec::new();
    let mut rest = document;
    while let Some((before, after)) = rest.split_once("```json ") {
        let (side, after) = after.split_once('\n').unwrap();
        let (json, after) = after.split_once("```\n").unwrap();
        examples.push(Example { side, json, before });
        rest = after;
    }
    (examples, rest)
}

/// Returns the document and its samples with the numbers and bytes that they must have. Each example stands below a line
/// with its number and a link to its bytes; the line is added if it is missing.
fn corrected(document: &str, samples: &str) -> (String, String) {
    let (examples, end) = examples(document);
    let (mut page, mut bytes) = (String::new(), samples.split("\n## ").next().unwrap().to_owned());
    for (number, example) in (1..).zip(&examples) {
        let Example { side, json, before } = example;
        let kind = kind_of(json);
        let text = match before.trim_end().rsplit_once('\n') {
            Some((text, caption)) if caption.starts_with("[Example ") => text.trim_end(),
            _ => before.trim_end(),
        };
        let gap = if text.is_empty() { "\n" } else { "\n\n" };
        let caption = format!("[Example {number}](WIRE-SAMPLES.md#{number}-{kind}-{side}), {side}:");
        write!(page, "{text}{gap}{caption}\n\n```json {side}\n{json}```\n").unwrap();
        let hex = written(&frame(example));
        write!(bytes, "\n## {number}: `{kind}`, {side}\n\n```hex\n{hex}```\n").unwrap();
    }
    (page + end, bytes)
}

/// The `kind` of a message in JSON.
fn kind_of(json: &str) -> String {
    let message: Map<String, Value> = serde_json::from_str(json).unwrap();
    message["kind"].as_str().unwrap().to_owned()
}

fn written(frame: &[u8]) -> String {
    let mut out = String::new();
    for line in frame.chunks(16) {
        let bytes: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let text: String =
            line.iter().map(|&b| if (b' '..=b'~').contains(&b) { char::from(b) } else { '.' }).collect();
        writeln!(out, "{:<47}  |{text}|", bytes.join(" ")).unwrap();
    }
    out
}

/// Returns the frame of an example. Reading its JSON must lose nothing, and its bytes must decode to the same value, as
/// must its JSON as a line.
fn frame_of<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    line: &Message,
    kind: &str,
    body: &Value,
) -> Vec<u8> {
    let id = line.id();
    let typed: T = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(&serde_json::to_value(&typed).unwrap(), body, "a field of an example is unknown or missing");
    let frame = encode(id, kind, &typed).unwrap();
    let message = Message::parse(Frame::from_bytes(frame[4..].to_vec())).unwrap();
    assert_eq!((message.id(), message.kind()), (id, kind));
    assert_eq!(message.body::<T>().unwrap(), typed);
    assert_eq!(line.kind(), kind);
    assert_eq!(line.body::<T>().unwrap(), typed, "as a line");
    let written = Framing::Lines.encode(id, kind, &typed).unwrap();
    let written = Framing::Lines.parse(Frame::from_bytes(written)).unwrap();
    assert_eq!(written.body::<Value>().unwrap(), line.body::<Value>().unwrap(), "as a line");
    frame
}

fn frame(example: &Example<'_>) -> Vec<u8> {
    let mut body: Map<String, Value> = serde_json::from_str(example.json).unwrap();
    let line = Frame::from_bytes(example.json.replace('\n', " ").into_bytes());
    let line = Framing::Lines.parse(line).unwrap();
    assert_eq!(body.shift_remove("id").unwrap().as_u64().unwrap(), line.id());
    let kind = body.shift_remove("kind").unwrap().as_str().unwrap().to_owned();
    let body = Value::Object(body);
    let mut asked = ExampleFrame { side: example.side, kind: &kind, line: &line, body: &body, frame: None };
    messages::visit(&mut asked);
    asked.frame.unwrap_or_else(|| panic!("messages.rs lacks {kind:?} of the {}", example.side))
}

/// An example, and its frame as soon as its type was found in the list of messages.
struct ExampleFrame<'e> {
    side: &'e str,
    kind: &'e str,
    line: &'e Message,
    body: &'e Value,
    frame: Option<Vec<u8>>,
}

impl MessageVisitor for ExampleFrame<'_> {
    fn take<T>(&mut self, side: &str, kind: &str, _: &T)
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        if self.frame.is_none() && (side, kind) == (self.side, self.kind) {
            self.frame = Some(frame_of::<T>(self.line, self.kind, self.body));
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`BLESS=1` rewrites the pages")]
fn every_example_is_what_the_encoder_writes() {
    let count = examples(DOCUMENT).0.len();
    assert!(count >= 24, "only {count} examples were found");
    let (page, bytes) = corrected(DOCUMENT, SAMPLES);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/WIRE.md"), page).unwrap();
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/WIRE-SAMPLES.md"), bytes).unwrap();
        return;
    }
    for (is, must) in [(DOCUMENT, page), (SAMPLES, bytes)] {
        let differ = is.lines().zip(must.lines()).find(|(is, must)| is != must);
        assert_eq!(differ, None, "BLESS=1 corrects the numbers and bytes of examples");
        assert_eq!(is, must, "BLESS=1 corrects the numbers and bytes of examples");
    }
}

#[test]
fn a_new_example_gets_its_number_and_its_bytes() {
    let stop = "```json client\n{\"id\": 1, \"kind\": \"status\"}\n```\n";
    let caption =
        |number: u8| format!("[Example {number}](WIRE-SAMPLES.md#{number}-status-client), client:\n\n");
    let old = format!("# Wire\n\nText.\n\n{}{stop}\nEnd.\n", caption(1));
    let new = format!("# Wire\n\nNew.\n\n{stop}\nText.\n\n{}{stop}\nEnd.\n", caption(1));
    let (page, bytes) = corrected(&old, "# Samples\n");
    assert_eq!(page, old);
    let (page, bytes_of_both) = corrected(&new, &bytes);
    assert_eq!(
        page,
        format!("# Wire\n\nNew.\n\n{}{stop}\nText.\n\n{}{stop}\nEnd.\n", caption(1), caption(2))
    );
    assert_eq!(bytes_of_both.replace("## 2", "## 1"), format!("{bytes}{}", &bytes["# Samples\n".len()..]));
}

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                found.insert(key.clone());
                keys(value, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

/// Returns the section of the document about a kind.
fn section<'a>(document: &'a str, kind: &str) -> &'a str {
    let (_, after) =
        document.split_once(&format!("\n## `{kind}`\n")).unwrap_or_else(|| panic!("no section about {kind}"));
    after.split_once("\n## ").map_or(after, |(section, _)| section)
}

/// Checks that the section about each message names its fields.
struct NamedFields;

impl MessageVisitor for NamedFields {
    fn take<T>(&mut self, _: &str, kind: &str, message: &T)
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        let section = section(DOCUMENT, kind);
        let words: BTreeSet<&str> = section.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let mut fields = BTreeSet::new();
        keys(&json(message), &mut fields);
        for field in fields {
            assert!(words.contains(field.as_str()), "`{field}` is not named in the section about {kind}");
        }
    }
}

fn strip(value: &mut Value, key: &str) {
    match value {
        Value::Object(map) => {
            if let Some(inner) = map.get_mut(key) {
                *inner = Value::Null;
            }
            map.values_mut().for_each(|value| strip(value, key));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| strip(value, key)),
        _ => {}
    }
}

#[test]
fn every_field_is_named_in_its_section() {
    messages::visit(&mut NamedFields);
}

/// Returns a message as JSON without its paths. A path that is not text must be written as `{"bytes": …}`, which is
/// described under Types. The fields of an error within a receipt are described once, in the section about errors.
fn json<T: Serialize>(message: &T) -> Value {
    let mut value = serde_json::to_value(message).unwrap();
    strip(&mut value, "path");
    strip(&mut value, "paths");
    strip(&mut value, "origin");
    strip(&mut value, "to");
    strip(&mut value, "error");
    value
}

#[test]
fn every_limit_is_named_with_its_value() {
    let source = concat!(
        include_str!("../../src/limits.rs"),
        include_str!("../../../daemon/engine/types/src/limits.rs")
    );
    let values: [(&str, u64); 30] = [
        ("FRAME_BEFORE_HELLO", limits::FRAME_BEFORE_HELLO as u64),
        ("FRAME", limits::FRAME as u64),
        ("DEPTH", limits::DEPTH as u64),
        ("COUNT", limits::COUNT as u64),
        ("VALUES", limits::VALUES as u64),
        ("PATH", limits::PATH as u64),
        ("NAME", limits::NAME as u64),
        ("MARK", limits::MARK as u64),
        ("FILES", limits::FILES as u64),
        ("EDITS", limits::EDITS as u64),
        ("FILE", limits::FILE as u64),
        ("CLIPBOARD", limits::CLIPBOARD as u64),
        ("CLIPBOARDS", limits::CLIPBOARDS as u64),
        ("CLIPBOARDS_BYTES", limits::CLIPBOARDS_BYTES as u64),
        ("CLIPBOARDS_OF_SESSION", limits::CLIPBOARDS_OF_SESSION as u64),
        ("CLIPBOARDS_BYTES_OF_SESSION", limits::CLIPBOARDS_BYTES_OF_SESSION as u64),
        ("CLIPBOARDS_SHARED", limits::CLIPBOARDS_SHARED as u64),
        ("CLIPBOARDS_BYTES_SHARED", limits::CLIPBOARDS_BYTES_SHARED as u64),
        ("DIFF", limits::DIFF as u64),
        ("PLACES_LISTED", limits::PLACES_LISTED as u64),
        ("CANDIDATES", limits::CANDIDATES as u64),
        ("NEAR_MISSES", limits::NEAR_MISSES as u64),
        ("NEAR_MISS_LINES", limits::NEAR_MISS_LINES as u64),
        ("OTHER_ERRORS", limits::OTHER_ERRORS as u64),
        ("READING_LINES", limits::READING_LINES as u64),
        ("SYMBOLS", limits::SYMBOLS as u64),
        ("SYMBOLS_LISTED", limits::SYMBOLS_LISTED as u64),
        ("ISSUES", limits::ISSUES as u64),
        ("HISTORY", limits::HISTORY as u64),
        ("NEAR_WINDOW", limits::NEAR_WINDOW),
    ];
    for (name, value) in values {
        assert!(DOCUMENT.contains(&format!("| `{name}` | {value} |")), "{name} is {value}");
    }
    let declared: BTreeSet<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub const ")?.split(':').next())
        .filter(|name| !["PROTOCOLS", "FRAME_HEADER", "OUTLINE"].contains(name))
        .collect();
    assert_eq!(declared, values.iter().map(|(name, _)| *name).collect(), "a limit that is not listed here");
}

#[test]
fn every_code_is_named() {
    let source = include_str!("../../../daemon/engine/types/src/error.rs");
    let (_, body) = source.split_once("pub enum ErrorCode {").unwrap();
    let (body, _) = body.split_once("\n}").unwrap();
    let names = body.lines().filter_map(|line| line.trim().strip_suffix(','));
    let mut count = 0;
    for name in names.filter(|name| *name != "Unknown") {
        let snake: String = name
            .chars()
            .enumerate()
            .flat_map(|(at, c)| {
                let bar = (at > 0 && c.is_uppercase()).then_some('_');
                bar.into_iter().chain(c.to_lowercase())
            })
            .collect();
        let code: ErrorCode = serde_json::from_value(Value::String(snake.clone())).unwrap();
        assert_ne!(code, ErrorCode::Unknown, "{snake}");
        assert!(section(DOCUMENT, "error").contains(&format!("| `{snake}` |")), "{snake}");
        count += 1;
    }
    assert_eq!(count, 28);
}

#[test]
fn the_edit_language_shows_every_operation() {
    let page = include_str!("../../../daemon/docs/edit-language.md");
    let blocks: Vec<&str> = page.split("```text operation\n").skip(1).collect();
    assert_eq!(blocks.len(), OPERATIONS.len());
    for (operation, block) in OPERATIONS.iter().zip(blocks) {
        let (shown, help) = (block.split_once("```").unwrap().0, operation.help());
        assert_eq!(shown, help, "the page must say\n{help}");
        assert!(page.contains(&format!("\n### `{}`\n", operation.name)), "{}", operation.name);
    }
}
