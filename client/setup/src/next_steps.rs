//! The steps that a runtime needs after its configuration changed.

use editctl::runtime::Runtime;

use crate::place::Scope;
use crate::report::Outcome;

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

/// Returns the steps after hooks were changed, one sentence each.
pub(crate) fn hook_steps(runtime: Runtime, outcome: Outcome) -> Vec<String> {
    let lines: &[&str] = match (outcome, runtime) {
        (Outcome::Unchanged, _) => &[],
        (Outcome::Removed | Outcome::Deleted, _) => &["the runtime notices this at its next start"],
        (_, Runtime::ClaudeCode) => &["start a new session of `claude`; `/hooks` lists the hooks"],
        (_, Runtime::Codex) => &[
            "start `codex` again and approve the hooks with `/hooks`: it runs no other, also after each change",
        ],
        (_, Runtime::Cursor) => &["start Cursor again; it runs the hooks of a project only if you trust it"],
        (_, Runtime::Vscode) => &["start a new chat; VS Code runs hooks only in trusted workspaces"],
        (_, Runtime::Gemini) => &["start `gemini` again; it asks about new hooks of a project"],
        (_, Runtime::Qwen) => &["start `qwen` again; it runs the hooks of a project only in trusted folders"],
        (_, Runtime::Opencode) => &["start `opencode` again; version 2 does not load this plugin"],
        (_, Runtime::Zed) => &[],
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
