//! The states after power cuts: all that was flushed is there, and every state that a disk may leave occurs.

use super::{Access, Os, contents, machine, make, root};
use crate::{SeededRandom, SimMachine, StateEnumerator, SystemFeatures};

fn some(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(bytes.to_vec())
}

#[test]
fn write_and_rename_without_a_flush_loses_the_content() {
    let (machine, dir) = machine();
    machine.outside().write("/w/f", b"old").unwrap();
    machine.settle();
    make(&dir, b"f.new", b"new");
    machine.rename(&dir, b"f.new", &dir, b"f").unwrap();
    let found = contents(&machine, "/w/f");
    assert!(found.contains(&some(b"")), "the name without the bytes");
    assert!(found.contains(&some(b"old")) && found.contains(&some(b"new")));
    assert!(found.contains(&some(b"\0\0\0")), "the length without the bytes");
}

#[test]
fn with_the_flushes_only_old_or_new_is_seen_and_after_the_last_only_new() {
    let (machine, dir) = machine();
    machine.outside().write("/w/f", b"old").unwrap();
    machine.settle();
    make(&dir, b"f.new", b"new").sync_data().unwrap();
    machine.rename(&dir, b"f.new", &dir, b"f").unwrap();
    assert_eq!(contents(&machine, "/w/f"), [some(b"old"), some(b"new")].into());
    dir.sync().unwrap();
    assert_eq!(contents(&machine, "/w/f"), [some(b"new")].into());
}

#[test]
fn a_flush_of_the_bytes_does_not_flush_the_name_and_sync_all_does() {
    let (machine, dir) = machine();
    let file = make(&dir, b"f", b"x");
    file.sync_data().unwrap();
    assert_eq!(contents(&machine, "/w/f"), [None, some(b"x")].into());
    file.sync_all().unwrap();
    assert_eq!(contents(&machine, "/w/f"), [some(b"x")].into());
}

#[test]
fn names_persist_in_the_order_in_which_they_were_made() {
    let (machine, dir) = machine();
    machine.outside().mkdir("/w/other").unwrap();
    machine.settle();
    for name in [b"a", b"b", b"c"] {
        dir.create_file(name, 0o644).unwrap();
    }
    let states: Vec<usize> =
        machine.all_cuts(100).unwrap().iter().map(|cut| cut.snapshot("/w").unwrap().0.len() - 1).collect();
    assert_eq!(states, [0, 1, 2, 3]);
    dir.open_dir(b"other").unwrap().create_file(b"d", 0o644).unwrap();
    machine.rename(&dir, b"a", &dir, b"z").unwrap();
    dir.open_dir(b"other").unwrap().sync().unwrap();
    for cut in machine.all_cuts(100).unwrap() {
        let seen = cut.snapshot("/w").unwrap();
        assert!(
            seen.file("b").is_some() && seen.file("other/d").is_some(),
            "before the flushed name: {seen:?}"
        );
        assert!(seen.file("a").is_some() != seen.file("z").is_some());
    }
}

#[test]
fn without_a_common_order_a_folder_that_nobody_flushed_may_lose_what_was_done_first() {
    let (machine, dir) = machine();
    machine.outside().mkdir("/w/other").unwrap();
    machine.settle();
    machine.set_features(SystemFeatures { ordered_names: false, ..SystemFeatures::default() });
    let other = dir.open_dir(b"other").unwrap();
    make(&dir, b"a", b"").set_mode(0o600).unwrap();
    machine.rename(&dir, b"a", &dir, b"b").unwrap();
    make(&other, b"c", b"");
    let states = |machine: &SimMachine| {
        let cuts = machine.all_cuts(100).unwrap();
        let name = |cut: &SimMachine, path: &str| u8::from(cut.outside().stat(path).is_ok());
        let seen: std::collections::BTreeSet<[u8; 3]> =
            cuts.iter().map(|cut| ["/w/a", "/w/b", "/w/other/c"].map(|path| name(cut, path))).collect();
        seen.into_iter().collect::<Vec<_>>()
    };
    let all = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]];
    assert_eq!(states(&machine), all);
    other.sync().unwrap();
    assert_eq!(states(&machine), [[0, 0, 1], [0, 1, 1], [1, 0, 1]]);
    dir.sync().unwrap();
    assert_eq!(states(&machine), [[0, 1, 1]]);
    // A folder's creation is needed by what is flushed in it.
    dir.create_dir(b"new", 0o755).unwrap();
    machine.rename(&dir, b"b", &dir.open_dir(b"new").unwrap(), b"d").unwrap();
    dir.open_dir(b"new").unwrap().sync().unwrap();
    let cuts = machine.all_cuts(100).unwrap();
    assert!(cuts.iter().all(|cut| cut.outside().stat("/w/new/d").is_ok_and(|stat| stat.mode == 0o600)));
}

