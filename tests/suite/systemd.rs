//! The systemd units: systemd accepts them, they restrict the daemon, and clients find their socket. The agent for launchd
//! is a valid property list. No service is started; if the tools of systemd are absent, the test prints that it is skipped.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use editd_proto::codec::FrameReader;
use editd_proto::message::kind;
use editd_proto::{limits, systemd_unit};
use editd_tests::client::Client;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{binaries, client, wait};

/// The exposure that `systemd-analyze security` may name at most. The unit explains the rest.
const EXPOSURE: f64 = 6.2;

/// Runs one of systemd's tools; `None`, and a word about it, where it is not installed.
fn tool(daemon: &TestDaemon, name: &str, words: &[&str]) -> Option<Output> {
    let mut command: Command = daemon.command(name);
    command.args(words).env("SYSTEMD_COLORS", "0").env("SYSTEMD_PAGER", "");
    match command.output() {
        Ok(output) => Some(output),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: {name} is not installed");
            None
        }
        failed => failed.map(Some).unwrap(),
    }
}

/// Returns a workspace with both units as instances for it, and a program at the path that they expect.
fn installed() -> (TestDaemon, Vec<String>) {
    let daemon = TestDaemon::new();
    let bin = daemon.folder("home").join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    fs::copy("/bin/true", bin.join("editd")).unwrap();
    let instance = systemd_unit::escape_path(daemon.workspace().as_os_str().as_encoded_bytes());
    let units = ["service", "socket"].map(|kind| {
        let unit = daemon.folder("home").join(format!("editd@{instance}.{kind}"));
        fs::copy(binaries::top().join(format!("systemd/editd@.{kind}")), &unit).unwrap();
        // The template is looked for when the socket names its service.
        fs::copy(&unit, daemon.folder("home").join(format!("editd@.{kind}"))).unwrap();
        unit.to_str().unwrap().to_owned()
    });
    (daemon, units.to_vec())
}

#[test]
fn systemd_accepts_the_units() {
    let (daemon, units) = installed();
    let words: Vec<&str> = ["--user", "verify"].into_iter().chain(units.iter().map(String::as_str)).collect();
    let Some(output) = tool(&daemon, "systemd-analyze", &words) else { return };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{said}");

    // A unit that is wrong is not taken.
    let service = fs::read_to_string(&units[0]).unwrap();
    fs::write(&units[0], service.replace("Type=notify", "Type=notifying")).unwrap();
    let output = tool(&daemon, "systemd-analyze", &words).unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("notifying"));
}

