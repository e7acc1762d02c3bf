//! Processes that die, calls that fail, and others on the same machine.

use std::io::ErrorKind;

use editd::testing::{LeaseState, OsFile};

use super::{Access, Dir, Os, content, contents, machine, make, read_all, root};
use crate::{ENOSPC, Fault, FaultDuration, HookTiming, OsCall, SimMachine, SystemFeatures, is_dead};

/// Three effects.
fn scenario(dir: &Dir) -> std::io::Result<()> {
    let file = dir.create_file(b"f", 0o600)?;
    file.write_all_at(b"hello", 0)?;
    file.set_mode(0o640)
}

#[test]
fn a_process_stops_after_each_effect_and_changes_nothing_more() {
    let (base, _) = machine();
    let mut seen = Vec::new();
    for stop in 0..=3 {
        let machine = base.fork();
        let dir = root(&machine);
        machine.stop_after(stop);
        let done = scenario(&dir);
        assert_eq!(done.is_ok(), stop == 3);
        assert!(done.err().is_none_or(|error| is_dead(&error)));
        assert!(machine.stopped());
        assert!(dir.stat(b"f").is_err_and(|error| is_dead(&error)));
        seen.push(machine.kill().snapshot("/w").unwrap().0.into_values().next());
    }
    let text: Vec<String> = seen.iter().map(|seen| format!("{seen:?}")).collect();
    assert_eq!(
        text,
        ["None", "Some(600 0 bytes \"\")", "Some(600 5 bytes \"hello\")", "Some(640 5 bytes \"hello\")"]
    );
}

#[test]
fn a_process_may_stop_inside_a_write() {
    let (machine, dir) = machine();
    machine.stop_inside(2, 3);
    assert!(is_dead(&scenario(&dir).unwrap_err()));
    assert_eq!(machine.kill().outside().read("/w/f").unwrap(), b"hel");
}

#[test]
fn locks_of_a_killed_process_are_free_and_its_calls_fail() {
    let (machine, dir) = machine();
    make(&dir, b"f", b"x");
    let (locked, leased) =
        (dir.open_file(b"f", Access::Read).unwrap(), dir.open_file(b"f", Access::Read).unwrap());
    assert!(locked.try_lock().unwrap());
    assert_eq!(leased.lease().unwrap(), LeaseState::Held);
    let next = machine.kill();
    assert!(is_dead(&locked.stat().unwrap_err()) && is_dead(&machine.boot_id().unwrap_err()));
    let again = root(&next).open_file(b"f", Access::Write).unwrap();
    assert!(again.try_lock().unwrap());
    drop((locked, leased));
    assert!(!root(&next).open_file(b"f", Access::Read).unwrap().try_lock().unwrap());
    assert_eq!(content(&root(&next), b"f"), b"x", "what was not flushed outlives a kill");
}

#[test]
fn a_call_fails_once_or_for_ever_and_a_write_in_part() {
    let (base, _) = machine();
    for call in 2..=4 {
        let machine = base.fork();
        let dir = root(&machine);
        machine.fail_call(call, ENOSPC, FaultDuration::Once);
        assert_eq!(scenario(&dir).unwrap_err().kind(), ErrorKind::StorageFull);
        let retried = if call == 2 { scenario(&dir) } else { dir.stat(b"f").map(drop) };
        retried.unwrap();
        machine.fail_call(machine.calls() + 1, ENOSPC, FaultDuration::ForEver);
        assert!(dir.stat(b"f").is_err() && dir.stat(b"f").is_err());
        machine.remove_faults();
        assert!(dir.stat(b"f").is_ok());
    }
    let machine = base.fork();
    let only = vec![OsCall::WriteAt];
    machine.fail(Fault { at: 0, lasting: FaultDuration::Once, only, errno: ENOSPC, written: 2 });
    assert!(scenario(&root(&machine)).is_err());
    assert_eq!(machine.outside().read("/w/f").unwrap(), b"he");
    assert_eq!(machine.trace()[2].as_ref(), "3 WriteAt ");
}

