//! Tests of the player of case files, with a simple target: it must notice each difference from a scenario.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use editd_tests::scenario::bless::blessed;
use editd_tests::scenario::machine::ScenarioMachine;
use editd_tests::scenario::player::{PlayResult, play};
use editd_tests::scenario::real::{RealMachine, TargetOptions};
use editd_tests::scenario::{JobStep, Scenario, ScenarioTarget, StepHook};
use serde_json::{Value, json};

/// Reads and replaces whole files, in jobs of three steps. It forgets nothing and recovers nothing.
struct PlainTarget {
    root: PathBuf,
    hook: Arc<dyn StepHook>,
}

impl ScenarioTarget for PlainTarget {
    fn ask(&mut self, session: &str, kind: &str, body: &Value) -> Value {
        let place = self.root.join(body["path"].as_str().unwrap());
        match kind {
            "read" => match fs::read_to_string(&place) {
                Ok(text) => json!({"text": text, "session": session, "lines": text.lines().count()}),
                Err(_) => json!({"error": {"code": "missing", "message": "there is no such file"}}),
            },
            _ => {
                for step in [JobStep::Snapshot, JobStep::Swap, JobStep::Seal] {
                    if step == JobStep::Swap {
                        fs::write(&place, body["text"].as_str().unwrap()).unwrap();
                    }
                    if !self.hook.after(step) {
                        return Value::Null;
                    }
                }
                json!({"status": "applied", "session": session})
            }
        }
    }

    fn settle(&mut self) {
        self.hook.after(JobStep::Settle);
    }

    fn observe(&mut self, _: &str) {}

    fn flush(&mut self) {}
}

fn plain(opening: &TargetOptions<'_>) -> Result<Box<dyn ScenarioTarget>, String> {
    Ok(Box::new(PlainTarget { root: opening.root.to_owned(), hook: Arc::clone(&opening.hook) }))
}

fn played(scenario: &str) -> (PlayResult, String) {
    let parsed = Scenario::parse(scenario).unwrap();
    let machine: Arc<dyn ScenarioMachine> = Arc::new(RealMachine::new(plain));
    let played = play(&parsed, &machine);
    let blessed = blessed(scenario, &parsed, &played, machine.as_ref());
    (played, blessed)
}

/// Every complaint holds one of these, in this order.
#[track_caller]
fn complains(scenario: &str, of: &[&str]) {
    let complaints = played(scenario).0.complaints;
    let fits = complaints.len() == of.len() && complaints.iter().zip(of).all(|(c, part)| c.contains(part));
    assert!(fits, "{of:?} was expected: {complaints:#?}");
}

const TRUE: &str = r#"
why = "a scenario that is so"
[before."a.txt"]
text = "one\n"
[before."b%FF.txt"]
hex = "00ff"
mode = "600"
[before."c.txt"]
hard = "a.txt"
[before.d]
link = "a.txt"
[before."e/f"]
fifo = true

[[step]]
read = { path = "a.txt" }
expect = { text = "~on", lines = 1, bom = "<absent>", session = "<any>" }
save = { content = "text" }

[[step]]
edit = { path = "g.txt", text = "$content" }
session = "other"
expect = { status = "applied", session = "other" }
meanwhile = [{ after = "swap", files = { "a.txt" = { text = "two\n", how = "rewrite" } } }]
world = { "g.txt" = { text = "one\n" } }

[[step]]
edit = { path = "h.txt", text = "dies" }
stop_after = "snapshot"

[after."a.txt"]
text = "two\n"
[after."g.txt"]
text = "one\n"
"#;

#[test]
fn a_true_scenario_is_accepted_and_blessing_it_changes_nothing() {
    let (played, blessed) = played(TRUE);
    assert_eq!(played.complaints, [""; 0]);
    assert_eq!(blessed, TRUE);
}

