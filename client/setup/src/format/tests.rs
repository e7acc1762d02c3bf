//! Tests of changes: an entry that is added and removed again leaves every byte as it was.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Format, FormatError, entry, line_end};

const SERVERS: &[&str] = &["mcpServers"];

fn stdio() -> Value {
    json!({ "type": "stdio", "command": "editctl", "args": ["mcp"] })
}

fn plain() -> Value {
    json!({ "command": "/opt/an \"odd\" path/editctl", "args": ["mcp"] })
}

/// Adds the entry and removes it. Returns the text with the entry.
fn there_and_back(format: Format, text: Option<&str>, path: &[&str], value: &Value) -> String {
    let with = format.insert(text, path, value).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(entry(&format.meaning(&with).unwrap(), path), Some(value), "{with}");
    let given = text.unwrap_or_default();
    assert!(is_kept(given, &with), "{given:?} became {with:?}");
    assert_eq!(with.contains('\r'), given.contains('\r'), "{with:?}");
    assert_eq!(format.remove(&with, path, true).unwrap().as_deref(), text, "from {with:?}");
    let other = json!({ "command": "other" });
    let replaced = format.replace(&with, path, &other).unwrap();
    let again = format.replace(&replaced, path, value).unwrap();
    assert_eq!(format.meaning(&again), format.meaning(&with));
    with
}

/// Returns true if the text has all bytes of another one, in their order.
fn is_kept(given: &str, with: &str) -> bool {
    let mut rest = with.bytes();
    given.bytes().all(|byte| rest.any(|other| other == byte))
}

const JSON: &[&str] = &[
    "",
    "\n",
    "  ",
    "// nothing yet",
    "// nothing yet\n",
    "// nothing yet\r\n",
    "/* nothing */",
    "{}",
    "{}\n",
    "{ }",
    "{  }\n",
    "{\n}",
    "{\n}\n",
    "{\n\n}\n",
    "{\r\n}\r\n",
    "{ /* empty */ }",
    "{ // empty\n}",
    "{\"a\": 1}",
    "{ \"a\": 1 }\n",
    "{\"a\": 1,}",
    "{\"a\":1,\"b\":{\"c\":[1,2,{}]}}",
    "{\n  \"a\": 1\n}\n",
    "{\n\t\"a\": 1, // one\n}\n",
    "{\n\t\"a\": 1 // one\n}\n",
    "{\n    \"a\": 1, /* one */\n    // \"b\": 2,\n}\n",
    "{\"a\": 1 // one\n}",
    "{\r\n  \"a\": \"é\u{2028}🦀\"\r\n}",
    "{\n  \"a\": 1,\n  \"a\": 2\n}\n",
    "{\"mcpServers\": {}}",
    "{\"mcpServers\": { }}",
    "{\"mcpServers\": { /* none */ }}",
    "{\n  \"mcpServers\": {}\n}\n",
    "{\n  \"mcpServers\": {\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    // none\n  }\n}\n",
    "{\r\n\t\"mcpServers\": {\r\n\t}\r\n}\r\n",
    "{\n  \"mcpServers\": {\n    \"b\": {\n      \"command\": \"b\"\n    }\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    \"b\": {\"command\": \"b\"}, // b\n  },\n  \"z\": 1\n}\n",
    "{ \"mcpServers\": { \"b\": {} }, \"z\": 1 }",
    "{ \"z\": 1, \"mcpServers\": { \"b\": {}, }, }",
    "{\n\"mcpServers\":\n{\n\"b\":\n{\n}\n}\n}",
    "{\"\\u006dcpServers\": {\"b\": 1}}",
    "// Settings\n{\n  // Servers\n  \"z\": {}\n  // end\n}\n// after\n",
];

