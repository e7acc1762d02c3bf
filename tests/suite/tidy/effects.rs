//! Each effect belongs to one module: a table of the paths of the standard library and of dependencies, with the modules
//! that may name them. The linter checks most of them as calls (`.clippy.toml`); this test checks the words of the source,
//! so that it finds aliases, too.

use editd_tests::checkout::{self, Checkout, rust};

use super::{none, one, tree};

/// A word, the modules (path prefixes) that may name it, and the reason.
struct EffectRule {
    word: &'static str,
    modules: &'static [&'static str],
    why: &'static str,
}

const fn rule(word: &'static str, modules: &'static [&'static str], why: &'static str) -> EffectRule {
    EffectRule { word, modules, why }
}

/// The rules of the daemon and the client.
const RULES: &[EffectRule] = &[
    rule(
        "Record::Intent",
        &["daemon/src/record.rs", "daemon/src/store/"],
        "`Store::append_intent` makes intents",
    ),
    rule(
        "permit_repair",
        &["daemon/src/journal/", "daemon/src/store/intent.rs"],
        "only recovery and rewriting change a file by a record that is not in the log",
    ),
    rule(
        "SealRecord",
        &["daemon/src/record.rs", "daemon/src/store/", "daemon/src/journal/seal.rs"],
        "only `journal/seal.rs` makes a seal, from the proof that every file has its new content",
    ),
    rule(
        "Record::Void",
        &[
            "daemon/src/record.rs",
            "daemon/src/store/",
            "daemon/src/journal/roll_back.rs",
            "daemon/src/journal/recover/cut.rs",
        ],
        "only a job that was rolled back and flushed is void",
    ),
    rule(
        "std::fs",
        &[
            "daemon/src/os/",
            "daemon/src/config/",
            "daemon/src/ipc/",
            "daemon/src/run/",
            "daemon/src/store/database/",
            "daemon/src/validate/",
            "daemon/engine/build.rs",
            "daemon/engine/tests/",
            "daemon/syntax/build.rs",
            "daemon/syntax/examples/",
            "daemon/syntax/tests/",
            "proto/tests/wire/document.rs",
            "client/src/connection/pipe.rs",
            "client/src/machine.rs",
            "client/src/machine/",
            "client/src/daemon/spawn.rs",
            "client/setup/src/config_file.rs",
            "client/pages/src/main.rs",
        ],
        "only `os` accesses files; settings, sockets, the folder of sled, and the temporary files of commands have \
         modules of their own",
    ),
    rule(
        "SystemTime::now",
        &[
            "daemon/src/clock/",
            "daemon/syntax/examples/",
            "client/src/machine.rs",
            "client/src/daemon/spawn.rs",
        ],
        "time is passed in",
    ),
    rule(
        "Instant::now",
        &[
            "daemon/src/clock/",
            "daemon/syntax/examples/",
            "client/src/machine.rs",
            "client/src/daemon/spawn.rs",
        ],
        "time is passed in",
    ),
    rule(
        "thread::sleep",
        &[
            "daemon/src/os/windows/sharing.rs",
            "tests/src/wait.rs",
            "client/src/machine.rs",
            "client/src/daemon/spawn.rs",
        ],
        "nothing waits for a fixed time",
    ),
    rule(
        "env::current_dir",
        &["daemon/src/run/", "daemon/src/config/", "client/src/machine.rs", "client/src/daemon/spawn.rs"],
        "paths are passed in",
    ),
    rule(
        "env::var",
        &[
            "daemon/src/run/",
            "daemon/src/config/",
            "daemon/src/ipc/",
            "daemon/engine/build.rs",
            "daemon/engine/tests/",
            "daemon/syntax/build.rs",
            "daemon/syntax/examples/",
            "daemon/syntax/tests/",
            "proto/tests/wire/document.rs",
            "client/build.rs",
            "client/src/machine.rs",
            "client/src/daemon/spawn.rs",
            "tests/",
        ],
        "settings come from `config`",
    ),
    rule(
        "process::Command",
        &[
            "daemon/src/validate/",
            "client/build.rs",
            "client/src/machine.rs",
            "client/src/machine/",
            "client/src/daemon/spawn.rs",
            "tests/",
        ],
        "processes are started in `validate`",
    ),
    rule(
        "tokio::",
        &[
            "daemon/src/ipc/",
            "daemon/src/queue/",
            "daemon/src/run/",
            "client/mcp/src/lib.rs",
            "client/mcp/src/server.rs",
            "client/mcp/src/transport.rs",
        ],
        "async ends at the queue, and at the calls of tools",
    ),
    rule(
        "interprocess::",
        &["daemon/src/ipc/", "client/src/connection.rs", "client/src/connection/", "tests/"],
        "sockets belong to `ipc`",
    ),
    rule("notify::", &["daemon/src/watch/"], "watching belongs to `watch`"),
    rule("sled::", &["daemon/src/store/database/"], "the database belongs to `store`"),
    rule(
        "rustix::fs",
        &[
            "daemon/src/os/",
            "daemon/src/ipc/",
            "daemon/src/run/",
            "daemon/src/config/",
            "client/src/machine.rs",
            "client/src/daemon/spawn.rs",
            "tests/",
        ],
        "system calls on files belong to `os`",
    ),
    rule(
        "libc::",
        &["daemon/src/os/", "daemon/src/run/", "daemon/syntax/src/memory.rs", "daemon/syntax/examples/"],
        "system calls belong to `os`, except that the parser's memory is counted where it is allocated, and its time where \
         it is measured",
    ),
    rule(
        "signal_hook",
        &[
            "daemon/src/run/",
            "daemon/src/os/",
            "daemon/src/validate/process/",
            "client/ui/src/shell/terminal.rs",
        ],
        "signals belong to `run`, to the supervisor of a command, and to the terminal",
    ),
    rule(
        "ratatui::crossterm",
        &["client/ui/src/shell/terminal.rs"],
        "the terminal belongs to the shell of the interface",
    ),
    rule(
        "std::thread",
        &[
            "daemon/",
            "client/src/machine.rs",
            "client/src/daemon/spawn.rs",
            "client/hook/src/lib.rs",
            "client/ui/src/shell/",
            "tests/",
        ],
        "the state and the view of the interface have no threads, and a hook has one to give up waiting for",
    ),
    rule("std::net", &[], "editd uses no network"),
];

/// Crates without any effect, and the words that they must not name.
const PURE: &[&str] = &["proto/src/", "daemon/engine/src/", "daemon/engine/types/src/", "daemon/syntax/src/"];
const EFFECTS: &[&str] =
    &["std::fs", "std::net", "std::env", "std::process", "std::thread", "Instant::now", "SystemTime::now"];

fn effects(tree: &Checkout) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in tree.rust().filter(|(name, _)| !checkout::is_unit_test(name)) {
        let code = joined(&rust::shipped(text));
        for rule in RULES {
            // Tests of whole processes may have all effects, but wait in one place only.
            let is_outside = ["tests/", "client/tests/"].iter().any(|folder| name.starts_with(folder));
            let outside = is_outside && rule.word != "thread::sleep";
            if !outside
                && names(&code, rule.word)
                && !rule.modules.iter().any(|module| name.starts_with(module))
            {
                found.push(format!("{name}: names `{}`; {}", rule.word, rule.why));
            }
        }
        for effect in EFFECTS.iter().filter(|_| PURE.iter().any(|pure| name.starts_with(pure))) {
            if names(&code, effect) {
                found.push(format!("{name}: names `{effect}` in a crate without effects"));
            }
        }
    }
    found
}

