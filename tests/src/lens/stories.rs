//! The scenarios: each kind of job, on each kind of file, after each kind of earlier actions.

use std::time::Duration;

use editd_proto::message::{Durability, FileEdit, FileEntry, UndoRequest};

use super::requests::{
    append, chmod, copy, create, cut, delete, file, job, paste, rename, replace, with, write,
};
use super::story::{Act, SimScenario};
use crate::sim::{Abilities, Outside};

/// Some bytes that are text, and no two lines alike.
#[must_use]
pub fn text(seed: &str, bytes: usize) -> Vec<u8> {
    let mut text = format!("start of {seed}\n");
    let mut line = 0;
    while text.len() < bytes {
        text.push_str(&format!("line {line} of {seed}\n"));
        line += 1;
    }
    text.push_str("the end\n");
    text.into_bytes()
}

fn put(outside: &Outside, path: &str, bytes: &[u8]) {
    let path = format!("/w/{path}");
    if let Some((folder, _)) = path.rsplit_once('/') {
        outside.mkdir(folder).expect("a folder can be made");
    }
    outside.write(&path, bytes).expect("a file can be made");
}

fn few(outside: &Outside) {
    put(outside, "a.txt", &text("a", 1500));
    put(outside, "b.txt", &text("b", 900));
    put(outside, "crlf.txt", b"one\r\ntwo\r\nthree\r\n");
    put(outside, "empty", b"");
    put(outside, "run.sh", &text("run", 100));
    outside.chmod("/w/run.sh", 0o755).expect("a mode can be set");
    put(outside, "untouched", &text("untouched", 700));
}

fn large(outside: &Outside) {
    few(outside);
    put(outside, "large.txt", &text("large", 10_000));
}

fn twenty(outside: &Outside) {
    for nth in 0..20 {
        put(outside, &format!("many/f{nth}.txt"), &text(&format!("f{nth}"), 60 + 90 * nth));
    }
    put(outside, "untouched", b"untouched\n");
}

fn linked(outside: &Outside) {
    few(outside);
    put(outside, "deep/one.txt", &text("linked", 2600));
    outside.link("/w/deep/one.txt", "/w/two.txt").expect("a link can be made");
}

fn mounted(outside: &Outside) {
    few(outside);
    outside.mount("/w/mnt").expect("a folder can be mounted");
    put(outside, "mnt/sub/m.txt", &text("m", 1300));
}

fn edit_a(new: &str) -> Act {
    job(vec![file("a.txt", vec![replace("line 20 of a", new)])])
}

fn undo() -> Act {
    Act::Undo(UndoRequest::default())
}

fn redo() -> Act {
    Act::Redo(UndoRequest::default())
}

/// Returns every scenario.
#[must_use]
pub fn all() -> Vec<SimScenario> {
    let mut all = plain();
    all.extend(pasts());
    all.extend(places());
    all.extend(spoilt());
    all
}

