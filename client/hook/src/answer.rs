//! The answer of a hook in the form of its runtime, and the words of a denial.

use editctl::runtime::Runtime;
use editctl::show::more_hunks;
use editd_proto::RequestError;
use editd_proto::error::ChangeAuthor;
use serde_json::{Value, json};

use crate::runtime::wants_object;

/// Returns the output that allows the call, or has nothing to say. It never allows what the runtime would ask about.
pub(crate) fn allowed(runtime: Runtime) -> String {
    if wants_object(runtime) { "{}\n".to_owned() } else { String::new() }
}

/// Returns the output that denies the call. `event` is the name of the event.
pub(crate) fn denied(runtime: Runtime, event: &str, reason: &str) -> String {
    let object: Value = match runtime {
        Runtime::Cursor => json!({
            "permission": "deny",
            "user_message": "editd: the file changed since the agent read it; the agent was shown the change",
            "agent_message": reason,
        }),
        Runtime::Gemini => json!({ "decision": "deny", "reason": reason }),
        _ => json!({
            "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }
        }),
    };
    format!("{object}\n")
}

/// Returns the words for a file that changed since it was read, with the change.
pub(crate) fn reason(error: &RequestError) -> String {
    let mut out = String::from("editd: ");
    add(&mut out, error);
    for other in &error.others {
        // The diff of a file ends at an empty line.
        out.push('\n');
        add(&mut out, other);
    }
    if let Some(more) = error.more {
        out.push_str(&format!("{more} more files changed, too; read them again.\n"));
    }
    out
}

fn add(out: &mut String, error: &RequestError) {
    out.push_str(&error.message);
    out.push('\n');
    if let Some(ChangeAuthor::Entry(job)) = &error.by {
        let step =
            if error.diff.is_none() { format!("; `editctl show {job}` shows it") } else { String::new() };
        out.push_str(&format!("Changed by entry {job}{step}.\n"));
    }
    let Some(diff) = &error.diff else { return };
    out.push_str(diff);
    if !diff.ends_with('\n') {
        out.push('\n');
    }
    if let Some(hunks) = error.omitted_hunks.filter(|hunks| *hunks > 0) {
        out.push_str(&format!("{}\n", more_hunks(hunks)));
    }
}