#[test]
fn after_a_failed_flush_a_later_one_succeeds_and_flushes_nothing() {
    let (machine, dir) = machine();
    let file = make(&dir, b"f", b"old");
    file.sync_all().unwrap();
    file.write_all_at(b"new", 0).unwrap();
    machine.fail_call(machine.calls() + 1, crate::EIO, FaultDuration::Once);
    assert!(file.sync_data().is_err());
    file.sync_data().unwrap();
    assert!(contents(&machine, "/w/f").contains(&Some(b"old".to_vec())));
}

#[test]
fn blocks_written_again_after_a_failed_flush_are_flushed() {
    let (machine, dir) = machine();
    let two_blocks = [vec![b'a'; 4096], vec![b'b'; 100]].concat();
    let file = make(&dir, b"f", &two_blocks);
    machine.fail_call(machine.calls() + 1, crate::EIO, FaultDuration::Once);
    assert!(file.sync_all().is_err());
    file.write_all_at(b"B", 4096).unwrap();
    file.sync_all().unwrap();
    dir.sync().unwrap();
    let second = [&b"B"[..], &[b'b'; 99]].concat();
    for shown in contents(&machine, "/w/f") {
        let shown = shown.unwrap();
        assert_eq!(shown.get(4096..), Some(&second[..]), "its block was written again, and whole");
    }
    assert!(contents(&machine, "/w/f").len() > 1, "the other one was not");
    file.write_all_at(&two_blocks, 0).unwrap();
    file.sync_all().unwrap();
    assert_eq!(contents(&machine, "/w/f"), [Some(two_blocks)].into());
}

#[test]
fn leases_see_writers_in_both_orders() {
    let (machine, dir) = machine();
    make(&dir, b"f", b"x");
    let ours = dir.open_file(b"f", Access::Read).unwrap();
    let writer = machine.outside().open("/w/f").unwrap();
    assert_eq!(ours.lease().unwrap(), LeaseState::Writer);
    drop(writer);
    assert_eq!(ours.lease().unwrap(), LeaseState::Held);
    assert!(ours.lease_intact().unwrap());
    machine.outside().read("/w/f").unwrap();
    assert!(ours.lease_intact().unwrap(), "a reader breaks nothing");
    let writer = machine.outside().open("/w/f").unwrap();
    assert!(!ours.lease_intact().unwrap());
    dir.remove_file(b"f").unwrap();
    writer.append(b"late").unwrap();
    assert_eq!(read_all(&*ours, 100).unwrap(), b"xlate");
    assert_eq!(writer.read(), b"xlate");
    assert_eq!(ours.stat().unwrap().links, 0);
    machine.set_features(SystemFeatures { leases: false, ..SystemFeatures::default() });
    assert_eq!(ours.lease().unwrap(), LeaseState::Unsupported);
}

#[test]
fn our_own_writer_does_not_wait_for_our_lease() {
    let (_machine, dir) = machine();
    let write = make(&dir, b"f", b"x");
    assert_eq!(write.lease().unwrap_err().kind(), ErrorKind::InvalidInput);
    drop(write);
    let ours = dir.open_file(b"f", Access::Read).unwrap();
    assert_eq!(ours.lease().unwrap(), LeaseState::Held);
    assert_eq!(dir.open_file(b"f", Access::Write).err().unwrap().kind(), ErrorKind::WouldBlock);
    assert!(!ours.lease_intact().unwrap());
    ours.release_lease().unwrap();
    dir.open_file(b"f", Access::Write).unwrap();
}

