//! The steps that a runtime needs after its configuration changed.

use crate::place::Scope;
use crate::report::Outcome;
use crate::runtime::Runtime;

/// Returns the steps, one sentence each.
pub(crate) fn steps(runtime: Runtime, scope: Scope, outcome: Outcome) -> Vec<String> {
    let lines: &[&str] = match outcome {
        Outcome::Unchanged => &[],
        Outcome::Removed | Outcome::Deleted => &[
            "the runtime notices this at its next start; also take back what you did to switch its own edit tools off",
        ],
        Outcome::Created | Outcome::Added | Outcome::Replaced => after_adding(runtime, scope),
    };
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Returns the steps for a new entry.
fn after_adding(runtime: Runtime, scope: Scope) -> &'static [&'static str] {
    match (runtime, scope) {
        (Runtime::ClaudeCode, Scope::Project) => &[
            "start `claude` in the project: it asks once whether the servers of .mcp.json may run",
            "`claude --disallowedTools Edit Write NotebookEdit` switches its own edit tools off",
        ],
        (Runtime::ClaudeCode, Scope::User) => &[
            "start `claude --disallowedTools Edit Write NotebookEdit`, which switches its own edit tools off",
        ],
        (Runtime::Codex, Scope::Project) => &[
            "start `codex` again; it reads this file only if you trust the project",
            "Codex has no documented switch for its own tool apply_patch: say in AGENTS.md that it must use editctl",
        ],
        (Runtime::Codex, Scope::User) => &[
            "start `codex` again",
            "Codex has no documented switch for its own tool apply_patch: say in AGENTS.md that it must use editctl",
        ],
        (Runtime::Cursor, _) => {
            &["start Cursor again, and enable the server `editctl` in its MCP settings if it is off"]
        }
        (Runtime::Vscode, _) => &[
            "VS Code asks once whether you trust the server",
            "`Configure Tools` in the chat switches its own edit tools off",
        ],
        (Runtime::Zed, _) => {
            &["`\"edit_file\": false` in the tools of an agent profile switches its own edit tool off"]
        }
        (Runtime::Opencode, _) => &[
            "start `opencode` again",
            "`\"tools\": {\"edit\": false, \"write\": false}` in the same file switches its own edit tools off (version 1)",
        ],
        (Runtime::Gemini, _) => &[
            "start `gemini` again",
            "`\"tools\": {\"exclude\": [\"replace\", \"write_file\"]}` in the same file switches its own edit tools off",
        ],
        (Runtime::Qwen, _) => &[
            "start `qwen` again",
            "`\"permissions\": {\"deny\": [\"edit\", \"write_file\"]}` in the same file switches its own edit tools off",
        ],
    }
}
