//! Formats the results of checks: a line for each check, and one for each new problem.

use editd_proto::message::{CheckOutcome, CheckStatus};

use super::OutputStyle;
use super::letters::{TextStyle, lines, one_line};

/// Formats results.
pub fn text(checks: &[CheckOutcome], style: &OutputStyle) -> String {
    checks.iter().map(|check| one(check, style)).collect()
}

/// Formats one result.
pub fn one(check: &CheckOutcome, style: &OutputStyle) -> String {
    let (paint, word) = match check.status {
        CheckStatus::Passed => (TextStyle::Good, "passed"),
        CheckStatus::Failed => (TextStyle::Bad, "failed"),
        CheckStatus::Running => (TextStyle::Strong, "is running"),
        CheckStatus::Timeout => (TextStyle::Notice, "took too long"),
        CheckStatus::CouldNotRun => (TextStyle::Notice, "could not run"),
    };
    let mut out = format!("check {} {}", one_line(&check.check), style.paint(paint, word));
    let new = check.new.len() as u64 + check.more;
    let mut facts = Vec::new();
    if new > 0 {
        facts.push(format!("{new} {}", if check.first { "in the changed files" } else { "new" }));
    }
    if check.known > 0 {
        facts.push(format!("{} {}", check.known, if check.first { "in others" } else { "there before" }));
    }
    if check.status == CheckStatus::Failed && facts.is_empty() {
        facts.push("nothing new".to_owned());
    }
    if !facts.is_empty() {
        out.push_str(&format!(": {}", facts.join(", ")));
    }
    if check.first && !facts.is_empty() {
        out.push_str(" (first run: may be older)");
    }
    if !check.jobs.is_empty() && check.status != CheckStatus::Running {
        let jobs: Vec<String> = check.jobs.iter().map(ToString::to_string).collect();
        let word = if jobs.len() == 1 { "job" } else { "jobs" };
        out.push_str(&format!(", after {word} {}", jobs.join(", ")));
    }
    if let Some(message) = &check.message {
        out.push_str(&format!(": {}", lines(message)));
    }
    out.push('\n');
    for problem in &check.new {
        out.push_str(&format!("  {}\n", lines(&problem.to_string())));
    }
    if check.more > 0 {
        out.push_str(&format!("  and {} more\n", check.more));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_problems_were_there_before() {
        let mut check = CheckOutcome {
            check: "build".into(),
            status: CheckStatus::Failed,
            known: 1,
            ..CheckOutcome::default()
        };
        let style = OutputStyle::of_this_terminal(false);
        // The session may never have seen it.
        assert_eq!(one(&check, &style), "check build failed: 1 there before\n");
        check.first = true;
        assert_eq!(one(&check, &style), "check build failed: 1 in others (first run: may be older)\n");
    }
}