#[test]
fn outside_processes_act_at_a_chosen_call() {
    let (machine, dir) = machine();
    make(&dir, b"a", b"A");
    make(&dir, b"b", b"B");
    machine.at_next(OsCall::Exchange, 1, HookTiming::Before, |outside| {
        outside.replace("/w/a", b"outside").unwrap()
    });
    machine.at_next(OsCall::Exchange, 1, HookTiming::After, |outside| outside.append("/w/a", b"!").unwrap());
    machine.exchange(&dir, b"a", &dir, b"b").unwrap();
    assert_eq!(content(&dir, b"a"), b"B");
    machine.exchange(&dir, b"a", &dir, b"b").unwrap();
    assert_eq!((content(&dir, b"a"), content(&dir, b"b")), (b"A!".to_vec(), b"outside".to_vec()));
    machine.at_call(machine.calls() + 1, HookTiming::Before, |outside| outside.remove("/w/a").unwrap());
    assert_eq!(dir.stat(b"a").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn inode_numbers_are_reused_and_birth_times_are_not() {
    let (_machine, dir) = machine();
    make(&dir, b"f", b"x");
    let first = dir.stat(b"f").unwrap().identity;
    dir.remove_file(b"f").unwrap();
    make(&dir, b"g", b"x");
    let second = dir.stat(b"g").unwrap().identity;
    assert_eq!((first.dev, first.ino), (second.dev, second.ino));
    assert_ne!(first.born, second.born);
}

#[test]
fn a_fork_is_another_machine() {
    let (machine, dir) = machine();
    let file = make(&dir, b"segment", &vec![1; 1 << 20]);
    file.sync_all().unwrap();
    let forks: Vec<SimMachine> = (0..200).map(|_| machine.fork()).collect();
    for (number, fork) in forks.iter().enumerate() {
        let file = root(fork).open_file(b"segment", Access::Write).unwrap();
        file.write_all_at(&[9], number as u64 * 4096).unwrap();
    }
    assert_eq!(content(&dir, b"segment"), vec![1; 1 << 20]);
    let last = content(&root(&forks[199]), b"segment");
    assert_eq!((last[199 * 4096], last[0], last.len()), (9, 1, 1 << 20));
}

#[test]
fn another_file_system_has_its_own_number_and_refuses_moves() {
    let (machine, dir) = machine();
    machine.outside().mount("/w/mnt").unwrap();
    make(&dir, b"f", b"x");
    let mount = dir.open_dir(b"mnt").unwrap();
    make(&mount, b"g", b"y");
    assert_ne!(mount.stat(b"g").unwrap().identity.dev, dir.stat(b"f").unwrap().identity.dev);
    let refused = [
        machine.rename(&dir, b"f", &mount, b"h"),
        machine.exchange(&dir, b"f", &mount, b"g"),
        machine.link(&dir, b"f", &mount, b"h"),
    ];
    for error in refused {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::CrossesDevices);
    }
}

#[test]
fn reads_may_be_short_and_a_file_may_grow_while_it_is_read() {
    let (machine, dir) = machine();
    make(&dir, b"f", b"0123456789");
    machine.read_at_most(3);
    let file = dir.open_file(b"f", Access::Read).unwrap();
    assert_eq!(file.read_at(&mut [0; 8], 0).unwrap(), 3);
    assert_eq!(read_all(&*file, 100).unwrap(), b"0123456789");
    machine.read_at_most(usize::MAX);
    for limit in [12, 3, 5000] {
        machine.at_next(OsCall::FileStat, 0, HookTiming::After, |outside| {
            outside.append("/w/f", &[b'x'; 6000]).unwrap()
        });
        assert_eq!(read_all(&*file, limit).unwrap().len(), limit + 1);
    }
}

#[test]
fn without_fine_times_a_change_leaves_the_time() {
    let (machine, dir) = machine();
    machine.set_features(SystemFeatures {
        fine_times: false,
        birth_times: false,
        ..SystemFeatures::default()
    });
    let file: &dyn OsFile = &*make(&dir, b"f", b"x");
    let before = file.stat().unwrap();
    file.write_all_at(b"y", 0).unwrap();
    assert_eq!(file.stat().unwrap(), before);
    assert_eq!(before.identity.born, 0);
}