/// Each kind of job.
#[must_use]
pub fn plain() -> Vec<SimScenario> {
    let cut_and_paste =
        || job(vec![file("a.txt", vec![cut("line 3 of a\n", "kept")]), file("b.txt", vec![paste("kept")])]);
    vec![
        SimScenario::new("one file", few, edit_a("changed")),
        SimScenario::new(
            "a large file",
            large,
            job(vec![file("large.txt", vec![replace("line 99 of", "x")])]),
        ),
        SimScenario::new("an empty file", few, job(vec![file("empty", vec![append("no longer\n")])])),
        SimScenario::new("crlf", few, job(vec![file("crlf.txt", vec![replace("two", "2\n2")])])),
        SimScenario::new(
            "five files",
            few,
            job(["a.txt", "b.txt", "crlf.txt", "empty", "run.sh"]
                .map(|path| file(path, vec![append("more\n")]))
                .into()),
        ),
        SimScenario::new("twenty files", twenty, twenty_edits()),
        SimScenario::new(
            "new folders",
            few,
            job(vec![
                file("new/deep/c.txt", vec![create("c\n")]),
                file("new/d.txt", vec![create("d\n")]),
                file("a.txt", vec![append("see new/deep/c.txt\n")]),
            ]),
        ),
        SimScenario::new("delete", few, job(vec![file("b.txt", vec![delete()])])),
        SimScenario::new(
            "delete among edits",
            few,
            job(vec![
                file("a.txt", vec![append("b is gone\n")]),
                file("b.txt", vec![delete()]),
                file("c.txt", vec![create("here is c\n")]),
            ]),
        ),
        SimScenario::new("rename", few, job(vec![file("run.sh", vec![rename("bin/run")])])),
        SimScenario::new("copy", few, job(vec![file("run.sh", vec![copy("run2.sh")])])),
        SimScenario::new("chmod", few, job(vec![file("a.txt", vec![chmod(0o600)])])),
        SimScenario::new(
            "chmod and edit",
            few,
            job(vec![
                file("a.txt", vec![append("more\n")]),
                file("run.sh", vec![append("x\n")]),
                file("b.txt", vec![chmod(0o700)]),
            ]),
        ),
        SimScenario::new("cut and paste", few, cut_and_paste()),
        SimScenario::new("full", few, with(cut_and_paste(), Durability::Full)),
        SimScenario::new("relaxed", few, with(cut_and_paste(), Durability::Relaxed)),
    ]
}

fn twenty_edits() -> Act {
    let edits = |nth: usize| file(&format!("many/f{nth}.txt"), vec![replace("start of", "beginning of")]);
    job((0..20).map(edits).collect())
}

/// Jobs on top of other jobs, settled or not, and of what others wrote a moment ago.
#[must_use]
pub fn pasts() -> Vec<SimScenario> {
    let create_c = || job(vec![file("sub/c.txt", vec![create("line 1 of c\nline 2 of c\n")])]);
    let delete_b = || job(vec![file("b.txt", vec![delete()])]);
    let chain = || vec![edit_a("first"), job(vec![file("a.txt", vec![replace("first", "second, longer")])])];
    vec![
        SimScenario::new("undo", few, undo()).after(vec![edit_a("changed")]),
        SimScenario::new("undo of a settled job", few, undo()).after(vec![edit_a("changed"), Act::Settle]),
        SimScenario::new("undo of a creation", few, undo()).after(vec![create_c()]),
        SimScenario::new("undo of a deletion", few, undo()).after(vec![delete_b(), Act::Settle]),
        SimScenario::new("undo of a chmod", few, undo())
            .after(vec![job(vec![file("a.txt", vec![chmod(0o600)])])]),
        SimScenario::new("undo of twenty", twenty, undo()).after(vec![twenty_edits()]),
        SimScenario::new("redo", few, redo()).after(vec![edit_a("changed"), undo()]),
        SimScenario::new("a chain", few, job(vec![file("a.txt", vec![replace("second", "third")])]))
            .after(chain()),
        SimScenario::new(
            "a chain over a settled job",
            few,
            job(vec![file("a.txt", vec![replace("second", "third")])]),
        )
        .after(vec![
            edit_a("zero"),
            Act::Settle,
            job(vec![file("a.txt", vec![replace("zero", "second")])]),
        ]),
        SimScenario::new("a chain that ends in nothing", few, anyway("a.txt", delete())).after(chain()),
        SimScenario::new("created, then edited", few, job(vec![file("sub/c.txt", vec![append("end\n")])]))
            .after(vec![create_c()]),
        SimScenario::new("created, then deleted", few, anyway("sub/c.txt", delete())).after(vec![create_c()]),
        SimScenario::new("deleted, then created", few, job(vec![file("b.txt", vec![create("another b\n")])]))
            .after(vec![delete_b()]),
        SimScenario::new("mode changed, then edited", few, edit_a("changed"))
            .after(vec![job(vec![file("a.txt", vec![chmod(0o640)])])]),
        SimScenario::new("renamed, then edited", few, job(vec![file("bin/run", vec![append("x\n")])]))
            .after(vec![job(vec![file("run.sh", vec![rename("bin/run")])])]),
        SimScenario::new(
            "renamed, then another in its place",
            few,
            job(vec![file("run.sh", vec![create("new\n")])]),
        )
        .after(vec![job(vec![file("run.sh", vec![rename("bin/run")])])]),
        SimScenario::new("renamed there and back", few, anyway("bin/run", rename("run.sh")))
            .after(vec![job(vec![file("run.sh", vec![rename("bin/run")])])]),
        SimScenario::new("young", few, edit_a("changed")).young(young_a, &["a.txt"]),
        SimScenario::new(
            "young and old",
            few,
            job(vec![file("b.txt", vec![append("x\n")]), file("a.txt", vec![append("y\n")])]),
        )
        .young(young_a, &["a.txt"]),
        SimScenario::new("a young file is deleted", few, job(vec![file("a.txt", vec![delete()])]))
            .young(young_a, &["a.txt"]),
        SimScenario::new(
            "young and linked",
            linked,
            job(vec![file("two.txt", vec![replace("line 30 of", "x")])]),
        )
        .young(|outside| put(outside, "two.txt", &text("linked", 3100)), &["two.txt", "deep/one.txt"]),
        SimScenario::new("an old edit", few, edit_a("changed"))
            .after(vec![job(vec![file("b.txt", vec![append("x\n")])]), Act::Pass(Duration::from_secs(600))]),
    ]
}

