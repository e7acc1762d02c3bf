//! The layer table: the modules of the daemon that each module may name. A module that is not in the
//! table may not exist.

use editd_tests::checkout::{self, Checkout, rust};

use super::{none, one, tree};

/// The modules from the ground up, each with the modules that it may name: only modules above it in this list.
/// Unit tests are not bound.
const LAYERS: &[(&str, &[&str])] = &[
    // The ground.
    ("limits", &[]),
    ("clock", &[]),
    ("sync", &[]),
    ("progress", &["sync"]),
    ("os", &["limits"]),
    ("confine", &["os"]),
    ("config", &["confine", "limits"]),
    ("metrics", &["sync", "clock", "limits"]),
    // Values that several modules exchange.
    ("caller", &["os"]),
    ("record", &["os"]),
    // Modules with effects on the machine.
    ("store", &["sync", "progress", "record", "os", "limits"]),
    ("disk", &["record", "os", "limits"]),
    ("watch", &["sync", "os", "clock", "limits"]),
    ("trust", &["disk", "os", "config", "limits"]),
    ("validate", &["sync", "disk", "os", "clock", "config", "confine", "limits"]),
    ("checks", &["validate", "config", "limits"]),
    // Rows of the store with a meaning of their own.
    ("receipt", &["store", "record", "caller", "limits"]),
    ("clipboard", &["store", "record", "limits"]),
    // The state of one open workspace, and the history of its files.
    (
        "state",
        &[
            "sync", "metrics", "trust", "validate", "store", "record", "disk", "caller", "os", "clock",
            "config", "limits",
        ],
    ),
    (
        "journal",
        &[
            "state", "receipt", "store", "record", "disk", "caller", "os", "clock", "config", "progress",
            "limits",
        ],
    ),
    // The only module that changes files for a request.
    (
        "transaction",
        &[
            "sync",
            "metrics",
            "journal",
            "clipboard",
            "receipt",
            "validate",
            "state",
            "trust",
            "store",
            "record",
            "disk",
            "caller",
            "os",
            "config",
            "limits",
        ],
    ),
    // They write no file of the workspace: each returns a transaction.
    ("undo", &["transaction", "journal", "state", "store", "record", "disk", "caller", "limits"]),
    (
        "edit",
        &[
            "transaction",
            "journal",
            "clipboard",
            "receipt",
            "validate",
            "state",
            "trust",
            "record",
            "disk",
            "caller",
            "os",
            "config",
            "limits",
        ],
    ),
    (
        "workspace",
        &[
            "sync",
            "metrics",
            "edit",
            "undo",
            "transaction",
            "journal",
            "clipboard",
            "receipt",
            "checks",
            "validate",
            "state",
            "trust",
            "watch",
            "store",
            "record",
            "disk",
            "caller",
            "os",
            "clock",
            "config",
            "confine",
            "limits",
        ],
    ),
    // The server.
    ("queue", &["sync", "metrics", "workspace", "caller", "clock", "limits"]),
    ("ipc", &["sync", "metrics", "progress", "queue", "workspace", "caller", "config", "clock", "limits"]),
    (
        "run",
        &[
            "sync",
            "progress",
            "ipc",
            "queue",
            "workspace",
            "trust",
            "checks",
            "validate",
            "watch",
            "store",
            "record",
            "caller",
            "os",
            "clock",
            "config",
            "confine",
            "limits",
        ],
    ),
];

/// The exceptions: the module, the item or module that it may name, and the reason.
const BESIDES: &[(&str, &str, &str)] =
    &[("disk", "store::intent", "only the store makes the permission to change a file")];

fn layers(tree: &Checkout) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in tree.rust() {
        let Some(inside) = name.strip_prefix("daemon/src/").filter(|_| !checkout::is_unit_test(name)) else {
            continue;
        };
        let module = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        if matches!(module, "lib" | "main" | "testing") {
            continue;
        }
        let Some((_, may)) = LAYERS.iter().find(|(known, _)| *known == module) else {
            found.push(format!("{name}: the module `{module}` is not in the layer table"));
            continue;
        };
        for path in named(&rust::shipped(text)) {
            let below = path.split("::").next().unwrap_or(&path);
            let besides = BESIDES.iter().any(|(from, item, _)| *from == module && is_in(&path, item));
            if below != module && !may.contains(&below) && !besides {
                found.push(format!("{name}: `{module}` may not name `{path}`"));
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
fn modules_name_only_lower_modules() {
    none(layers(&tree()));
    let sample = |name: &str, text: &str| layers(&Checkout::sample(&[(name, text)]));
    one(&sample("daemon/src/store/log.rs", "use crate::journal::Entry;"), "may not name `journal::Entry`");
    one(&sample("daemon/src/disk/mod.rs", "use crate::{os::{self, Dir}, store};"), "may not name `store`");
    one(
        &sample("daemon/src/disk/mod.rs", "use crate::{record::FileMeta, store::Store};"),
        "name `store::Store`",
    );
    one(
        &sample("daemon/src/disk/mod.rs", "fn f() { crate::store::Store::open() }"),
        "name `store::Store::open`",
    );
    one(&sample("daemon/src/attic/mod.rs", ""), "`attic` is not in the layer table");
    none(sample("daemon/src/store/log.rs", "use crate::{limits, os::{Os, Dir}, record};"));
    none(sample("daemon/src/disk/mod.rs", "use crate::record::{self, FileMeta};"));
    none(sample("daemon/src/store/log.rs", "#[cfg(test)]\nmod tests { use crate::journal; }"));
    none(sample("daemon/src/main.rs", "use editd::run;"));
}

#[test]
fn the_table_has_no_cycle() {
    for (at, (module, may)) in LAYERS.iter().enumerate() {
        for below in *may {
            let place = LAYERS.iter().position(|(name, _)| name == below);
            assert!(
                place.is_some_and(|place| place < at),
                "`{module}` names `{below}`, which is not below it"
            );
        }
    }
}

#[test]
fn no_exception_outlives_its_use() {
    let tree = tree();
    for (module, item, _) in BESIDES {
        let exists = tree.rust().any(|(name, _)| name.starts_with(&format!("daemon/src/{module}")));
        let used = tree.rust().any(|(name, text)| {
            name.starts_with(&format!("daemon/src/{module}"))
                && named(&rust::shipped(text)).iter().any(|path| is_in(path, item))
        });
        assert!(used || !exists, "`{module}` no longer names `{item}`: take it out of the table");
    }
}