#[test]
fn odd_json_is_kept_byte_for_byte() {
    for text in JSON {
        for value in [stdio(), plain()] {
            there_and_back(Format::Json, Some(text), SERVERS, &value);
        }
    }
    assert_eq!(
        there_and_back(Format::Json, None, SERVERS, &stdio()),
        "{\n  \"mcpServers\": {\n    \"editctl\": {\n      \"type\": \"stdio\",\n      \"command\": \"editctl\",\n      \
         \"args\": [\"mcp\"]\n    }\n  }\n}\n"
    );
}

#[test]
fn an_entry_is_written_like_its_neighbours() {
    let json = |text: &str| there_and_back(Format::Json, Some(text), SERVERS, &plain_name());
    assert_eq!(
        json("{\n\t\"mcpServers\": {\n\t\t\"b\": {}, // b\n\t},\n}\n"),
        "{\n\t\"mcpServers\": {\n\t\t\"b\": {}, // b\n\t\t\"editctl\": {\n\t\t\t\"command\": \"editctl\",\n\t\t\t\"args\": \
         [\"mcp\"]\n\t\t},\n\t},\n}\n"
    );
    assert_eq!(
        json("{\"mcpServers\": {\"b\": {}}}"),
        "{\"mcpServers\": {\"b\": {}, \"editctl\": {\"command\": \"editctl\", \"args\": [\"mcp\"]}}}"
    );
    assert_eq!(
        json("{\n    \"a\": 1 // one\n}\n"),
        "{\n    \"a\": 1, // one\n    \"mcpServers\": {\n        \"editctl\": {\n            \"command\": \"editctl\",\n            \
         \"args\": [\"mcp\"]\n        }\n    }\n}\n"
    );
    let toml = |text: &str| there_and_back(Format::Toml, Some(text), &["mcp_servers"], &plain_name());
    assert_eq!(
        toml("model = \"x\"\n"),
        "model = \"x\"\n\n[mcp_servers.editctl]\ncommand = \"editctl\"\nargs = [\"mcp\"]\n"
    );
}

fn plain_name() -> Value {
    json!({ "command": "editctl", "args": ["mcp"] })
}

#[test]
fn an_entry_that_was_moved_or_formatted_is_removed_alone() {
    let removed = |text: &str| Format::Json.remove(text, SERVERS, true).unwrap().unwrap();
    let cases = [
        ("{\"mcpServers\": {\"editctl\": {\"x\": 1}, \"b\": {}}}", "{\"mcpServers\": {\"b\": {}}}"),
        (
            "{\n  \"mcpServers\": {\n    \"editctl\": {}, // own\n    // b\n    \"b\": {}\n  }\n}\n",
            "{\n  \"mcpServers\": {\n    // own\n    // b\n    \"b\": {}\n  }\n}\n",
        ),
        (
            "{\"mcpServers\": {\n  \"b\": {} // b\n  , \"editctl\": {}}}",
            "{\"mcpServers\": {\n  \"b\": {} // b\n  }}",
        ),
        (
            "{\"mcpServers\": {\n  \"b\": {}, // b\n  \"editctl\": {}}}",
            "{\"mcpServers\": {\n  \"b\": {} // b\n  }}",
        ),
        (
            "{\n  \"mcpServers\": {\n    \"a\": 1,\n\n    \"editctl\": {},\n  }\n}",
            "{\n  \"mcpServers\": {\n    \"a\": 1,\n  }\n}",
        ),
        ("{\"mcpServers\":{\"editctl\":{\"command\":\"x\"}}}", "{\"mcpServers\":{}}"),
    ];
    for (text, expected) in cases {
        assert_eq!(removed(text), expected, "{text}");
    }
    // The entry of somebody else is taken out of a text that setup could have made.
    let made = Format::Json.insert(None, SERVERS, &stdio()).unwrap();
    assert_eq!(
        Format::Json.remove(&made, SERVERS, false).unwrap().unwrap(),
        "{\n  \"mcpServers\": {\n  }\n}\n"
    );
    let toml = |text: &str| Format::Toml.remove(text, &["mcp_servers"], true).unwrap().unwrap();
    assert_eq!(
        toml("a = 1\n\n# own\n[mcp_servers.editctl] # x\ncommand = \"\"\"\n[z]\"\"\" # y\n\n[b]\n"),
        "a = 1\n\n# own\n\n[b]\n"
    );
    assert_eq!(toml("[mcp_servers.editctl]\nargs = [\n 1,\n]\n[b]\nc = 1"), "[b]\nc = 1");
}