fn young_a(outside: &Outside) {
    put(outside, "a.txt", &text("a", 2100));
}

/// Whatever the session has seen.
fn anyway(path: &str, edit: FileEdit) -> Act {
    let mut entry = file(path, vec![edit]);
    entry.base = Some("any".to_owned());
    job(vec![entry])
}

/// Jobs that others may spoil in the last moment, on files in folders that may be moved, and after what others did.
#[must_use]
pub fn spoilt() -> Vec<SimScenario> {
    let both = || vec![file("a.txt", vec![append("x\n")]), file("b.txt", vec![append("y\n")])];
    let held = |path| job(vec![file(path, vec![append("first\n")])]);
    vec![
        SimScenario::new("two files", few, job(both())),
        SimScenario::new("two files, as they were", few, job(both().into_iter().map(as_it_was).collect())),
        SimScenario::new("two files, full", few, with(job(both()), Durability::Full)),
        SimScenario::new(
            "written anew in a folder, and another",
            folders,
            job(vec![file("d1/a.txt", vec![write("all new\n")]), file("b.txt", vec![append("x\n")])]),
        ),
        SimScenario::new(
            "in a folder",
            folders,
            job(vec![file("d1/a.txt", vec![replace("line 20 of a", "x")])]),
        ),
        SimScenario::new(
            "created, and another as it was",
            few,
            job(vec![
                file("sub/new/c.txt", vec![create("c\n")]),
                as_it_was(file("b.txt", vec![append("see c\n")])),
            ]),
        ),
        SimScenario::new("deleted, and another as it was", folders, {
            job(vec![file("d1/a.txt", vec![delete()]), as_it_was(file("b.txt", vec![append("x\n")]))])
        }),
        SimScenario::new("an old file in its place", folders, edit_a("changed")).young(
            |outside| outside.rename("/w/d1/a.txt", "/w/a.txt").expect("a file can be moved"),
            &["a.txt", "d1/a.txt"],
        ),
        SimScenario::new("a file beside it in its place", folders, edit_a("changed")).young(
            |outside| outside.rename("/w/old.txt", "/w/a.txt").expect("a file can be moved"),
            &["a.txt", "old.txt"],
        ),
        SimScenario::new("held, and emptied", few, job(vec![file("b.txt", vec![append("second\n")])])).after(
            vec![
                Act::Hold("a.txt"),
                Act::Hold("b.txt"),
                job(vec![file("a.txt", vec![append("x\n")]), file("b.txt", vec![append("first\n")])]),
                Act::Settle,
                Act::Others(|outside| {
                    outside.write("/w/a.txt", b"").expect("a file can be emptied");
                    outside.flush("/w/a.txt").expect("a file can be flushed");
                }),
                Act::Look("a.txt"),
                Act::Flush,
            ],
        ),
        SimScenario::new("held, and edited again", few, held("a.txt")).after(vec![
            Act::Hold("a.txt"),
            held("a.txt"),
            Act::Settle,
            held("a.txt"),
        ]),
    ]
}

