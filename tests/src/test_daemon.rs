//! A real daemon in a workspace of its own: folders, environment, start, kill, restart. Dropping it ends its
//! processes and removes its folders; no other process is touched.

#[cfg(unix)]
#[path = "test_daemon/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "test_daemon/windows.rs"]
mod system;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use editd_proto::message::kind;
use editd_proto::plain_path::plain;
use serde_json::json;

use crate::client::{Client, RequestFailure};
use crate::{binaries, wait};

/// A workspace, the folders that a user would have, and the daemon if one was started.
pub struct TestDaemon {
    /// The temporary folder of its folders, if it is deleted with them.
    scratch: Option<tempfile::TempDir>,
    workspace: PathBuf,
    child: Option<Child>,
    options: Vec<String>,
}

impl TestDaemon {
    /// An empty workspace; no daemon yet.
    pub fn new() -> TestDaemon {
        let scratch =
            tempfile::Builder::new().prefix("editd-").tempdir().expect("a temporary folder can be made");
        let top = scratch.path().canonicalize().expect("a folder that was just made is there");
        let mut daemon = TestDaemon::at(&plain(top));
        daemon.scratch = Some(scratch);
        daemon
    }

    /// Starts a daemon in a workspace with this configuration, whose commands are trusted.
    ///
    /// # Panics
    /// If the configuration is not accepted.
    pub fn trusted(config: &str) -> TestDaemon {
        let mut daemon = TestDaemon::new();
        daemon.put(".editd.toml", config);
        daemon.start();
        daemon.trust();
        daemon
    }

    /// Trusts the present configuration.
    ///
    /// # Panics
    /// If there is nothing to trust, or it is not accepted.
    pub fn trust(&self) {
        let mut client = self.client("trusting");
        let told = client.ask_json(kind::TRUST, &json!({}));
        let told = client.ask_json(kind::TRUST, &json!({ "hash": told["hash"] }));
        assert_eq!(told["trusted"], true, "{told}");
    }

    /// One whose folders stand in a folder that outlives it, and may be there already.
    pub fn at(top: &Path) -> TestDaemon {
        for (name, private) in [("workspace", false), ("home", false), ("run", true), ("state", true)] {
            let made = system::make_folder(&top.join(name), private);
            made.expect("a folder can be made in a temporary folder");
        }
        TestDaemon { workspace: top.join("workspace"), scratch: None, child: None, options: Vec::new() }
    }

    /// The same with a daemon that answers.
    pub fn started() -> TestDaemon {
        let mut daemon = TestDaemon::new();
        daemon.start();
        daemon
    }

    /// More words for the daemon's command line, from the next start on.
    #[must_use]
    pub fn with_options(mut self, options: &[&str]) -> TestDaemon {
        self.options = options.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// The workspace's folder.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Another folder of the user: `home`, `run` or `state`.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.workspace.with_file_name(name)
    }

    /// Returns the path of the daemon's socket, or the name of its pipe.
    pub fn socket(&self) -> PathBuf {
        system::address(self)
    }

