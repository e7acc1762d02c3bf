//! The layer table: which room of the daemon may name which. A room that is not in the table does not
//! exist; nothing here knows what the rooms do.

use editd_tests::checkout::{self, Checkout, rust};

use super::{none, one, tree};

/// Rooms from the ground up, each with the rooms that it may name: only such as stand above it in this list.
/// Unit tests are not bound.
const LAYERS: &[(&str, &[&str])] = &[
    // The ground.
    ("limits", &[]),
    ("clock", &[]),
    ("config", &["limits"]),
    ("os", &["limits"]),
    // What touches the machine, through the seam.
    ("store", &["os", "limits"]),
    ("disk", &["os", "limits"]),
    ("watch", &["os", "clock", "limits"]),
    ("trust", &["disk", "os", "config", "limits"]),
    ("validate", &["disk", "clock", "config", "limits"]),
    // What is remembered.
    ("receipt", &["store", "limits"]),
    ("clipboard", &["store", "limits"]),
    // The rooms of one open workspace, and what walks through them.
    ("state", &["trust", "validate", "store", "disk", "os", "clock", "config", "limits"]),
    ("journal", &["state", "receipt", "store", "disk", "os", "clock", "config", "limits"]),
    (
        "job",
        &[
            "journal",
            "clipboard",
            "receipt",
            "validate",
            "state",
            "trust",
            "store",
            "disk",
            "os",
            "config",
            "limits",
        ],
    ),
    (
        "workspace",
        &[
            "job",
            "journal",
            "clipboard",
            "receipt",
            "state",
            "trust",
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
    ("run", &["ipc", "queue", "workspace", "validate", "watch", "store", "os", "clock", "config", "limits"]),
];

/// The exceptions: the module, the item or module that it may name, and the reason.
const BESIDES: &[(&str, &str, &str)] = &[
    ("disk", "store::record", "what the disk did is recorded in the store's words"),
    ("state", "job::step", "the observer of the steps belongs to the open workspace"),
    ("state", "journal::path_cache", "its state lives as long as the open workspace"),
    ("state", "journal::settle::UnsettledEntries", "its state lives as long as the open workspace"),
    ("receipt", "workspace::Who", "who asks"),
    ("journal", "workspace::Who", "who asks"),
    ("journal", "job", "an undo is a job: it has no road of its own"),
    ("job", "workspace::Who", "who asks"),
    ("workspace", "watch::files_below", "globs of a job leave out what subscriptions leave out"),
    ("job", "workspace::LaneKey", "what a job needs to itself is known once its paths are resolved"),
    ("job", "workspace::Lanes", "what a job needs to itself is known once its paths are resolved"),
    ("queue", "os::FileIdentity", "what a lane is named by"),
];

fn layers(tree: &Checkout) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in tree.rust() {
        let Some(inside) = name.strip_prefix("daemon/src/").filter(|_| !checkout::is_unit_test(name)) else {
            continue;
        };
        let room = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        if matches!(room, "lib" | "main" | "testing") {
            continue;
        }
        let Some((_, may)) = LAYERS.iter().find(|(known, _)| *known == room) else {
            found.push(format!("{name}: the room `{room}` is not in the layer table"));
            continue;
        };
        for path in named(&rust::shipped(text)) {
            let below = path.split("::").next().unwrap_or(&path);
            let besides = BESIDES.iter().any(|(from, item, _)| *from == room && is_in(&path, item));
            if below != room && !may.contains(&below) && !besides {
                found.push(format!("{name}: `{room}` may not name `{path}`"));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns true if a path names an item, or something in it.
fn is_in(path: &str, item: &str) -> bool {
    path.strip_prefix(item).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Every path behind `crate::`, with its braces written out.
fn named(code: &str) -> Vec<String> {
    code.match_indices("crate::").flat_map(|(at, word)| written_out(&code[at + word.len()..], "")).collect()
}

/// The paths of a tree such as `a::{b, c::d}`, each with what stands before it.
fn written_out(tree: &str, before: &str) -> Vec<String> {
    let end = tree.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(tree.len());
    let path = format!("{before}{}", &tree[..end]);
    if !tree[end..].starts_with('{') || !(path.ends_with("::") || path.is_empty()) {
        let path = path.trim_end_matches(':').trim_end_matches("::self");
        return if path.is_empty() { Vec::new() } else { vec![path.to_owned()] };
    }
    let braces = &tree[end..];
    let inner = &braces[1..rust::body_len(braces).max(2) - 1];
    let mut depth = 0_u32;
    let parts = inner.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.flat_map(|part| written_out(part.trim(), &path)).collect()
}

#[test]
fn rooms_name_only_what_lies_below() {
    none(layers(&tree()));
    let sample = |name: &str, text: &str| layers(&Checkout::sample(&[(name, text)]));
    one(&sample("daemon/src/store/log.rs", "use crate::journal::Entry;"), "may not name `journal::Entry`");
    one(&sample("daemon/src/disk/mod.rs", "use crate::{os::{self, Dir}, store};"), "may not name `store`");
    one(
        &sample("daemon/src/disk/mod.rs", "use crate::store::{record::FileMeta, Store};"),
        "name `store::Store`",
    );
    one(
        &sample("daemon/src/disk/mod.rs", "fn f() { crate::store::Store::open() }"),
        "name `store::Store::open`",
    );
    one(&sample("daemon/src/attic/mod.rs", ""), "`attic` is not in the layer table");
    none(sample("daemon/src/store/log.rs", "use crate::{limits, os::{Os, Dir}, store::record};"));
    none(sample("daemon/src/disk/mod.rs", "use crate::store::record::{self, FileMeta};"));
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

#[test]
fn no_exception_outlives_its_use() {
    let tree = tree();
    for (room, item, _) in BESIDES {
        let exists = tree.rust().any(|(name, _)| name.starts_with(&format!("daemon/src/{room}")));
        let used = tree.rust().any(|(name, text)| {
            name.starts_with(&format!("daemon/src/{room}"))
                && named(&rust::shipped(text)).iter().any(|path| is_in(path, item))
        });
        assert!(used || !exists, "`{room}` no longer names `{item}`: take it out of the table");
    }
}
