//! The doors: which words of the standard library and of dependencies may stand in which room. The linter
//! guards most of them as calls (`.clippy.toml`); this looks at the words, so that no alias slips through.

use editd_tests::checkout::{self, Checkout, rust};

use super::{none, one, tree};

/// A word, the rooms (path prefixes) that may write it, and why.
struct Door {
    word: &'static str,
    rooms: &'static [&'static str],
    why: &'static str,
}

const fn door(word: &'static str, rooms: &'static [&'static str], why: &'static str) -> Door {
    Door { word, rooms, why }
}

/// The daemon's shell, and the client's rooms that must look at the machine.
const DOORS: &[Door] = &[
    door(
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
            "client/src/machine.rs",
            "client/src/machine/",
            "client/src/daemon/spawn.rs",
        ],
        "files are reached through the seam `os`; settings, sockets, sled's folder, and processes with \
         the temporary files that they read have their own rooms",
    ),
    door(
        "SystemTime::now",
        &["daemon/src/clock/", "client/src/machine.rs", "client/src/daemon/spawn.rs"],
        "time is passed in",
    ),
    door(
        "Instant::now",
        &[
            "daemon/src/clock/",
            "daemon/syntax/examples/",
            "client/src/machine.rs",
            "client/src/daemon/spawn.rs",
        ],
        "time is passed in",
    ),
    door(
        "thread::sleep",
        &["tests/src/wait.rs", "client/src/machine.rs", "client/src/daemon/spawn.rs"],
        "nothing waits by the clock",
    ),
    door(
        "env::current_dir",
        &["daemon/src/run/", "daemon/src/config/", "client/src/machine.rs", "client/src/daemon/spawn.rs"],
        "paths are passed in",
    ),
    door(
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
            "client/src/machine.rs",
            "client/src/daemon/spawn.rs",
            "tests/",
        ],
        "settings come from `config`",
    ),
    door(
        "process::Command",
        &[
            "daemon/src/validate/",
            "client/src/machine.rs",
            "client/src/machine/",
            "client/src/daemon/spawn.rs",
            "tests/",
        ],
        "processes are started in `validate`",
    ),
    door("tokio::", &["daemon/src/ipc/", "daemon/src/queue/", "daemon/src/run/"], "async ends at the queue"),
    door(
        "interprocess::",
        &["daemon/src/ipc/", "client/src/connection.rs", "client/src/connection/", "tests/"],
        "sockets belong to `ipc`",
    ),
    door("notify::", &["daemon/src/watch/"], "watching belongs to `watch`"),
    door("sled::", &["daemon/src/store/database/"], "the database belongs to `store`"),
    door(
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
    door("libc::", &["daemon/src/os/", "daemon/src/run/"], "system calls belong to `os`"),
    door(
        "signal_hook",
        &["daemon/src/run/", "daemon/src/os/", "daemon/src/validate/process/"],
        "signals belong to `run`, and to the process that looks after a command",
    ),
    door("std::net", &[], "editd speaks to its own machine only"),
];

/// Crates without any effect, and what they must not name.
const PURE: &[&str] = &["proto/src/", "daemon/engine/src/", "daemon/syntax/src/"];
const EFFECTS: &[&str] =
    &["std::fs", "std::net", "std::env", "std::process", "std::thread", "Instant::now", "SystemTime::now"];

fn doors(tree: &Checkout) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in tree.rust().filter(|(name, _)| !checkout::is_unit_test(name)) {
        let code = joined(&rust::shipped(text));
        for door in DOORS {
            // Tests of whole processes are outside the house, but wait in one place only.
            let is_outside = ["tests/", "client/tests/"].iter().any(|folder| name.starts_with(folder));
            let outside = is_outside && door.word != "thread::sleep";
            if !outside && names(&code, door.word) && !door.rooms.iter().any(|room| name.starts_with(room)) {
                found.push(format!("{name}: names `{}`; {}", door.word, door.why));
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
fn each_effect_has_one_room() {
    none(doors(&tree()));
    let sample = |name: &str, text: &str| doors(&Checkout::sample(&[(name, text)]));
    one(&sample("daemon/src/job/mod.rs", "use std::fs;"), "std::fs");
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
