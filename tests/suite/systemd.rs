//! The units: that systemd takes them, how far they close the daemon in, and that clients find their socket.
//! It starts no service; where systemd's tools are absent it says so and skips.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use editd_proto::codec::FrameReader;
use editd_proto::message::kind;
use editd_proto::{limits, unit};
use editd_tests::house::House;
use editd_tests::{binaries, client, wait};

/// The exposure that `systemd-analyze security` may name at most. What is left open, the unit explains.
const EXPOSURE: f64 = 6.2;

/// Runs one of systemd's tools; `None`, and a word about it, where it is not installed.
fn tool(house: &House, name: &str, words: &[&str]) -> Option<Output> {
    let mut command: Command = house.command(name);
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

/// A house with both units as instances for its workspace, and a program where they expect one.
fn installed() -> (House, Vec<String>) {
    let house = House::new();
    let bin = house.folder("home").join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    fs::copy("/bin/true", bin.join("editd")).unwrap();
    let instance = unit::escape_path(house.workspace().as_os_str().as_encoded_bytes());
    let units = ["service", "socket"].map(|kind| {
        let unit = house.folder("home").join(format!("editd@{instance}.{kind}"));
        fs::copy(binaries::top().join(format!("systemd/editd@.{kind}")), &unit).unwrap();
        // The template is looked for when the socket names its service.
        fs::copy(&unit, house.folder("home").join(format!("editd@.{kind}"))).unwrap();
        unit.to_str().unwrap().to_owned()
    });
    (house, units.to_vec())
}

#[test]
fn systemd_takes_the_units() {
    let (house, units) = installed();
    let words: Vec<&str> = ["--user", "verify"].into_iter().chain(units.iter().map(String::as_str)).collect();
    let Some(output) = tool(&house, "systemd-analyze", &words) else { return };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{said}");

    // A unit that is wrong is not taken.
    let service = fs::read_to_string(&units[0]).unwrap();
    fs::write(&units[0], service.replace("Type=notify", "Type=notifying")).unwrap();
    let output = tool(&house, "systemd-analyze", &words).unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("notifying"));
}

#[test]
fn the_service_is_closed_in() {
    let (house, units) = installed();
    let words = ["--user", "security", "--offline=true", "--no-pager", &units[0]];
    let Some(output) = tool(&house, "systemd-analyze", &words) else { return };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let overall =
        said.lines().find_map(|line| line.split_once("Overall exposure level").map(|(_, rest)| rest));
    let level = overall.and_then(|rest| rest.rsplit_once(": ")?.1.split(' ').next()?.parse::<f64>().ok());
    assert!(level.is_some_and(|level| level <= EXPOSURE), "exposure {level:?}:\n{said}");
}

#[test]
fn clients_name_the_socket_as_systemd_does() {
    let house = House::new();
    for path in ["/", "/home/me/src", "/a-b/c d", "/.x/\u{e4}", "/x/@:_.y", "/quote\"s'/\\back", "/a//b/./c/"]
    {
        let Some(output) = tool(&house, "systemd-escape", &["--path", path]) else { return };
        let escaped = String::from_utf8(output.stdout).unwrap();
        assert_eq!(unit::escape_path(path.as_bytes()), escaped.trim_end(), "{path}");
    }
    let socket = fs::read_to_string(binaries::top().join("systemd/editd@.socket")).unwrap();
    let listens = socket.lines().find_map(|line| line.strip_prefix("ListenStream=")).unwrap();
    let example = listens.replace("%t", "/run/user/1000").replace("%i", &unit::escape_path(b"/srv/my-app"));
    assert_eq!(
        Path::new(&example),
        Path::new("/run/user/1000/editd").join(unit::socket_name(b"/srv/my-app"))
    );
}

#[test]
fn a_client_that_finds_nobody_at_the_usual_socket_goes_to_the_unit_s() {
    let house = House::new();
    let folder = house.socket().parent().unwrap().to_owned();
    fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    let name = unit::socket_name(house.workspace().as_os_str().as_encoded_bytes());
    let listener = UnixListener::bind(folder.join(name)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut command = house.command(binaries::editctl());
    let mut asks = command.args(["--no-spawn", "status"]).stderr(Stdio::null()).spawn().unwrap();
    let (mut stream, _) = wait::until("the client connects", wait::LONG, || listener.accept().ok());
    stream.set_nonblocking(false).unwrap();
    let said = client::receive(&mut stream, &mut FrameReader::new(limits::FRAME)).unwrap();
    assert_eq!(said.kind(), kind::HELLO);
    drop((stream, listener));
    assert!(!asks.wait().unwrap().success());
}
