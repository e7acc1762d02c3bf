//! The layer table: which room of the daemon may name which. A room that is not in the table does not
//! exist; nothing here knows what the rooms do.

use super::doors::is_test;
use super::source::{self, Tree};
use super::{none, one, tree};

/// Room, and the rooms that it may name, from the ground up. `tests` beside the code are not bound.
const LAYERS: &[(&str, &[&str])] = &[
    // The ground: names nothing.
    ("limits", &[]),
    ("clock", &[]),
    ("config", &["limits"]),
    ("os", &["limits"]),
    // What touches the machine, through the seam.
    ("store", &["os", "limits"]),
    ("disk", &["os", "limits"]),
    ("watch", &["os", "clock", "limits"]),
    ("validate", &["config", "limits"]),
    // What is remembered.
    ("receipt", &["store", "limits"]),
    ("clipboard", &["store", "limits"]),
    ("journal", &["store", "disk", "os", "clock", "limits"]),
    // One job's journey, and all that a request may ask.
    (
        "job",
        &["journal", "clipboard", "receipt", "validate", "store", "disk", "os", "clock", "config", "limits"],
    ),
    (
        "workspace",
        &[
            "job",
            "journal",
            "clipboard",
            "receipt",
            "validate",
            "store",
            "disk",
            "os",
            "clock",
            "config",
            "limits",
        ],
    ),
    // The shell.
    ("queue", &["workspace", "clock", "limits"]),
    ("ipc", &["queue", "workspace", "config", "clock", "limits"]),
    ("run", &["ipc", "queue", "workspace", "watch", "store", "os", "clock", "config", "limits"]),
];

fn layers(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in tree.rust() {
        let Some(inside) = name.strip_prefix("daemon/src/").filter(|_| !is_test(name)) else { continue };
        let room = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        if matches!(room, "lib" | "main") {
            continue;
        }
        let Some((_, may)) = LAYERS.iter().find(|(known, _)| *known == room) else {
            found.push(format!("{name}: the room `{room}` is not in the layer table"));
            continue;
        };
        for named in rooms_named(&source::shipped(text)) {
            if named != room && !may.contains(&named.as_str()) {
                found.push(format!("{name}: `{room}` may not name `{named}`"));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The rooms in `crate::room` and `crate::{room, room::…}`.
fn rooms_named(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + 7..];
        if !rest.starts_with('{') {
            found.push(word(rest));
            continue;
        }
        let mut depth = 0_u32;
        let mut fresh = false;
        for (i, c) in rest[..source::body_len(rest)].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 1 && fresh && (c.is_alphanumeric() || c == '_') {
                found.push(word(&rest[i..]));
                fresh = false;
            }
            fresh |= depth == 1 && matches!(c, '{' | ',');
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn rooms_name_only_what_lies_below() {
    none(layers(&tree()));
    let sample = |name: &str, text: &str| layers(&Tree::sample(&[(name, text)]));
    one(&sample("daemon/src/store/log.rs", "use crate::journal::Entry;"), "`store` may not name `journal`");
    one(
        &sample("daemon/src/disk/mod.rs", "use crate::{os::{self, Dir}, store};"),
        "`disk` may not name `store`",
    );
    one(&sample("daemon/src/attic/mod.rs", ""), "`attic` is not in the layer table");
    none(sample("daemon/src/store/log.rs", "use crate::{limits, os::{Os, Dir}, store::record};"));
    none(sample("daemon/src/store/log.rs", "#[cfg(test)]\nmod tests { use crate::journal; }"));
    none(sample("daemon/src/main.rs", "use editd::run;"));
}

#[test]
fn the_table_has_no_circle() {
    for (at, (room, may)) in LAYERS.iter().enumerate() {
        for below in *may {
            let place = LAYERS.iter().position(|(name, _)| name == below);
            assert!(place.is_some_and(|place| place < at), "`{room}` names `{below}`, which is not below it");
        }
    }
}