#[test]
fn files_without_a_place_for_the_entry_are_refused() {
    let syntax = |format: Format, text: &str, path: &[&str]| match format
        .insert(Some(text), path, &plain())
        .unwrap_err()
    {
        FormatError::Syntax { line, column, .. } => (line, column),
        FormatError::Shape(message) => panic!("{text}: {message}"),
    };
    for (text, place) in [
        ("{\n  \"a\": \n}", (3, 1)),
        ("{\n  \"é\" 1\n}", (2, 7)),
        ("{a: 1}", (1, 2)),
        ("[]", (1, 1)),
        ("{} {}", (1, 4)),
        ("{\"mcpServers\": []}", (1, 16)),
        ("{\"mcpServers\": null}", (1, 16)),
        ("{\"mcpServers\": {},\n \"mcpServers\": {}}", (2, 2)),
    ] {
        assert_eq!(syntax(Format::Json, text, SERVERS), place, "{text}");
    }
    assert_eq!(syntax(Format::Toml, "a = 1\nb = \n", &["mcp_servers"]).0, 2);
    let toml = |text: &str| Format::Toml.insert(Some(text), &["mcp_servers"], &plain()).unwrap_err();
    for text in ["mcp_servers = {}\n", "mcp_servers = 1\n", "[[mcp_servers]]\na = 1\n"] {
        assert!(toml(text).to_string().contains("edit it by hand"), "{text}: {}", toml(text));
    }
    for text in [
        "mcp_servers.editctl.command = \"x\"\n",
        "mcp_servers = { editctl = { command = \"x\" } }\n",
        "[mcp_servers.editctl]\ncommand = \"x\"\n[mcp_servers.other]\na = 1\n[mcp_servers.editctl.env]\na = \"b\"\n",
    ] {
        let refused = Format::Toml.remove(text, &["mcp_servers"], true).unwrap_err();
        assert!(refused.to_string().contains("edit it by hand"), "{text}: {refused}");
    }
    let nested = "a = 1\n\n[mcp_servers.editctl]\ncommand = \"x\"\n[mcp_servers.editctl.env]\nb = \"c\"\n\n[d]\ne = 2\n";
    let removed = Format::Toml.remove(nested, &["mcp_servers"], true).unwrap();
    assert_eq!(removed.as_deref(), Some("a = 1\n\n[d]\ne = 2\n"), "tables of the entry are a part of it");
    let twice = "{\"mcpServers\": {\"editctl\": 1, \"editctl\": 2}}";
    assert!(
        Format::Json.remove(twice, SERVERS, true).is_err()
            && Format::Json.replace(twice, SERVERS, &plain()).is_err()
    );
}

const TOML: &[&str] = &[
    "",
    "\n",
    "  ",
    "# only a comment",
    "# only a comment\n",
    "a = 1",
    "a = 1\n",
    "a = 1\n\n\n",
    "a = 1\r\n[b]\r\nc = \"\"\"x\r\ny\"\"\" # c\r\n",
    "a = 1\r\n",
    "[mcp_servers]\n",
    "[mcp_servers.other]\ncommand = 'x' # é\n\n[mcp_servers.other.env]\nA = \"1\"\n",
    "mcp_servers.other.command = \"x\"\n",
    "[mcp_servers]\nother = { command = \"x\" }",
    "[[profiles]]\na = 1\n[[profiles]]\na = 2\n# end",
    "\t[a] # odd\n  b  =  1979-05-27T07:32:00Z\n",
];

