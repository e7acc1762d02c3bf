//! Leases and locks, against other handles.

use std::fs;
use std::io::ErrorKind;

use super::{folder, make};
use crate::os::{Access, LeaseState, read_all};

#[test]
fn a_lease_is_refused_while_somebody_writes() {
    let (temp, dir) = folder();
    make(&dir, b"f", b"x");
    let ours = dir.open_file(b"f", Access::Read).unwrap();
    let writer = fs::OpenOptions::new().append(true).open(temp.path().join("f")).unwrap();
    match ours.lease().unwrap() {
        LeaseState::Unsupported => return eprintln!("skipped: no leases on this file system"),
        told => assert_eq!(told, LeaseState::Writer),
    }
    drop(writer);
    assert_eq!(ours.lease().unwrap(), LeaseState::Held);
    assert!(ours.lease_intact().unwrap());
    ours.release_lease().unwrap();
    assert!(!ours.lease_intact().unwrap());
    ours.release_lease().unwrap();
    let write = dir.open_file(b"f", Access::Write).unwrap();
    assert_eq!(write.lease().unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_lease_is_broken_by_a_writer_who_waits_for_its_release() {
    let (temp, dir) = folder();
    make(&dir, b"f", b"x");
    let ours = dir.open_file(b"f", Access::Read).unwrap();
    if ours.lease().unwrap() == LeaseState::Unsupported {
        return eprintln!("skipped: no leases on this file system");
    }
    let refused = dir.open_file(b"f", Access::Write).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::WouldBlock, "the seam never waits");
    assert!(!ours.lease_intact().unwrap(), "the attempt broke it");
    let path = temp.path().join("f");
    let writer = std::thread::spawn(move || fs::write(path, b"late").unwrap());
    ours.release_lease().unwrap();
    writer.join().unwrap();
    assert_eq!(read_all(&*ours, 10).unwrap(), b"late");
}

#[test]
fn a_lease_sees_a_writer_after_the_unlink() {
    let (temp, dir) = folder();
    make(&dir, b"f", b"x");
    let ours = dir.open_file(b"f", Access::Read).unwrap();
    if ours.lease().unwrap() == LeaseState::Unsupported {
        return eprintln!("skipped: no leases on this file system");
    }
    let path = temp.path().join("f");
    dir.remove_file(b"f").unwrap();
    assert!(ours.lease_intact().unwrap());
    assert!(fs::File::open(path).is_err());
}

#[test]
fn a_lock_has_one_holder() {
    let (_temp, dir) = folder();
    make(&dir, b"lock", b"");
    let first = dir.open_file(b"lock", Access::Write).unwrap();
    let second = dir.open_file(b"lock", Access::Write).unwrap();
    assert!(first.try_lock().unwrap());
    assert!(!second.try_lock().unwrap());
    drop(first);
    assert!(second.try_lock().unwrap());
}