#[test]
fn random_histories_survive_cuts_in_any_order_whole() {
    for seed in 0..40 {
        let (machine, dir) = machine();
        machine.set_features(SystemFeatures { ordered_names: seed % 2 == 0, ..SystemFeatures::default() });
        let mut random = SeededRandom::new(seed);
        let names: [&[u8]; 4] = [b"a", b"b", b"c", b"d"];
        for _ in 0..60 {
            let mut pick = || names[(random.next_number() % 4) as usize];
            let (name, to, within) = (pick(), pick(), pick());
            let folder = dir.open_dir(within).unwrap_or_else(|_| dir.clone());
            match random.next_number() % 7 {
                0 => drop(folder.create_file(name, 0o644)),
                1 => drop(folder.create_dir(name, 0o755)),
                2 => drop(machine.rename(&dir, name, &folder, to)),
                3 => drop(machine.exchange(&folder, name, &dir, to)),
                4 => drop(folder.remove_file(name).or_else(|_| folder.remove_dir(name))),
                5 => drop(machine.link(&dir, name, &folder, to)),
                _ => folder.sync().unwrap(),
            }
        }
        for cut in machine.cuts(60, seed) {
            assert_eq!(cut.inconsistency(), None, "seed {seed}");
        }
    }
}

#[test]
fn bytes_in_place_mix_by_sector() {
    let (machine, dir) = machine();
    machine.outside().write("/w/f", &[b'o'; 1024]).unwrap();
    machine.settle();
    dir.open_file(b"f", Access::Write).unwrap().write_all_at(&[b'n'; 1024], 0).unwrap();
    let found = contents(&machine, "/w/f");
    let mixed = |first: u8, second: u8| Some([[first; 512], [second; 512]].concat());
    assert_eq!(found, [mixed(b'o', b'o'), mixed(b'o', b'n'), mixed(b'n', b'o'), mixed(b'n', b'n')].into());
}

#[test]
fn a_lengthened_file_shows_zeros_or_bytes_or_is_short() {
    let (machine, dir) = machine();
    make(&dir, b"f", b"").sync_all().unwrap();
    let file = dir.open_file(b"f", Access::Write).unwrap();
    file.write_all_at(&[b'n'; 1000], 0).unwrap();
    let found = contents(&machine, "/w/f");
    let mixed = |first: u8, second: u8| Some([vec![first; 512], vec![second; 488]].concat());
    assert_eq!(found, [some(b""), mixed(0, 0), mixed(0, b'n'), mixed(b'n', 0), mixed(b'n', b'n')].into());
}

#[test]
fn a_truncated_file_never_shows_old_bytes_beside_new_ones() {
    let (machine, _dir) = machine();
    machine.outside().write("/w/f", &[b'o'; 1024]).unwrap();
    machine.settle();
    machine.outside().write("/w/f", &[b'n'; 1024]).unwrap();
    for found in contents(&machine, "/w/f") {
        let bytes = found.unwrap();
        assert!(!(bytes.contains(&b'o') && bytes.contains(&b'n')), "{bytes:?}");
        assert!(!bytes.contains(&b'o') || bytes == [b'o'; 1024]);
    }
}

#[test]
fn a_sector_may_keep_any_content_that_it_had_since_the_flush() {
    let (machine, dir) = machine();
    let file = make(&dir, b"f", b"1");
    file.sync_all().unwrap();
    file.write_all_at(b"2", 0).unwrap();
    file.write_all_at(b"3", 0).unwrap();
    assert_eq!(contents(&machine, "/w/f"), [some(b"1"), some(b"2"), some(b"3")].into());
    file.sync_data().unwrap();
    assert_eq!(contents(&machine, "/w/f"), [some(b"3")].into());
}

