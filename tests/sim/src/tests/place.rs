//! Resolving while others act at the worst moment, which only a simulated machine can choose.

use std::path::Path;
use std::sync::Arc;

use editd::testing::{ResolveError, ResolvedPath, WorkspaceRoot, resolve_path};
use editd_proto::path::FilePath;

use super::machine;
use crate::{EACCES, EIO, EMFILE, Fault, FaultDuration, HookTiming, OsCall, SimMachine};

fn root(machine: &SimMachine) -> WorkspaceRoot {
    WorkspaceRoot::open(Arc::new(machine.clone()), Path::new("/w")).unwrap()
}

fn system() -> (SimMachine, WorkspaceRoot) {
    let (machine, _) = machine();
    let outside = machine.outside();
    outside.mkdir("/out").unwrap();
    outside.mkdir("/w/src/deep").unwrap();
    outside.write("/w/src/a", b"a").unwrap();
    outside.symlink("/out", "/w/link").unwrap();
    let root = root(&machine);
    (machine, root)
}

fn go(root: &WorkspaceRoot, path: &str) -> Result<ResolvedPath, ResolveError> {
    resolve_path(root, &FilePath::from(path))
}

#[test]
fn a_link_that_appears_at_any_call_leads_nowhere_outside() {
    let (base, _) = system();
    let mut faces = 0;
    for call in 1..12 {
        for when in [HookTiming::Before, HookTiming::After] {
            let machine = base.fork();
            let root = root(&machine);
            machine.at_call(machine.calls() + call, when, |outside| {
                outside.exchange("/w/src", "/w/link").unwrap()
            });
            let made = go(&root, "src/x/y/f").and_then(|place| {
                let (parent, _) = place.ensure_folders(0)?;
                Ok(parent.create_file(place.name(), 0o600).unwrap())
            });
            assert_eq!(base.snapshot("/out").unwrap(), machine.snapshot("/out").unwrap(), "call {call}");
            faces += u32::from(made.is_err());
        }
    }
    assert!(faces > 0);
}

#[test]
fn a_path_that_changes_while_it_is_observed_is_observed_again() {
    let (base, _) = system();
    let run = |op, change: fn(&crate::OutsideProcess)| {
        let machine = base.fork();
        let root = root(&machine);
        machine.at_next(op, 0, HookTiming::After, change);
        go(&root, "link/a").map(|place| (place.path().clone(), place.stat().is_some()))
    };
    // The link becomes the folder after it failed to open, and after it was seen to be a link.
    for op in [OsCall::OpenDir, OsCall::Stat] {
        let found = run(op, |outside| outside.exchange("/w/link", "/w/src").unwrap()).unwrap();
        assert_eq!(found, (FilePath::from("link/a"), true));
    }
    let found = run(OsCall::OpenDir, |outside| outside.remove("/w/link").unwrap()).unwrap();
    assert_eq!(found, (FilePath::from("link/a"), false));
    let machine = base.fork();
    let root = root(&machine);
    for skip in 0..100 {
        machine.at_next(OsCall::OpenDir, skip, HookTiming::Before, |outside| {
            outside.exchange("/w/link", "/w/src").unwrap()
        });
        machine.at_next(OsCall::OpenDir, skip, HookTiming::After, |outside| {
            outside.exchange("/w/link", "/w/src").unwrap()
        });
    }
    assert!(matches!(go(&root, "src/a"), Err(ResolveError::Changing(_))), "and not for ever");
}

#[test]
fn created_folders_are_removed_if_one_cannot_be_made() {
    let (base, _) = system();
    let before = base.snapshot("/w").unwrap();
    let calls = {
        let machine = base.fork();
        let place = go(&root(&machine), "x/y/z/f").unwrap();
        let from = machine.calls();
        place.ensure_folders(0).unwrap();
        machine.calls() - from
    };
    for call in 1..=calls {
        let machine = base.fork();
        let place = go(&root(&machine), "x/y/z/f").unwrap();
        machine.fail_call(machine.calls() + call, EMFILE, FaultDuration::Once);
        assert!(matches!(place.ensure_folders(0), Err(ResolveError::Io { .. })), "call {call}");
        assert_eq!(machine.snapshot("/w").unwrap(), before, "call {call}");
    }
}

#[test]
fn the_error_of_the_system_is_returned() {
    let (base, _) = system();
    for (errno, code) in [(EACCES, editd_proto::ErrorCode::Denied), (EIO, editd_proto::ErrorCode::Io)] {
        for op in [OsCall::OpenDir, OsCall::Stat] {
            let machine = base.fork();
            let root = root(&machine);
            machine.fail(Fault { at: 0, lasting: FaultDuration::ForEver, only: vec![op], errno, written: 0 });
            let path = FilePath::from("src/deep/f");
            assert_eq!(resolve_path(&root, &path).unwrap_err().to_wire(&path).code, code);
        }
    }
}