    /// A command of this user, in the workspace.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.workspace)
            .env("HOME", self.folder("home"))
            .env("XDG_RUNTIME_DIR", self.folder("run"))
            .env("XDG_STATE_HOME", self.folder("state"))
            .env("LOCALAPPDATA", self.folder("state"))
            .env("NO_COLOR", "1")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("EDITCTL_SESSION")
            .env_remove("EDITCTL_ON_STALE")
            .env_remove("LISTEN_FDS")
            .env_remove("LISTEN_PID")
            .env_remove("NOTIFY_SOCKET")
            .stdin(Stdio::null());
        command
    }

    /// `editctl` of this user, in the workspace.
    pub fn editctl(&self) -> Command {
        let mut command = self.command(binaries::editctl());
        command.env("EDITD_BIN", binaries::editd());
        command
    }

    /// Starts the daemon and waits until it answers.
    ///
    /// # Panics
    /// Where it ends before it answers, with what it said.
    pub fn start(&mut self) {
        if let Err(said) = self.try_start() {
            panic!("{said}");
        }
    }

    /// Starts the daemon and waits until it answers.
    ///
    /// # Errors
    /// Its output, if it ends before it answers.
    ///
    /// # Panics
    /// If one runs already.
    pub fn try_start(&mut self) -> Result<(), String> {
        assert!(self.child.is_none(), "a daemon runs already");
        let log = self.log();
        let said = File::options().create(true).append(true).open(&log).expect("a log file can be made");
        let mut command = self.command(binaries::editd());
        command.arg("--workspace").arg(&self.workspace).args(&self.options);
        let mut child =
            command.stdout(Stdio::null()).stderr(said).spawn().expect("the daemon's binary can be started");
        let socket = self.socket();
        wait::until("the daemon answers", wait::LONG, || {
            if let Some(status) = child.try_wait().expect("a child can be asked") {
                return Some(Err(format!(
                    "the daemon ended ({status}) before it answered:\n{}",
                    self.said()
                )));
            }
            Client::connect(&socket, "readiness").ok().map(|_| Ok(()))
        })?;
        self.child = Some(child);
        Ok(())
    }

    /// The daemon's process.
    ///
    /// # Panics
    /// Where none was started.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("a daemon was started").id()
    }

    /// SIGKILL, and waits until it is gone.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("an own child can be killed");
            child.wait().expect("an own child can be waited for");
        }
    }

    /// Asks it to stop, on Unix with SIGTERM, and waits until it has left.
    ///
    /// # Panics
    /// Where it does not leave.
    pub fn stop(&mut self) -> ExitStatus {
        system::ask_to_stop(self);
        self.wait()
    }

    /// Waits until the daemon has left by itself.
    ///
    /// # Panics
    /// Where it does not leave.
    pub fn wait(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("a daemon was started");
        wait::until("the daemon leaves", wait::LONG, || child.try_wait().expect("a child can be asked"))
    }

    /// SIGKILL and a new start.
    pub fn kill_and_start(&mut self) {
        self.kill();
        self.start();
    }

    /// A connection as a session.
    ///
    /// # Panics
    /// Where the daemon does not take it.
    pub fn client(&self, session: &str) -> Client {
        self.try_client(session).unwrap_or_else(|e| panic!("no connection: {e:?}\n{}", self.said()))
    }

    /// A connection, if the daemon takes it.
    ///
    /// # Errors
    /// As [`Client::connect`].
    pub fn try_client(&self, session: &str) -> Result<Client, RequestFailure> {
        Client::connect(&self.socket(), session)
    }

    /// Returns the folder in which the daemon keeps the journal of this workspace.
    ///
    /// # Panics
    /// If the daemon does not answer.
    pub fn state_folder(&self) -> PathBuf {
        let status = self.client("s").ask_json(kind::STATUS, &json!({}));
        status["state"].as_str().expect("the status names the folder").into()
    }

    /// Returns the standard error of all daemons that were started here.
    pub fn said(&self) -> String {
        fs::read(self.log()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Writes a file of the workspace in place, as another program would, with its folders. It is not emptied first: the
    /// daemon could take that for a change of its own.
    pub fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let place = self.workspace.join(path);
        let folder = place.parent().expect("a path in a workspace has a folder");
        fs::create_dir_all(folder).expect("a folder can be made");
        let bytes = bytes.as_ref();
        let written =
            File::options().create(true).truncate(false).write(true).open(&place).and_then(|mut file| {
                file.write_all(bytes)?;
                if file.metadata()?.len() > bytes.len() as u64 {
                    file.set_len(bytes.len() as u64)
                } else {
                    Ok(())
                }
            });
        written.unwrap_or_else(|e| panic!("{}: {e}", place.display()));
    }

    /// Reads a file of the workspace as another program would.
    pub fn get(&self, path: &str) -> Vec<u8> {
        let place = self.workspace.join(path);
        fs::read(&place).unwrap_or_else(|e| panic!("{}: {e}", place.display()))
    }

    fn log(&self) -> PathBuf {
        self.folder("home").join("editd.log")
    }
}

impl Default for TestDaemon {
    fn default() -> Self {
        TestDaemon::new()
    }
}

impl Drop for TestDaemon {
    fn drop(&mut self) {
        self.kill();
        system::end_others(self);
        if std::thread::panicking() {
            eprintln!("the daemon of {} said:\n{}", self.workspace.display(), self.said());
        }
    }
}