#[test]
fn odd_toml_is_kept_byte_for_byte() {
    for text in TOML {
        there_and_back(Format::Toml, Some(text), &["mcp_servers"], &plain());
    }
    assert_eq!(
        there_and_back(Format::Toml, None, &["mcp_servers"], &plain_name()),
        "[mcp_servers.editctl]\ncommand = \"editctl\"\nargs = [\"mcp\"]\n"
    );
}

/// White space and comments between two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let one = prop::sample::select(vec![
        "",
        "",
        " ",
        "  ",
        "\t",
        "\n",
        "\n  ",
        "\n\t",
        "\n\n",
        "/* é */",
        "// c\n",
        " // }\n  ",
    ]);
    prop::collection::vec(one, 0..3).prop_map(|all| all.concat())
}

fn value() -> impl Strategy<Value = String> {
    let scalar =
        prop::sample::select(vec!["1", "-2.5e3", "\"\"", "\"é \\\" }\"", "null", "true", "[]", "{}"]);
    scalar.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            3 => object(inner.clone(), 4),
            1 => (trivia(), prop::collection::vec((inner, trivia()), 1..3)).prop_map(|(start, items)| {
                let items: Vec<String> = items.into_iter().map(|(item, after)| item + &after).collect();
                format!("[{start}{}]", items.join(","))
            }),
        ]
    })
}

fn object(member: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["a", "b", "é", "mcpServers", "mcpServers", "editctl"]);
    let members = (trivia(), key, trivia(), trivia(), member, trivia());
    let member = members.prop_map(|(before, key, one, two, value, after)| {
        format!("{before}\"{key}\"{one}:{two}{value}{after}")
    });
    (prop::collection::vec(member, 0..most), trivia(), any::<bool>()).prop_map(|(members, end, comma)| {
        let comma = if comma && !members.is_empty() { "," } else { "" };
        format!("{{{}{comma}{end}}}", members.join(","))
    })
}

/// Lines of TOML, in which `N` is another number each time.
fn toml_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "# c",
        "kN = 1",
        "  kN = 'x' # é",
        "[tN]",
        "[mcp_servers.sN]",
        "[[aN]]",
        "kN = \"\"\"x\n[y]\"\"\"",
        "kN = [\n  1, # one\n]",
        "kN = {a = 1, b.c = 2}",
    ]);
    let lines = prop::collection::vec(line, 0..12);
    (lines, any::<bool>(), any::<bool>()).prop_map(|(lines, is_ended, is_crlf)| {
        let numbered = lines.iter().enumerate().map(|(at, line)| line.replace('N', &at.to_string()));
        let text = numbered.collect::<Vec<_>>().join("\n") + if is_ended { "\n" } else { "" };
        if is_crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_kept_byte_for_byte(
        (before, object, after) in (trivia(), object(value(), 5), trivia()),
        crlf in any::<bool>(),
    ) {
        let text = format!("{before}{object}{after}");
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let meaning = Format::Json.meaning(&text).unwrap();
        if entry(&meaning, SERVERS).is_some() {
            // The entry of somebody else: removed alone, or not at all.
            if let Ok(Some(without)) = Format::Json.remove(&text, SERVERS, true) {
                prop_assert!(is_kept(&without, &text), "{:?} became {:?}", text, without);
            }
        } else if Format::Json.insert(Some(&text), SERVERS, &stdio()).is_ok() {
            there_and_back(Format::Json, Some(&text), SERVERS, &stdio());
        }
    }

    #[test]
    fn any_toml_is_kept_byte_for_byte(text in toml_text()) {
        there_and_back(Format::Toml, Some(&text), &["mcp_servers"], &plain());
    }

    #[test]
    fn no_text_causes_a_panic(text in ".*", start in 0..100_usize) {
        for format in [Format::Json, Format::Toml] {
            let _ = format.insert(Some(&text), SERVERS, &stdio());
            let with = format.insert(None, SERVERS, &stdio()).unwrap();
            let _ = format.remove(with.get(start..).unwrap_or_default(), SERVERS, true);
        }
        prop_assert!(["\n", "\r\n"].contains(&line_end(&text)));
    }
}
