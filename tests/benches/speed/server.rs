//! A process that answers edits: the daemon or the bound program, alone or under a program that counts its calls. Dropping
//! it ends the process.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use editd_proto::message::{StopReply, StopRequest, kind};
use editd_tests::client::Client;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{binaries, wait};

use crate::bound;
use crate::caller::Caller;
use crate::work::CountedFile;

/// A program that can be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Program {
    Daemon,
    /// The bound, which creates and removes a file for each edit.
    Bound,
    /// The bound, which writes into displaced files.
    ReusingBound,
}

impl Program {
    /// All programs, in the order of the columns.
    pub(crate) const ALL: [Program; 3] = [Program::Daemon, Program::Bound, Program::ReusingBound];

    /// Returns the name of the program in output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Daemon => "editd",
            Program::Bound => "bound",
            Program::ReusingBound => "bound, files used again",
        }
    }
}

/// A running process.
pub(crate) struct Server {
    pub(crate) program: Program,
    child: Child,
    socket: PathBuf,
    workspace: PathBuf,
}

impl Server {
    /// Starts a program in the folders of `home`, as the last words of the command line `under`, and waits until it
    /// answers.
    ///
    /// # Errors
    /// It ends before it answers; the text says so.
    pub(crate) fn start(program: Program, home: &TestDaemon, under: &[OsString]) -> Result<Self, String> {
        let folder = home.folder("home").join(format!("{program:?}"));
        let (words, socket, workspace) = match program {
            Program::Daemon => {
                let workspace = home.workspace().to_owned();
                let words: [OsString; 3] =
                    [binaries::editd().into(), "--workspace".into(), workspace.clone().into()];
                (words.to_vec(), home.socket(), workspace)
            }
            Program::Bound | Program::ReusingBound => {
                let this = std::env::current_exe().expect("a program knows where it is");
                let reuse = if program == Program::Bound { "" } else { bound::REUSE };
                let words = [this.into(), bound::WORD.into(), folder.clone().into(), reuse.into()];
                (words.to_vec(), bound::socket(&folder), bound::workspace(&folder))
            }
        };
        let all: Vec<OsString> = under.iter().cloned().chain(words).collect();
        let mut command: Command = home.command(&all[0]);
        command.args(&all[1..]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| format!("{}: {e}", all[0].display()))?;
        wait::until("the program answers", wait::LONG, || {
            if let Some(status) = child.try_wait().expect("a child can be asked") {
                return Some(Err(format!("{} ended ({status}) before it answered", all[0].display())));
            }
            try_connect(program, &socket, "readiness").map(|_| Ok(()))
        })?;
        Ok(Self { program, child, socket, workspace })
    }

    /// The process that was started: the program itself, unless it runs under another one.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Opens a connection as a session.
    pub(crate) fn connect(&self, session: &str) -> Caller {
        try_connect(self.program, &self.socket, session)
            .unwrap_or_else(|| panic!("{} takes no connection", self.program.name()))
    }

    /// Writes a file of the workspace as another program would; returns its edits.
    pub(crate) fn put(&self, path: &str, text: &str) -> CountedFile {
        let (file, content) = CountedFile::new(path, text);
        let place = self.workspace.join(path);
        std::fs::create_dir_all(place.parent().expect("a path in a workspace has a folder")).unwrap();
        std::fs::write(&place, content).unwrap();
        file
    }

    /// Makes sure that the last edit of a file is in it.
    pub(crate) fn check(&self, file: &CountedFile) {
        let text = std::fs::read_to_string(self.workspace.join(&file.path)).unwrap();
        assert!(text.contains(&file.clone().next().old), "{}: turn {} is absent", file.path, file.turn());
    }

    /// Asks the program to end, and waits until it has.
    pub(crate) fn stop(mut self) {
        match self.connect("stopping") {
            Caller::Daemon(mut client) => {
                let _reply: StopReply = client.ask(kind::STOP, &StopRequest {}).expect("the daemon stops");
            }
            Caller::Bound(mut stream) => {
                use std::io::Write;
                stream.write_all(&bound::encode(None)).unwrap();
            }
        }
        wait::until("the program ends", wait::LONG, || self.child.try_wait().expect("a child can be asked"));
    }

    /// The nanoseconds that all present threads have spent on a processor.
    pub(crate) fn cpu_nanos(&self) -> u64 {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{}/task", self.pid())) else { return 0 };
        let of_thread = |folder: PathBuf| -> Option<u64> {
            std::fs::read_to_string(folder.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
        };
        threads.flatten().filter_map(|thread| of_thread(thread.path())).sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already after `stop`.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

fn try_connect(program: Program, socket: &Path, session: &str) -> Option<Caller> {
    Some(match program {
        Program::Daemon => Caller::Daemon(Client::connect(socket, session).ok()?),
        Program::Bound | Program::ReusingBound => {
            Caller::Bound(std::os::unix::net::UnixStream::connect(socket).ok()?)
        }
    })
}

/// Returns the time of a piece of work.
pub(crate) fn took(work: impl FnOnce()) -> std::time::Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