/// Runs the `sed` of `service.md` in a home folder and has Python read the property list that it writes.
#[test]
fn the_agent_of_launchd_is_a_property_list_with_one_socket() {
    let daemon = TestDaemon::new();
    let page = fs::read_to_string(binaries::top().join("daemon/docs/service.md")).unwrap();
    let line = page.lines().find(|line| line.starts_with("sed ")).unwrap();
    let made = daemon.folder("home").join("Library/LaunchAgents/editd.my.plist");
    fs::create_dir_all(made.parent().unwrap()).unwrap();
    let script = format!("cd \"$1\" && name=my workspace=$2 && {line}");
    let mut shell = daemon.command("sh");
    shell.args(["-euc", &script, "sh"]).args([binaries::top(), daemon.workspace()]);
    assert!(shell.status().unwrap().success());

    let read = "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
    let Ok(output) = Command::new("python3").args(["-c", read]).arg(&made).output() else {
        println!("skipped: python3 is not installed");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let home = daemon.folder("home");
    let home = home.to_str().unwrap();
    assert_eq!(list["Label"], "editd.my");
    let words = [
        format!("{home}/.local/bin/editd"),
        "--workspace".into(),
        daemon.workspace().to_str().unwrap().into(),
    ];
    assert_eq!(list["ProgramArguments"], serde_json::json!(words));
    let socket = serde_json::json!({
        "SockPathName": format!("{home}/Library/Caches/editd/my.sock"),
        "SockPathMode": 0o600,
    });
    // The daemon asks launchd for the socket of this name.
    assert_eq!(list["Sockets"], serde_json::json!({ "Listener": socket }));
}

#[test]
fn the_service_is_sandboxed() {
    let (daemon, units) = installed();
    let words = ["--user", "security", "--offline=true", "--no-pager", &units[0]];
    let Some(output) = tool(&daemon, "systemd-analyze", &words) else { return };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let overall =
        said.lines().find_map(|line| line.split_once("Overall exposure level").map(|(_, rest)| rest));
    let level = overall.and_then(|rest| rest.rsplit_once(": ")?.1.split(' ').next()?.parse::<f64>().ok());
    assert!(level.is_some_and(|level| level <= EXPOSURE), "exposure {level:?}:\n{said}");
}

#[test]
fn clients_name_the_socket_as_systemd_does() {
    let daemon = TestDaemon::new();
    for path in ["/", "/home/me/src", "/a-b/c d", "/.x/\u{e4}", "/x/@:_.y", "/quote\"s'/\\back", "/a//b/./c/"]
    {
        let Some(output) = tool(&daemon, "systemd-escape", &["--path", path]) else { return };
        let escaped = String::from_utf8(output.stdout).unwrap();
        assert_eq!(systemd_unit::escape_path(path.as_bytes()), escaped.trim_end(), "{path}");
    }
    let socket = fs::read_to_string(binaries::top().join("systemd/editd@.socket")).unwrap();
    let listens = socket.lines().find_map(|line| line.strip_prefix("ListenStream=")).unwrap();
    let example =
        listens.replace("%t", "/run/user/1000").replace("%i", &systemd_unit::escape_path(b"/srv/my-app"));
    assert_eq!(
        Path::new(&example),
        Path::new("/run/user/1000/editd").join(systemd_unit::socket_name(b"/srv/my-app"))
    );
}

#[test]
fn without_a_daemon_at_the_usual_socket_a_client_uses_that_of_the_unit() {
    let daemon = TestDaemon::new();
    let folder = daemon.socket().parent().unwrap().to_owned();
    fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    let name = systemd_unit::socket_name(daemon.workspace().as_os_str().as_encoded_bytes());
    let listener = UnixListener::bind(folder.join(name)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut command = daemon.command(binaries::editctl());
    let mut asks = command.args(["--no-spawn", "status"]).stderr(Stdio::null()).spawn().unwrap();
    let (mut stream, _) = wait::until("the client connects", wait::LONG, || listener.accept().ok());
    stream.set_nonblocking(false).unwrap();
    let said = client::receive(&mut stream, &mut FrameReader::new(limits::FRAME)).unwrap();
    assert_eq!(said.kind(), kind::HELLO);
    drop((stream, listener));
    assert!(!asks.wait().unwrap().success());
}

/// Starts the daemon as systemd does: with the socket as descriptor 3, and told so by its own number.
fn activate(daemon: &TestDaemon, listener: &UnixListener, notify: &Path) -> Child {
    let mut shell = daemon.command("sh");
    shell.args(["-c", "exec 3<&0 </dev/null; LISTEN_PID=$$ exec \"$@\"", "sh"]).arg(binaries::editd());
    shell.arg("--workspace").arg(daemon.workspace());
    shell.env("LISTEN_FDS", "1").env("NOTIFY_SOCKET", notify).stderr(Stdio::null());
    shell.stdin(OwnedFd::from(listener.try_clone().unwrap())).spawn().unwrap()
}

#[test]
fn the_first_client_starts_the_daemon_through_its_socket() {
    let daemon = TestDaemon::new();
    let folder = daemon.socket().parent().unwrap().to_owned();
    fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    let socket = folder.join(systemd_unit::socket_name(daemon.workspace().as_os_str().as_encoded_bytes()));
    let listener = UnixListener::bind(&socket).unwrap();
    let notify = daemon.folder("run").join("notify");
    let manager = UnixDatagram::bind(&notify).unwrap();
    manager.set_read_timeout(Some(wait::LONG)).unwrap();
    let heard = || {
        let mut buffer = [0; 512];
        let len = manager.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..len]).into_owned()
    };
    for round in 0..2 {
        // The client is there before the daemon, and waits.
        let asks = std::thread::spawn({
            let socket = socket.clone();
            move || {
                let mut client = Client::connect(&socket, "first").unwrap();
                client.ask_json(kind::STATUS, &serde_json::json!({}))
            }
        });
        let mut child = activate(&daemon, &listener, &notify);
        wait::until("the daemon is ready", wait::LONG, || heard().contains("READY=1").then_some(()));
        let status = asks.join().unwrap();
        assert_eq!(status["pid"], child.id(), "round {round}");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        wait::until("the daemon says that it leaves", wait::LONG, || {
            heard().contains("STOPPING=1").then_some(())
        });
        assert!(child.wait().unwrap().success(), "round {round}");
        // The socket is the manager's: whoever comes next is to start the next daemon.
        assert!(socket.exists() && !daemon.socket().exists(), "round {round}");
    }
}