/// The code with `use std::{fs, io};` written out as `std::fs std::io`, so that no braces hide a word.
fn joined(code: &str) -> String {
    let mut out = code.to_owned();
    for (at, _) in code.match_indices("::{") {
        let parent =
            code[..at].rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next().unwrap_or("");
        let inner = &code[at + 2..at + 2 + rust::body_len(&code[at + 2..])];
        let mut depth = 0_i32;
        for item in inner.split_inclusive([',', '{', '}']) {
            let word = item.trim_end_matches([',', '{', '}']).trim();
            if depth == 1 && !word.is_empty() {
                out.push_str(&format!(" {parent}::{word} "));
            }
            depth += i32::from(item.ends_with('{')) - i32::from(item.ends_with('}'));
        }
    }
    out
}

fn names(code: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let open_end = word.ends_with(':') || word == "signal_hook" || word == "env::var";
        !code[..at].ends_with(is_word) && (open_end || !code[at + word.len()..].starts_with(is_word))
    })
}

#[test]
fn each_effect_belongs_to_one_module() {
    none(effects(&tree()));
    let sample = |name: &str, text: &str| effects(&Checkout::sample(&[(name, text)]));
    one(&sample("daemon/src/job/mod.rs", "use std::fs;"), "std::fs");
    let permits = "fn f(entry: &Intended) { disk.put(entry.permit_repair(&record), place, rescue); }";
    one(&sample("daemon/src/transaction/swap.rs", permits), "`permit_repair`");
    none(sample("daemon/src/journal/rewrite.rs", permits));
    let seals = "fn f() -> Record { Record::Seal(SealRecord { id, receipt }) }";
    one(&sample("daemon/src/transaction/seal.rs", seals), "SealRecord");
    one(&sample("daemon/src/job/mod.rs", "use std::{io, fs};"), "std::fs");
    one(&sample("daemon/src/job/mod.rs", "use std::{io::{self, Read}, fs::File};"), "std::fs");
    one(&sample("daemon/src/store/log.rs", "let t = Instant::now();"), "Instant::now");
    one(&sample("daemon/src/journal/mod.rs", "tokio::spawn(x);"), "tokio::");
    one(
        &sample("daemon/engine/src/lib.rs", "use std::time::SystemTime; fn a() { std::thread::spawn(f); }"),
        "std::thread",
    );
    one(&sample("tests/suite/a.rs", "std::thread::sleep(d);"), "thread::sleep");
    none(sample("daemon/src/os/unix.rs", "use std::fs;"));
    none(sample("daemon/src/job/mod.rs", "// std::fs\n#[cfg(test)]\nmod tests { use std::fs; }"));
    none(sample("daemon/src/job/tests.rs", "use std::fs;"));
}
