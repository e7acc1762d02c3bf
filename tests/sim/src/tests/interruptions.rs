//! Tests of the crash and fault tests: they find errors, and accept correct code.

use std::collections::BTreeSet;
use std::io;

use super::{Os, machine, root};
use crate::{EIO, ENOSPC, Interruption, SimMachine, SystemFeatures, crashes, faults};

/// The flushes that a replacement of a file makes.
#[derive(Clone, Copy)]
struct FlushChoice {
    flush_file: bool,
    flush_folder: bool,
}

const RIGHT: FlushChoice = FlushChoice { flush_file: true, flush_folder: true };

/// Replaces `/w/f` and says so by a file outside of the machine: the returned `Ok`.
fn replace(machine: &SimMachine, way: FlushChoice) -> io::Result<()> {
    let dir = root_of(machine)?;
    // What an earlier, killed process left.
    match dir.remove_file(b"f.new") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        done => done?,
    }
    let file = dir.create_file(b"f.new", 0o644)?;
    file.write_all_at(&[b'n'; 1500], 0)?;
    if way.flush_file {
        file.sync_data()?;
    }
    machine.rename(&dir, b"f.new", &dir, b"f")?;
    if way.flush_folder {
        dir.sync()?;
    }
    Ok(())
}

fn root_of(machine: &SimMachine) -> io::Result<editd::testing::Dir> {
    machine.open_dir(std::path::Path::new("/w"))
}

/// Returns the faults that the crash test finds in a replacement: a torn file, or an acknowledged replacement that is
/// lost.
fn faults_of(way: FlushChoice, features: SystemFeatures, lies: bool) -> BTreeSet<&'static str> {
    let (base, _) = machine();
    base.outside().write("/w/f", &[b'o'; 1000]).unwrap();
    base.settle();
    base.set_features(features);
    base.lie_about_sync(lies);
    let acknowledged = std::cell::Cell::new(false);
    let mut found = BTreeSet::new();
    let effects = crashes(
        &base,
        500,
        1,
        |machine| acknowledged.set(replace(machine, way).is_ok()),
        |run| match run.machine.outside().read("/w/f").unwrap() {
            bytes if bytes == [b'n'; 1500] => {}
            bytes if bytes == [b'o'; 1000] => {
                if acknowledged.get() {
                    found.insert("lost");
                }
            }
            _ => {
                assert!(
                    matches!(run.interruption, Interruption::Cut { .. }),
                    "a kill tears nothing: {run:?}"
                );
                found.insert("torn");
            }
        },
    );
    assert_eq!(effects, 3 + u64::from(way.flush_file) + u64::from(way.flush_folder));
    found
}

#[test]
fn correct_code_passes_the_crash_test() {
    for ordered_names in [true, false] {
        let features = SystemFeatures { ordered_names, ..SystemFeatures::default() };
        assert_eq!(faults_of(RIGHT, features, false), [].into());
    }
}

#[test]
fn the_crash_test_finds_each_missing_flush_and_a_lying_disk() {
    let usual = SystemFeatures::default();
    assert_eq!(faults_of(FlushChoice { flush_file: false, ..RIGHT }, usual, false), ["torn"].into());
    assert_eq!(faults_of(FlushChoice { flush_folder: false, ..RIGHT }, usual, false), ["lost"].into());
    assert_eq!(faults_of(RIGHT, usual, true), ["lost", "torn"].into());
}

#[test]
fn the_fault_test_fails_every_call_once_and_for_ever() {
    let (base, _) = machine();
    base.outside().write("/w/f", &[b'o'; 1000]).unwrap();
    base.settle();
    let last = std::cell::RefCell::new(None);
    let mut seen = Vec::new();
    let calls = faults(
        &base,
        &[EIO, ENOSPC],
        |machine| *last.borrow_mut() = Some(replace(machine, RIGHT)),
        |run| {
            let error = last.borrow_mut().take().unwrap().unwrap_err();
            let Interruption::Fault { call, lasting, errno } = run.interruption else { return };
            assert_eq!(error.raw_os_error(), Some(errno));
            assert!(root(&run.machine).list().is_ok(), "the fault is gone");
            // The process is killed and the next one does it again.
            replace(&run.machine.kill(), RIGHT).unwrap();
            seen.push((call, errno, lasting));
        },
    );
    assert_eq!(calls, 7);
    assert_eq!(seen.len(), 7 * 2 * 2);
}
