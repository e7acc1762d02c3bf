//! The standard input and output of a command, with one thread for each: a pipe of Windows cannot be waited for. It ends
//! the command's job if there is too much output.

use std::io::{self, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::job::JobObject;
use crate::sync::lock;

/// Bytes that are read at once.
const READ: usize = 16 * 1024;

/// The output of a command so far.
#[derive(Default, Debug)]
pub(super) struct TakenOutput {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// True if there was more than the command may write.
    pub(super) flooded: bool,
}

impl TakenOutput {
    /// Keeps the beginning of all output; returns true if there was too much.
    fn cut(&mut self, most: usize) -> bool {
        self.flooded |= self.stdout.len().saturating_add(self.stderr.len()) > most;
        self.stdout.truncate(most);
        self.stderr.truncate(most.saturating_sub(self.stdout.len()));
        self.flooded
    }
}

/// One of the two streams of output.
#[derive(Clone, Copy)]
enum Stream {
    Out,
    Err,
}

/// The pipes of a running command.
pub(super) struct OutputPipes {
    taken: Arc<Mutex<TakenOutput>>,
    /// Ends when both streams of output have ended.
    open: Receiver<()>,
}

impl OutputPipes {
    /// Starts the threads that write the command's input and read its output, of which it may write `most` bytes.
    pub(super) fn open(
        child: &mut Child,
        job: &Arc<JobObject>,
        input: &[u8],
        most: usize,
    ) -> io::Result<Self> {
        let taken = Arc::new(Mutex::new(TakenOutput::default()));
        let (end, open) = channel();
        let reads = |pipe: Option<Box<dyn Read + Send>>, stream: Stream| -> io::Result<()> {
            let Some(pipe) = pipe else { return Ok(()) };
            let (taken, job, end) = (Arc::clone(&taken), Arc::clone(job), end.clone());
            spawn(move || take_in(pipe, stream, &taken, &job, most, &end))
        };
        reads(child.stdout.take().map(|pipe| Box::new(pipe) as _), Stream::Out)?;
        reads(child.stderr.take().map(|pipe| Box::new(pipe) as _), Stream::Err)?;
        if let Some(mut pipe) = child.stdin.take().filter(|_| !input.is_empty()) {
            let input = input.to_vec();
            // A command need not read its input; the pipe breaks when it ends.
            spawn(move || drop(pipe.write_all(&input)))?;
        }
        Ok(Self { taken, open })
    }

    /// Returns the output once both streams have ended, or after this time.
    pub(super) fn rest(&self, time: Duration) -> TakenOutput {
        // Nothing is ever sent.
        if self.open.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("a process that a command did not start itself keeps its output open");
        }
        std::mem::take(&mut *lock(&self.taken))
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("command".to_owned()).spawn(work).map(drop)
}

/// Reads one stream to its end. `_end` tells that by being dropped.
fn take_in(
    mut pipe: Box<dyn Read + Send>,
    stream: Stream,
    taken: &Mutex<TakenOutput>,
    job: &JobObject,
    most: usize,
    _end: &Sender<()>,
) {
    let mut buffer = [0; READ];
    loop {
        let length = match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => length,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut taken = lock(taken);
        let into = match stream {
            Stream::Out => &mut taken.stdout,
            Stream::Err => &mut taken.stderr,
        };
        into.extend_from_slice(buffer.get(..length).unwrap_or_default());
        if taken.cut(most) {
            job.end();
            return;
        }
    }
}
