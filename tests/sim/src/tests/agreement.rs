//! The simulated machine does what the real one does: random calls on both, compared one by one.

use std::io;

use editd::testing::Unix;

use super::{Access, Dir, Os, machine, read_all};
use crate::{MachineSnapshot, SeededRandom};

const NAMES: [&[u8]; 6] = [b"a", b"b", b"c", b"d", b"\xff\n", b"none"];

/// The result of a call, without the parts that may differ between machines.
type CallResult = Result<String, io::ErrorKind>;

fn told<T: std::fmt::Debug>(done: io::Result<T>) -> CallResult {
    done.map(|value| format!("{value:?}")).map_err(|error| error.kind())
}

struct CallScript {
    random: SeededRandom,
}

impl CallScript {
    fn pick(&mut self, limit: u64) -> u64 {
        self.random.next_number() % limit
    }

    fn name(&mut self) -> &'static [u8] {
        NAMES[self.pick(NAMES.len() as u64) as usize]
    }

    /// The root, or a folder in it if the name is one.
    fn folder(&mut self, root: &Dir) -> Dir {
        let name = self.name();
        if self.pick(2) == 0 { root.open_dir(name).unwrap_or_else(|_| root.clone()) } else { root.clone() }
    }

    fn step(&mut self, os: &dyn Os, root: &Dir) -> CallResult {
        let (dir, other) = (self.folder(root), self.folder(root));
        let (name, to, number) = (self.name(), self.name(), self.pick(9000));
        match self.pick(16) {
            0 | 1 => told(dir.create_file(name, 0o644).and_then(|file| file.write_all_at(b"new", 0))),
            2 => told(dir.create_dir(name, 0o755)),
            3 => told(dir.remove_file(name)),
            4 => told(dir.remove_dir(name)),
            5 => told(os.rename(&dir, name, &other, to)),
            6 => told(os.rename_noreplace(&dir, name, &other, to)),
            7 => told(os.exchange(&dir, name, &other, to)),
            8 => told(os.link(&dir, name, &other, to)),
            9 => told(dir.open_file(name, Access::Write).and_then(|file| file.set_len(number))),
            10 => told(dir.open_file(name, Access::Write).and_then(|file| {
                file.write_all_at(&number.to_be_bytes(), number)?;
                file.set_mode(0o600 + (number % 0o100) as u32)
            })),
            11 => told(dir.open_file(name, Access::Read).and_then(|file| read_all(&*file, 20_000))),
            12 => told(dir.stat(name).map(|stat| {
                let size = if stat.kind == editd::testing::FileKind::File { stat.size } else { 0 };
                let links = if stat.kind == editd::testing::FileKind::Dir { 0 } else { stat.links };
                (stat.kind, size, stat.mode, links)
            })),
            13 => told(dir.list().map(|mut found| {
                found.sort_by(|a, b| a.name.cmp(&b.name));
                found
            })),
            14 => told(dir.read_link(name)),
            _ => told(dir.open_dir(name).map(|_| ())),
        }
    }
}

/// The same random calls on both.
fn compare(seed: u64, steps: usize) -> MachineSnapshot {
    let temp = tempfile::tempdir().unwrap();
    let real = Unix.open_dir(temp.path()).unwrap();
    let (machine, simulated) = machine();
    let mut scripts =
        [CallScript { random: SeededRandom::new(seed) }, CallScript { random: SeededRandom::new(seed) }];
    for step in 0..steps {
        let [first, second] = &mut scripts;
        let wanted = first.step(&Unix, &real);
        let calls = machine.trace().len();
        let found = second.step(&machine, &simulated);
        assert_eq!(found, wanted, "seed {seed} step {step}: {:?}", machine.trace().get(calls..));
    }
    machine.snapshot("/w").unwrap()
}

#[test]
fn random_calls_do_the_same_on_both_machines() {
    let temp = tempfile::tempdir().unwrap();
    let real = Unix.open_dir(temp.path()).unwrap();
    real.create_file(b"a", 0o600).and(real.create_file(b"b", 0o600)).unwrap();
    if Unix.exchange(&real, b"a", &real, b"b").is_err() {
        return eprintln!("skipped: this file system cannot exchange");
    }
    let kept: usize = (0..60).map(|seed| compare(seed, 250).0.len()).sum();
    assert!(kept > 60, "the scripts do something: {kept}");
}

#[test]
fn links_are_refused_alike() {
    let temp = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("f", temp.path().join("l")).unwrap();
    let real = Unix.open_dir(temp.path()).unwrap();
    let (machine, simulated) = machine();
    machine.outside().symlink("f", "/w/l").unwrap();
    for (dir, os) in [(&real, &Unix as &dyn Os), (&simulated, &machine)] {
        assert!(editd::testing::is_link(&dir.open_file(b"l", Access::Read).err().unwrap()));
        assert_eq!(dir.open_dir(b"l").err().unwrap().kind(), io::ErrorKind::NotADirectory);
        assert_eq!(dir.create_file(b"l", 0o600).err().unwrap().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(dir.read_link(b"l").unwrap(), b"f");
        os.rename(dir, b"l", dir, b"m").unwrap();
        assert_eq!(dir.stat(b"m").unwrap().kind, editd::testing::FileKind::Link);
        dir.remove_file(b"m").unwrap();
    }
}
