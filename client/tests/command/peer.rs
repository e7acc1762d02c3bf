//! A simulated daemon that replies as a test specifies and records the requests.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};

use editd_proto::codec::{self, FrameReader, Message};
use editd_proto::limits;
use editd_proto::message::{Hello, ServerLimits, Welcome, kind};
use serde::Serialize;

/// The reaction to a request.
pub(crate) enum Says {
    /// Sends these bytes.
    Frames(Vec<u8>),
    /// Closes the connection without a reply.
    Leaves,
    /// Sends these bytes, then closes the connection.
    Last(Vec<u8>),
}

/// A reply of the same kind as the request.
pub(crate) fn reply(to: &Message, body: &impl Serialize) -> Says {
    Says::Frames(codec::encode(to.id(), to.kind(), body).unwrap())
}

/// A frame with any id, kind and body.
pub(crate) fn frame(id: u64, kind: &str, body: &impl Serialize) -> Vec<u8> {
    codec::encode(id, kind, body).unwrap()
}

/// A workspace with a simulated daemon on its socket.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
    /// The received hellos and requests, in their order.
    pub(crate) heard: Receiver<Message>,
}

impl Scene {
    /// The workspace `w` with the folder `src`. `answer` reacts to the requests of every connection.
    pub(crate) fn new(answer: impl Fn(usize, &Message) -> Says + Send + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("w/src")).unwrap();
        std::fs::create_dir(folder.path().join("w/.git")).unwrap();
        let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
        let (tell, heard) = channel();
        // The daemon serves the folder under its canonical name.
        let root = folder.path().canonicalize().unwrap().join("w").to_str().unwrap().to_owned();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                converse(stream.unwrap(), |message| {
                    tell.send(message.clone()).unwrap_or_default();
                    match message.kind() {
                        kind::HELLO => reply(message, &welcome(message, &root)),
                        _ => answer(number, message),
                    }
                });
            }
        });
        Self { folder, heard }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    /// Runs `editctl` in the folder `src` of the workspace, without the environment variables that it reads.
    pub(crate) fn editctl(&self, words: &[&str]) -> Command {
        let mut command = bare(&self.root().join("src"), words);
        command.arg("--socket").arg(self.folder.path().join("socket"));
        command
    }

    /// Returns a command of another program with the path of `editctl` in `$EDITCTL` and of the socket in `$SOCKET`.
    #[cfg(target_os = "linux")]
    pub(crate) fn program(&self, program: &str) -> Command {
        let mut command = plain(Command::new(program), &self.root());
        command
            .env("EDITCTL", env!("CARGO_BIN_EXE_editctl"))
            .env("SOCKET", self.folder.path().join("socket"));
        command
    }

    pub(crate) fn run(&self, words: &[&str], stdin: &[u8]) -> Output {
        run(self.editctl(words), stdin)
    }

    /// Returns the first received message of a kind.
    pub(crate) fn asked(&self, kind: &str) -> Message {
        self.heard.iter().find(|message| message.kind() == kind).unwrap()
    }
}

pub(crate) fn bare(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_editctl"));
    command.args(words);
    plain(command, folder)
}

fn plain(mut command: Command, folder: &Path) -> Command {
    command.current_dir(folder);
    for name in ["EDITCTL_SESSION", "EDITCTL_ON_STALE", "EDITD_BIN", "XDG_RUNTIME_DIR", "NO_COLOR"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(mut command: Command, stdin: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A process that does not read its input may have ended already.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn welcome(message: &Message, workspace: &str) -> Welcome {
    let hello: Hello = message.body().unwrap();
    let limits = ServerLimits { frame: limits::FRAME as u64, file: 1, files: 1, edits: 1 };
    let session = hello.session.unwrap_or_default();
    Welcome { protocol: 1, server: "0".into(), workspace: workspace.to_owned(), session, limits }
}

fn converse(mut stream: UnixStream, mut answer: impl FnMut(&Message) -> Says) {
    let mut frames = FrameReader::new(limits::FRAME);
    let mut bytes = vec![0; 64 * 1024];
    loop {
        while let Some(frame) = frames.next_frame().unwrap() {
            let says = answer(&Message::parse(frame).unwrap());
            // The client has closed the connection.
            match says {
                Says::Frames(bytes) => drop(stream.write_all(&bytes)),
                Says::Last(bytes) => return drop(stream.write_all(&bytes)),
                Says::Leaves => return,
            }
        }
        match stream.read(&mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(count) => frames.push(&bytes[..count]),
        }
    }
}
