//! The transcript of a session through the official Python SDK, with the tokens of each message: `tests/TRANSCRIPT.md` has
//! it. `BLESS=1` writes the page again.

use std::fmt::Write;
use std::fs;

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;
use serde_json::Value;

const PAGE: &str = "tests/TRANSCRIPT.md";

const HEAD: &str = "# A session of an agent\n\n\
    This page has the messages of a session between the official MCP client for Python and `editctl mcp`, with the tokens that a model\n\
    pays for them. `BLESS=1 cargo test -p editd-tests --test suite transcript` writes it.\n\n\
    The session reads two files, edits three with one call, has an edit merged with a change that another program made meanwhile,\n\
    gets a refusal, looks at its first job, and takes back one hunk of it. Tokenizer: o200k_base (crate tiktoken-rs). A call\n\
    counts as the JSON of its arguments, a reply as its text.\n";

/// Returns the page for the messages of a session, one line of JSON each.
fn page(messages: &str) -> String {
    let tokenizer = tiktoken_rs::o200k_base().unwrap();
    let tokens = |text: &str| tokenizer.encode_ordinary(text).len();
    let (mut table, mut texts, mut sum) = (String::new(), String::new(), [0, 0]);
    for line in messages.lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        let (name, text) = (message["name"].as_str().unwrap(), message["text"].as_str().unwrap());
        let arguments = match &message["arguments"] {
            Value::Null => String::new(),
            arguments => arguments.to_string(),
        };
        let both = [tokens(&arguments), tokens(text)];
        sum.iter_mut().zip(both).for_each(|(sum, more)| *sum += more);
        writeln!(table, "| `{name}` | {} | {} |", both[0], both[1]).unwrap();
        if !arguments.is_empty() {
            writeln!(texts, "\n## {name}\n\n```json\n{arguments}\n```\n\n````\n{text}\n````").unwrap();
        }
    }
    let sum = format!("| all | {} | {} |", sum[0], sum[1]);
    format!("{HEAD}\n| message | call | reply |\n|---|---|---|\n{table}{sum}\n{texts}")
}

#[test]
fn a_transcript_of_a_session_has_the_tokens_of_each_message() {
    let daemon = TestDaemon::started();
    // The two changes of the file are two hunks.
    let text = super::GREET.replace("\n\n\n", "\n\n\nA = 1\nB = 2\nC = 3\nD = 4\n\n\n");
    daemon.put("src/greet.py", text);
    daemon.put("README.md", "# Greetings\n\nIt greets.\n");
    let Some(told) = super::python_clients::official_python_client(&daemon, "mcp_transcript.py") else {
        return;
    };
    let page = page(&told);
    let path = binaries::top().join(PAGE);
    if std::env::var_os("BLESS").is_some_and(|word| word == "1") {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), page, "BLESS=1 writes {PAGE} again");
    let goodbye = fs::read_to_string(daemon.workspace().join("src/greet.py")).unwrap();
    assert!(goodbye.contains("Hello \" + name") && goodbye.contains("Goodbye"), "{goodbye}");
    let readme = fs::read_to_string(daemon.workspace().join("README.md")).unwrap();
    assert_eq!(readme, "# Greetings\n\nBy others.\n\nThe module greets and says goodbye.\n");
}