#[test]
fn each_difference_from_a_scenario_is_noticed() {
    let told = |from: &str, to: &str| {
        assert!(TRUE.contains(from), "{from}");
        TRUE.replace(from, to)
    };
    complains(
        &told("lines = 1", "lines = 2"),
        &["step 1: .lines: should be 2, is 1", "step 1: the whole reply"],
    );
    complains(&told("~on", "~no"), &["step 1: .text", "step 1: the whole"]);
    complains(&told("text = \"~on\"", "text = \"<absent>\""), &["step 1: .text: should be absent", "whole"]);
    complains(&told("bom = \"<absent>\"", "bom = \"<any>\""), &["step 1: .bom: is absent", "whole"]);
    complains(
        &told("after = \"swap\"", "after = \"plan\""),
        &["step 2: the job never came past Plan", "after: a.txt", "after: c.txt"],
    );
    complains(
        &told("stop_after = \"snapshot\"", "stop_after = \"swap\""),
        &["after: h.txt: should not be there"],
    );
    complains(
        &told("stop_after = \"snapshot\"", "stop_after = \"check_staleness\""),
        &["step 3: the job never", "after: h.txt"],
    );
    complains(
        &told("how = \"rewrite\"", "how = \"replace\""),
        &["c.txt: should be", "c.txt: is no longer the same file"],
    );
    complains(&told("[after.\"g.txt\"]\ntext = \"one\\n\"", ""), &["after: g.txt: should not be there"]);
    complains(
        &told("[after.\"g.txt\"]\ntext = \"one\\n\"", "[after.\"g.txt\"]\ntext = \"x\""),
        &["after: g.txt: should be"],
    );
    complains(
        &told("[after.\"g.txt\"]", "[after.\"b%FF.txt\"]\nhex = \"00fe\"\nmode = \"600\"\n[after.\"g.txt\"]"),
        &["b%FF.txt: should be"],
    );
    complains(
        &told("[after.\"g.txt\"]", "[after.\"b%FF.txt\"]\nhex = \"00ff\"\nmode = \"640\"\n[after.\"g.txt\"]"),
        &["b%FF.txt: should be file 640"],
    );
    complains(
        &told("[after.\"g.txt\"]", "[after.d]\nabsent = true\n[after.\"g.txt\"]"),
        &["d: should not be there, is link"],
    );
    complains(
        &told("world = { \"g.txt\" = { text = \"one\\n\"", "world = { \"g.txt\" = { text = \"1\""),
        &["step 2: g.txt: should be"],
    );
    complains(
        &told("{ content = \"text\" }", "{ content = \"texts\" }"),
        &["no texts to save", "step 2: g.txt", "after: g.txt"],
    );
}

#[test]
fn blessing_writes_only_the_results() {
    let wrong = TRUE
        .replace("~on", "~no")
        .replace("lines = 1", "lines = 7")
        .replace("expect = { status = \"applied\", session = \"other\" }", "expect = {}")
        .replace("[after.\"g.txt\"]\ntext = \"one\\n\"\n", "");
    let blessed = played(&wrong).1;
    assert!(
        blessed.contains(r#"text = "one\n", lines = 1, bom = "<absent>", session = "<any>""#),
        "{blessed}"
    );
    assert!(blessed.contains(r#"expect = { status = "applied" }"#), "{blessed}");
    assert!(blessed.starts_with("\nwhy = \"a scenario that is so\"\n"), "{blessed}");
    assert_eq!(played(&blessed).0.complaints, [""; 0]);
}

#[test]
fn an_invalid_scenario_is_refused() {
    for (scenario, says) in [
        ("step = []", "nothing happens"),
        ("[[step]]\nread = { path = 'a' }", "shows nothing"),
        ("[[step]]\nkill = true\nsettle = true", "exactly one thing"),
        ("[[step]]\nkill = true\nexpect = { a = 1 }", "only a request"),
        ("[[step]]\nedit = '{ no json'\nexpect = { a = 1 }", "edit:"),
        ("[[step]]\nread = { path = 'a' }\nexpect = { a = 1 }\nstop_after = 'swap'", "sends no reply"),
        ("[[step]]\nread = { path = 'a' }\nexpectt = { a = 1 }", "unknown field"),
        ("[before.a]\ntext = ''\nfolder = true\n[[step]]\nkill = true", "one path is one thing"),
        ("[before.a]\nhex = '0'\n[[step]]\nkill = true", "not hexadecimal"),
        ("[before.a]\nmode = '9'\n[[step]]\nkill = true", "not octal"),
    ] {
        let refused = Scenario::parse(scenario).unwrap_err();
        assert!(refused.contains(says), "{scenario}: {refused}");
    }
}