fn folders(outside: &Outside) {
    few(outside);
    put(outside, "d1/a.txt", &text("a", 1700));
    put(outside, "old.txt", &text("a", 1900));
}

/// Returns the entry with the hash of the initial content as its only base.
fn as_it_was(entry: FileEntry) -> FileEntry {
    let was = match entry.path.display().as_str() {
        "a.txt" => text("a", 1500),
        "b.txt" => text("b", 900),
        other => panic!("no story knows {other} as it was"),
    };
    FileEntry { base: Some(format!("blake3:{}", blake3::hash(&was).to_hex())), ..entry }
}

/// Files with several names, on other mounts, and systems that can do less.
#[must_use]
pub fn places() -> Vec<SimScenario> {
    let linked_job = |old: &'static str, new: &str| job(vec![file("two.txt", vec![replace(old, new)])]);
    let grow = || {
        linked_job("line 7 of linked\n", "line 7 of linked\nand a line more, which moves all that follows\n")
    };
    let no_exchange = Abilities { exchange: false, ..Abilities::default() };
    let poor = Abilities {
        exchange: false,
        no_replace: false,
        leases: false,
        birth_times: false,
        ..Abilities::default()
    };
    let mixed = || {
        job(vec![
            file("a.txt", vec![append("x\n")]),
            file("b.txt", vec![delete()]),
            file("n/c.txt", vec![create("c\n")]),
        ])
    };
    vec![
        SimScenario::new(
            "a rename over a file",
            few,
            anyway("a.txt", FileEdit { overwrite: Some(true), ..rename("b.txt") }),
        ),
        SimScenario::new("linked, growing", linked, grow()),
        SimScenario::new("linked, shrinking", linked, linked_job("line 7 of linked\nline 8 of linked\n", "")),
        SimScenario::new("linked, mode", linked, job(vec![file("two.txt", vec![chmod(0o600)])])),
        SimScenario::new(
            "linked, among others",
            linked,
            job(vec![
                file("a.txt", vec![append("x\n")]),
                file("two.txt", vec![replace("line 9 of", "ninth of")]),
            ]),
        ),
        SimScenario::new("linked, again", linked, linked_job("line 8 of linked\n", "")).after(vec![grow()]),
        SimScenario::new("linked, undone", linked, undo()).after(vec![grow()]),
        SimScenario::new(
            "on another mount",
            mounted,
            job(vec![file("mnt/sub/m.txt", vec![append("x\n")]), file("a.txt", vec![append("y\n")])]),
        ),
        SimScenario::new(
            "created on another mount",
            mounted,
            job(vec![file("mnt/new/n.txt", vec![create("n\n")])]),
        ),
        SimScenario::new(
            "deleted on another mount",
            mounted,
            job(vec![file("mnt/sub/m.txt", vec![delete()])]),
        ),
        SimScenario::new("without exchange", few, mixed()).on(no_exchange),
        SimScenario::new("without anything", few, mixed()).on(poor),
        SimScenario::new("undo without exchange", few, undo()).after(vec![mixed()]).on(no_exchange),
        SimScenario::new("in coarse time", few, mixed())
            .on(Abilities { fine_times: false, ..Abilities::default() }),
    ]
}
