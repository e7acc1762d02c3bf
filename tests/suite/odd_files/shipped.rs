//! Repositories that contain a folder `.editd`, in every form that its entries may have: the daemon starts, or says what
//! to do. Nothing of the repository is deleted or written through.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::make_fifo;
use editd_tests::wait;

const PRECIOUS: &str = "precious\n";

/// A form of `.editd`: a name, and the function that makes it. The functions get `.editd`, and the path of a file of the
/// user.
type Form = (&'static str, fn(&Path, &Path));

fn file(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn open_to_all(path: PathBuf) {
    file(path.clone(), PRECIOUS);
    fs::set_permissions(path, Permissions::from_mode(0o666)).unwrap();
}

/// Forms with which the daemon starts.
const FORMS: &[Form] = &[
    (".gitignore with rules", |own, _| file(own.join(".gitignore"), "!*\n")),
    (".gitignore folder", |own, _| file(own.join(".gitignore/file"), PRECIOUS)),
    (".gitignore link", |own, user| symlink(user, own.join(".gitignore")).unwrap()),
    (".gitignore second name", |own, user| fs::hard_link(user, own.join(".gitignore")).unwrap()),
    (".gitignore pipe", |own, _| make_fifo(&own.join(".gitignore")).unwrap()),
    (".git folder", |own, _| file(own.join(".git/file"), PRECIOUS)),
    (".git file", |own, _| file(own.join(".git"), "gitdir: ../.git\n")),
    (".git link", |own, _| symlink("../.git", own.join(".git")).unwrap()),
    ("deeper .gitignore", |own, _| file(own.join("staging/.gitignore"), "!*\n")),
    ("lock folder", |own, _| file(own.join("lock/file"), PRECIOUS)),
    ("lock link", |own, user| symlink(user, own.join("lock")).unwrap()),
    ("lock second name", |own, user| fs::hard_link(user, own.join("lock")).unwrap()),
    ("lock pipe", |own, _| make_fifo(&own.join("lock")).unwrap()),
    ("lock open to all", |own, _| open_to_all(own.join("lock"))),
    ("staging file", |own, _| file(own.join("staging"), PRECIOUS)),
    ("staging link", |own, _| symlink("..", own.join("staging")).unwrap()),
    ("staging pipe", |own, _| make_fifo(&own.join("staging")).unwrap()),
    ("folder in staging", |own, _| file(own.join("staging/folder/file"), PRECIOUS)),
    ("second name in staging", |own, user| {
        file(own.join("staging/x"), "");
        fs::hard_link(user, own.join("staging/y")).unwrap();
    }),
    ("link in staging", |own, user| {
        file(own.join("staging/x"), "");
        symlink(user, own.join("staging/y")).unwrap();
    }),
    ("long name in staging", |own, _| file(own.join("staging").join("x".repeat(255)), PRECIOUS)),
    ("name in staging that is not text", |own, _| {
        file(own.join("staging").join(std::ffi::OsStr::from_bytes(b"caf\xe9")), PRECIOUS);
    }),
    ("lost file", |own, _| file(own.join("lost"), PRECIOUS)),
    ("lost link", |own, _| symlink("..", own.join("lost")).unwrap()),
    ("folder in lost", |own, _| file(own.join("lost/1577836800001-x/file"), PRECIOUS)),
    ("beside folder", |own, _| file(own.join("beside/file"), PRECIOUS)),
    ("beside link", |own, user| symlink(user, own.join("beside")).unwrap()),
    ("beside second name", |own, user| fs::hard_link(user, own.join("beside")).unwrap()),
    ("beside that leads out", |own, _| file(own.join("beside"), "\0../..\0/etc\0")),
    ("beside with a link", |own, _| {
        symlink("/", own.join("root")).unwrap();
        file(own.join("beside"), ".editd/root\0");
    }),
    ("beside with long names", |own, _| file(own.join("beside"), &format!("{}\0", "x".repeat(5000)))),
    ("beside with a long file name", |own, _| {
        let name = format!(".editd-slot-{}", "x".repeat(243));
        file(own.parent().unwrap().join("sub").join(name), PRECIOUS);
        file(own.join("beside"), "sub\0");
    }),
    ("beside.new second name", |own, user| {
        file(own.join("beside"), "sub\0");
        fs::hard_link(user, own.join("beside.new")).unwrap();
    }),
    ("unflushed file", |own, _| file(own.join("unflushed"), PRECIOUS)),
    ("unflushed link", |own, _| symlink("..", own.join("unflushed")).unwrap()),
    ("folder in unflushed", |own, _| file(own.join("unflushed/folder/file"), PRECIOUS)),
    ("check file", |own, _| file(own.join("check"), PRECIOUS)),
    ("file in check", |own, _| file(own.join("check/z"), PRECIOUS)),
    ("folder in check", |own, _| file(own.join("check/1-a").join("x".repeat(255)), PRECIOUS)),
    ("long name in check", |own, _| file(own.join("check").join("x".repeat(255)), PRECIOUS)),
    ("check link", |own, _| symlink("..", own.join("check")).unwrap()),
    ("probe folder", |own, _| file(own.join("probe/file"), PRECIOUS)),
    ("probe link", |own, user| symlink(user, own.join("probe")).unwrap()),
    ("unknown names", |own, _| {
        file(own.join("aside-1-lock"), PRECIOUS);
        file(own.join("lock/file"), PRECIOUS);
    }),
];

/// Returns the files below a folder that have the content of the repository's files, by their inode numbers.
fn precious(folder: &Path) -> BTreeSet<u64> {
    let listed = fs::read_dir(folder).unwrap().map(|one| one.unwrap().path());
    listed
        .flat_map(|path| match fs::symlink_metadata(&path).unwrap() {
            meta if meta.is_dir() => precious(&path),
            meta if meta.is_file() && fs::read(&path).unwrap() == PRECIOUS.as_bytes() => [meta.ino()].into(),
            _ => BTreeSet::new(),
        })
        .collect()
}

fn said(daemon: &TestDaemon, words: &[&str]) -> (Option<i32>, String) {
    let output = daemon.editctl().args(words).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// A workspace with `.editd`, and the path of a file of the user.
fn workspace() -> (TestDaemon, PathBuf, PathBuf) {
    let daemon = TestDaemon::new();
    daemon.put("a.txt", "one\n");
    daemon.put("user", PRECIOUS);
    let (own, user) = (daemon.workspace().join(".editd"), daemon.workspace().join("user"));
    fs::create_dir(&own).unwrap();
    (daemon, own, user)
}

#[test]
fn with_every_form_of_the_daemons_folder_the_daemon_starts() {
    let mut failures = Vec::new();
    for (form, make) in FORMS {
        let (daemon, own, user) = workspace();
        make(&own, &user);
        let before = precious(daemon.workspace()).len();
        // Twice, since the first start renames.
        for (old, new) in [("one", "two"), ("two", "three")] {
            let (status, told) = said(&daemon, &["replace", "a.txt", old, new]);
            if status != Some(0) {
                failures.push(format!("{form}: {told}"));
                break;
            }
            let ignored = fs::read(own.join(".gitignore")).unwrap();
            if ignored != b"*\n" {
                failures.push(format!("{form}: .gitignore has {:?}", String::from_utf8_lossy(&ignored)));
            }
            assert_eq!(said(&daemon, &["stop"]).0, Some(0), "{form}");
        }
        if precious(daemon.workspace()).len() != before {
            failures.push(format!("{form}: a file of the repository was changed or deleted"));
        }
        if fs::read(&user).unwrap() != PRECIOUS.as_bytes() {
            failures.push(format!("{form}: the user's file was changed"));
        }
    }
    assert_eq!(failures, [""; 0]);
}

/// Puts the entries of a folder into another one, as a pull does: a folder is merged, anything else is replaced.
fn pull(from: &Path, to: &Path) {
    for one in fs::read_dir(from).unwrap().map(|one| one.unwrap().path()) {
        let target = to.join(one.file_name().unwrap());
        let found = fs::symlink_metadata(&target);
        if one.is_dir() && !one.is_symlink() && found.as_ref().is_ok_and(fs::Metadata::is_dir) {
            pull(&one, &target);
            continue;
        }
        match found {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&target).unwrap(),
            Ok(_) => fs::remove_file(&target).unwrap(),
            Err(_) => {}
        }
        fs::rename(&one, &target).unwrap();
    }
}

#[test]
fn every_form_of_the_daemons_folder_may_come_with_a_pull_while_the_daemon_serves() {
    let mut failures = Vec::new();
    for (form, make) in FORMS {
        let (daemon, own, user) = workspace();
        assert_eq!(said(&daemon, &["replace", "a.txt", "one", "two"]).0, Some(0), "{form}");
        let pulled = daemon.folder("pulled").join(".editd");
        fs::create_dir_all(&pulled).unwrap();
        make(&pulled, &user);
        pull(&pulled, &own);
        let before = precious(daemon.workspace()).len();
        for (old, new) in [("two", "three"), ("three", "four")] {
            let (status, told) = said(&daemon, &["replace", "a.txt", old, new]);
            if status != Some(0) {
                failures.push(format!("{form}: {told}"));
                break;
            }
            let ignored = fs::read(own.join(".gitignore")).unwrap();
            if ignored != b"*\n" {
                failures.push(format!("{form}: .gitignore has {:?}", String::from_utf8_lossy(&ignored)));
            }
        }
        // The lock is still that of the daemon: a second one does not start.
        let mut second = daemon.command(editd_tests::binaries::editd());
        second.args(["--idle-exit", "1s", "--workspace"]).arg(daemon.workspace());
        let second = second.arg("--socket").arg(daemon.folder("run").join("second"));
        let second = second.arg("--state").arg(daemon.folder("state").join("second")).output().unwrap();
        if !String::from_utf8_lossy(&second.stderr).contains("another editd serves this workspace") {
            failures.push(format!("{form}: a second daemon started"));
        }
        assert_eq!(said(&daemon, &["stop"]).0, Some(0), "{form}");
        if precious(daemon.workspace()).len() != before {
            failures.push(format!("{form}: a file of the repository was changed or deleted"));
        }
        if fs::read(&user).unwrap() != PRECIOUS.as_bytes() {
            failures.push(format!("{form}: the user's file was changed"));
        }
    }
    assert_eq!(failures, [""; 0]);
}

#[test]
fn rules_that_a_pull_brings_are_replaced_without_an_edit() {
    let mut daemon = TestDaemon::started();
    let ignore = daemon.workspace().join(".editd/.gitignore");
    let forms: [fn(&Path); 2] = [
        |ignore| fs::write(ignore, "!*\n").unwrap(),
        |ignore| {
            fs::remove_file(ignore).unwrap();
            fs::write(ignore, "!*\n").unwrap();
        },
    ];
    for make in forms {
        make(&ignore);
        wait::until("the rules are replaced", Duration::from_secs(60), || {
            fs::read(&ignore).is_ok_and(|rules| rules == b"*\n").then_some(())
        });
    }
    daemon.stop();
}

#[test]
fn with_another_kind_of_file_of_its_name_the_daemon_says_what_to_do() {
    for make in [|own: &Path| fs::write(own, "").unwrap(), |own: &Path| symlink(".", own).unwrap()] {
        let (daemon, own, _) = workspace();
        fs::remove_dir(&own).unwrap();
        make(&own);
        let (status, told) = said(&daemon, &["replace", "a.txt", "one", "two"]);
        assert_ne!(status, Some(0), "{told}");
        assert!(
            told.contains(".editd in the workspace is a link or a file") && told.contains("move it away"),
            "{told}"
        );
    }
    let (daemon, own, _) = workspace();
    fs::set_permissions(&own, Permissions::from_mode(0o775)).unwrap();
    let (status, told) = said(&daemon, &["replace", "a.txt", "one", "two"]);
    assert_ne!(status, Some(0), "{told}");
    assert!(told.contains("`chmod go-w .editd`"), "{told}");
}

#[test]
fn a_lock_with_a_second_name_is_not_taken_from_the_daemon_that_holds_it() {
    let mut daemon = TestDaemon::started();
    let lock = daemon.workspace().join(".editd/lock");
    fs::hard_link(&lock, daemon.workspace().join("copy")).unwrap();
    let mut second = daemon.command(editd_tests::binaries::editd());
    second.arg("--workspace").arg(daemon.workspace());
    let second = second.arg("--socket").arg(daemon.folder("run").join("second"));
    let second = second.arg("--state").arg(daemon.folder("state").join("second")).output().unwrap();
    let told = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success() && told.contains("another editd serves this workspace"), "{told}");
    assert!(lock.exists() && !daemon.workspace().join(".editd/aside-1-lock").exists());
    daemon.stop();
}

#[test]
fn git_never_adds_what_a_daemon_stages() {
    let (mut daemon, own, _) = workspace();
    let git = |words: &[&str]| daemon.command("git").args(words).output();
    if git(&["init", "-q"]).is_err() {
        return println!("skipped: needs git");
    }
    file(own.join(".gitignore"), "!*\n");
    daemon.put(".gitignore", "secret\n!.editd\n!.editd/**\n");
    git(&["add", "-A"]).unwrap();
    daemon.start();
    file(own.join("staging/secret"), "secret\n");
    let git = |words: &[&str]| daemon.command("git").args(words).output();
    git(&["add", "-A"]).unwrap();
    let staged = git(&["ls-files"]).unwrap().stdout;
    assert!(
        !String::from_utf8_lossy(&staged).contains(".editd/staging"),
        "{}",
        String::from_utf8_lossy(&staged)
    );
    daemon.stop();
}

#[test]
fn a_repository_in_the_daemons_folder_does_not_show_it_to_git() {
    let (mut daemon, own, _) = workspace();
    let git = |folder: &Path, words: &[&str]| {
        daemon.command("git").current_dir(folder).args(words).output().map(|output| {
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        })
    };
    if git(daemon.workspace(), &["init", "-q"]).is_err() {
        return println!("skipped: needs git");
    }
    git(&own, &["init", "-q"]).unwrap();
    let words = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"];
    git(&own, &words).unwrap();
    assert!(git(daemon.workspace(), &["status", "--porcelain"]).unwrap().contains("?? .editd/"));
    daemon.start();
    let shown = daemon.command("git").args(["status", "--porcelain"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&shown.stdout).contains(".editd"), "{shown:?}");
    assert!(own.join("aside-1-.git").is_dir());
    daemon.stop();
}

/// Puts something in the place of the staging folder.
type StagingForm = fn(&Path);

#[test]
fn a_staging_folder_that_a_checkout_replaces_is_made_again() {
    let forms: [(&str, StagingForm); 3] = [
        ("nothing", |_| {}),
        ("link", |staging| symlink("../outside", staging).unwrap()),
        ("file", |staging| fs::write(staging, PRECIOUS).unwrap()),
    ];
    for (form, make) in forms {
        let mut daemon = TestDaemon::started();
        daemon.put("a.txt", "one\n");
        daemon.put("outside/file", PRECIOUS);
        assert_eq!(said(&daemon, &["replace", "a.txt", "one", "two"]).0, Some(0), "{form}");
        let staging = daemon.workspace().join(".editd/staging");
        fs::remove_dir_all(&staging).unwrap();
        make(&staging);
        for (old, new) in [("two", "three"), ("three", "four")] {
            let (status, told) = said(&daemon, &["replace", "a.txt", old, new]);
            assert_eq!(status, Some(0), "{form}: {told}");
        }
        assert_eq!(fs::read_dir(daemon.workspace().join("outside")).unwrap().count(), 1, "{form}");
        assert!(daemon.stop().success(), "{form}");
        daemon.start();
        assert_eq!(said(&daemon, &["replace", "a.txt", "four", "five"]).0, Some(0), "{form}");
    }
}

/// Locks `.editd/lock` as another program does.
#[cfg(target_os = "linux")]
fn locked_by_another(daemon: &TestDaemon) -> std::process::Child {
    let mut holder =
        daemon.command("flock").args(["--no-fork", ".editd/lock", "sleep", "600"]).spawn().unwrap();
    wait::until("the lock is taken", Duration::from_secs(60), || {
        assert!(holder.try_wait().unwrap().is_none(), "flock ended");
        let lock = fs::File::open(daemon.workspace().join(".editd/lock")).ok()?;
        lock.try_lock_shared().is_err().then_some(())
    });
    holder
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_no_daemon_and_has_the_lock_is_named() {
    let (daemon, _, _) = workspace();
    let mut holder = locked_by_another(&daemon);
    for words in [["replace", "a.txt", "one", "two"].as_slice(), &["salvage"]] {
        let (status, told) = said(&daemon, words);
        assert_ne!(status, Some(0), "{told}");
        let named = format!("sleep (process {})", holder.id());
        assert!(told.contains(&named) && !told.contains("editctl stop"), "{told}");
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
}
