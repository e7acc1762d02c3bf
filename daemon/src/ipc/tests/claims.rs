//! Claims of socket paths: private folders, abandoned sockets, daemons that race. No message is sent here.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Barrier};

use editd_proto::socket_path;

use super::kit::Served;
use crate::ipc::unix::{ClientListener, ListenError, claim, own_folder};

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

fn listen(path: &Path) -> Result<ClientListener, ListenError> {
    let runtime = runtime();
    let _inside = runtime.enter();
    ClientListener::listen(runtime.block_on(claim(path))?)
}

#[test]
fn the_folder_must_be_private_and_our_own() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("editd");
    own_folder(&folder).unwrap();
    assert_eq!(mode(&folder), 0o700);
    own_folder(&folder).unwrap();
    for open in [0o755, 0o710, 0o701, 0o777] {
        chmod(&folder, open);
        let why = own_folder(&folder).unwrap_err().to_string();
        assert!(why.contains("chmod 700"), "{why}");
    }
    let link = temp.path().join("link");
    chmod(&folder, 0o700);
    symlink(&folder, &link).unwrap();
    assert!(own_folder(&link).is_err(), "a link could be turned to another folder");
    let file = temp.path().join("file");
    std::fs::write(&file, "").unwrap();
    chmod(&file, 0o700);
    assert!(own_folder(&file).is_err());
    assert!(own_folder(&temp.path().join("no/such")).is_err());
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
        assert!(own_folder(&folder).unwrap_err().to_string().contains("belongs to"));
    }
}

#[test]
fn the_socket_is_private_whatever_the_mask() {
    let served = Served::start();
    assert_eq!(mode(&served.socket()), 0o600);
    let open = tempfile::tempdir().unwrap();
    chmod(open.path(), 0o777);
    assert!(matches!(listen(&open.path().join("s")), Err(ListenError::Unfit(_))));
    chmod(open.path(), 0o1777);
    assert!(listen(&open.path().join("s")).is_ok(), "the sticky bit keeps others from replacing it");
}

#[test]
fn an_abandoned_socket_is_taken_over_and_a_served_one_is_not() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("s.sock");
    drop(UnixListener::bind(&path).unwrap());
    assert!(UnixStream::connect(&path).is_err(), "abandoned");
    let first = listen(&path).unwrap();
    assert!(UnixStream::connect(&path).is_ok());
    assert!(matches!(listen(&path), Err(ListenError::Served(_))));
    drop(first);
    assert!(listen(&path).is_ok());
    // A program that ignores locks.
    std::fs::remove_file(&path).unwrap();
    let foreign = UnixListener::bind(&path).unwrap();
    assert!(matches!(listen(&path), Err(ListenError::Served(_))));
    assert!(UnixStream::connect(&path).is_ok());
    drop(foreign);
    // Something that is not a socket.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "precious").unwrap();
    assert!(matches!(listen(&path), Err(ListenError::Unfit(_))));
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn of_daemons_that_race_one_wins() {
    for _ in 0..20 {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("s.sock");
        drop(UnixListener::bind(&path).unwrap());
        let together = Arc::new(Barrier::new(4));
        let racers: Vec<_> = (0..4)
            .map(|_| {
                let (path, together) = (path.clone(), Arc::clone(&together));
                std::thread::spawn(move || {
                    together.wait();
                    let won = listen(&path);
                    let served = matches!(won, Err(ListenError::Served(_)));
                    together.wait();
                    (won.is_ok(), served)
                })
            })
            .collect();
        let ended: Vec<_> = racers.into_iter().map(|racer| racer.join().unwrap()).collect();
        assert_eq!(ended.iter().filter(|(won, _)| *won).count(), 1, "{ended:?}");
        assert_eq!(ended.iter().filter(|(_, served)| *served).count(), 3, "{ended:?}");
    }
}

#[test]
fn a_leaving_daemon_is_waited_for() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("s.sock");
    let mut leaving = listen(&path).unwrap();
    leaving.withdraw();
    let held = leaving.close().unwrap();
    let next = {
        let path = path.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let _inside = runtime.enter();
            ClientListener::listen(runtime.block_on(claim(&path)).unwrap()).map(|_| ())
        })
    };
    drop(held);
    next.join().unwrap().unwrap();
}

#[test]
fn a_daemon_removes_no_socket_but_its_own() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("run");
    let path = folder.join("s.sock");
    let lock = socket_path::lock(&path);
    let make = || std::fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    let cleanings: [&dyn Fn(); 3] = [
        &|| {
            std::fs::remove_dir_all(&folder).unwrap();
            make();
        },
        &|| {
            std::fs::rename(&folder, temp.path().join("away")).unwrap();
            make();
        },
        &|| {
            std::fs::remove_file(&path).unwrap();
            std::fs::remove_file(&lock).unwrap();
        },
    ];
    make();
    for clean in cleanings {
        let mut old = listen(&path).unwrap();
        clean();
        let mut new = listen(&path).unwrap();
        let text = || std::fs::read_to_string(&lock).unwrap();
        old.withdraw();
        drop(old.close());
        assert!(UnixStream::connect(&path).is_ok());
        assert_eq!(text(), "");
        new.withdraw();
        assert!(!path.exists());
        assert!(text().starts_with(socket_path::LEAVING));
    }
    assert!(!temp.path().join("away/s.sock").exists(), "its own, in the folder that was moved");
}

#[test]
fn a_socket_is_lost_if_its_path_certainly_leads_elsewhere() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("run");
    let (path, aside) = (folder.join("s.sock"), temp.path().join("aside"));
    std::fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    let listener = listen(&path).unwrap();
    let name = listener.name().unwrap();
    assert!(!name.is_lost());
    std::fs::rename(&path, &aside).unwrap();
    assert!(name.is_lost(), "removed");
    symlink(&aside, &path).unwrap();
    assert!(!name.is_lost(), "clients follow the link");
    std::fs::remove_file(&path).unwrap();
    // An error that says nothing about the socket.
    symlink(&path, &path).unwrap();
    assert!(!name.is_lost());
    std::fs::remove_file(&path).unwrap();
    let foreign = UnixListener::bind(&path).unwrap();
    assert!(name.is_lost(), "replaced");
    drop(foreign);
    std::fs::rename(&aside, &path).unwrap();
    assert!(!name.is_lost());
    std::fs::rename(&folder, &aside).unwrap();
    assert!(name.is_lost(), "its folder was moved");
    std::fs::write(&folder, "").unwrap();
    assert!(name.is_lost(), "its folder is a file");
}

#[test]
fn the_name_of_an_inherited_socket_is_not_watched() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("s.sock");
    let socket = UnixListener::bind(&path).unwrap();
    socket.set_nonblocking(true).unwrap();
    let runtime = runtime();
    let _inside = runtime.enter();
    let mut listener = ClientListener::adopt(socket).unwrap();
    assert!(listener.name().is_none() && listener.is_inherited());
    listener.withdraw();
    assert!(path.exists());
}