#[test]
fn a_lying_disk_loses_what_was_flushed() {
    let (machine, dir) = machine();
    machine.lie_about_sync(true);
    make(&dir, b"f", b"x").sync_all().unwrap();
    dir.sync().unwrap();
    assert!(contents(&machine, "/w/f").contains(&None));
}

#[test]
fn an_exchange_is_whole_or_half_where_the_machine_has_that_oddity() {
    let (machine, dir) = machine();
    make(&dir, b"a", b"A");
    make(&dir, b"b", b"B");
    machine.settle();
    machine.exchange(&dir, b"a", &dir, b"b").unwrap();
    let states = |machine: &SimMachine| -> Vec<(Vec<u8>, Vec<u8>)> {
        let cuts = machine.all_cuts(100).unwrap();
        let read = |cut: &SimMachine, path| cut.outside().read(path).unwrap();
        let mut seen: Vec<_> = cuts.iter().map(|cut| (read(cut, "/w/a"), read(cut, "/w/b"))).collect();
        seen.sort();
        seen
    };
    let pair = |a: &[u8], b: &[u8]| (a.to_vec(), b.to_vec());
    assert_eq!(states(&machine), [pair(b"A", b"B"), pair(b"B", b"A")]);
    machine.set_features(SystemFeatures { half_exchanges: true, ..SystemFeatures::default() });
    assert_eq!(states(&machine), [pair(b"A", b"A"), pair(b"A", b"B"), pair(b"B", b"A"), pair(b"B", b"B")]);
    for cut in machine.all_cuts(100).unwrap() {
        assert_eq!(cut.outside().stat("/w/a").unwrap().links, 1);
    }
}

#[test]
fn a_removed_file_may_come_back_and_modes_go_with_the_order() {
    let (machine, dir) = machine();
    make(&dir, b"f", b"x");
    machine.settle();
    dir.open_file(b"f", Access::Write).unwrap().set_mode(0o600).unwrap();
    dir.remove_file(b"f").unwrap();
    let modes: Vec<Option<u32>> = machine
        .all_cuts(100)
        .unwrap()
        .iter()
        .map(|cut| cut.outside().stat("/w/f").ok().map(|stat| stat.mode))
        .collect();
    assert_eq!(modes, [Some(0o644), Some(0o600), None]);
}

#[test]
fn a_cut_changes_the_boot_and_a_kill_does_not() {
    let (machine, dir) = machine();
    make(&dir, b"f", b"x").sync_all().unwrap();
    let boot = machine.boot_id().unwrap();
    let born = dir.stat(b"f").unwrap().identity;
    let after = machine.kill();
    assert_eq!(after.boot_id().unwrap(), boot);
    let cut = after.power_cut(&mut StateEnumerator::new());
    assert_ne!(cut.boot_id().unwrap(), boot);
    assert_eq!(root(&cut).stat(b"f").unwrap().identity, born);
}

#[test]
fn one_seed_gives_one_state_and_seeds_differ() {
    let (machine, dir) = machine();
    make(&dir, b"f", &[7; 40_000]);
    let cut = |seed| machine.power_cut(&mut SeededRandom::new(seed)).snapshot("/w").unwrap();
    assert_eq!(cut(3), cut(3));
    let states: Vec<_> = (0..40).map(cut).collect();
    assert!(states.iter().any(|state| *state != states[0]));
    assert!(machine.all_cuts(5).is_none());
    let sampled = machine.cuts(5, 1);
    assert_eq!(sampled.len(), 5);
    assert_eq!(sampled[1].outside().read("/w/f").unwrap(), [7; 40_000]);
}

#[test]
fn a_cut_state_is_a_machine_like_any_other() {
    let (machine, dir) = machine();
    make(&dir, b"f", b"one").sync_all().unwrap();
    let mut cut = machine;
    for round in 0..5_u8 {
        cut = cut.power_cut(&mut StateEnumerator::new());
        let dir = root(&cut);
        let file = dir.open_file(b"f", Access::Write).unwrap();
        assert_eq!(super::content(&dir, b"f").len(), 3 + usize::from(round));
        file.write_all_at(&[round], 3 + u64::from(round)).unwrap();
        file.sync_data().unwrap();
        file.write_all_at(b"lost", 0).unwrap();
    }
    assert_eq!(
        cut.power_cut(&mut StateEnumerator::new()).outside().read("/w/f").unwrap(),
        b"one\0\x01\x02\x03\x04"
    );
}
