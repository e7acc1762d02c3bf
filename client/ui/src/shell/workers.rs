//! The threads: one for each kind of request, so that a large diff delays nothing else, and one for the events.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use editctl::machine;
use editctl::show::OutputStyle;

use super::ShellEvent;
use super::daemon::{DaemonAddress, SpawnReason, tell_to};
use crate::state::journal::{ListPurpose, ListRequest};
use crate::state::undo::UndoTarget;
use crate::state::{Input, Request};

/// The pause between two attempts to connect after the daemon stopped.
const RECONNECT: Duration = Duration::from_secs(1);

/// The shortest time between two looks at the newest entries while agents work.
const REFRESH: Duration = Duration::from_millis(150);

/// Threads that get the texts of entries. While one waits for a slow diff, the other serves the next selection.
const TEXTS: usize = 2;

/// The threads that send requests.
pub(super) struct Workers {
    lists: Sender<ListRequest>,
    texts: Vec<Sender<(u64, u64)>>,
    undos: Sender<UndoTarget>,
    reconnect: Sender<()>,
    /// The thread that gets the next text.
    next_text: std::cell::Cell<usize>,
}

/// Reports the end of a thread, even by a panic.
struct EndNotice(&'static str, Sender<ShellEvent>);

impl Drop for EndNotice {
    fn drop(&mut self) {
        // At the end of the program nobody listens.
        let _ = self.1.send(ShellEvent::Ended(self.0));
    }
}

/// Starts a thread, whose end ends the program.
pub(super) fn start_thread(
    name: &'static str,
    sender: Sender<ShellEvent>,
    work: impl FnOnce() + Send + 'static,
) {
    std::thread::spawn(move || {
        let _notice = EndNotice(name, sender);
        work();
    });
}

impl Workers {
    /// Starts the threads.
    pub(super) fn start(address: Arc<DaemonAddress>, sender: &Sender<ShellEvent>) -> Self {
        tell_to(sender);
        let (lists, queue) = channel::<ListRequest>();
        serve("entries", sender, queue, {
            let (address, style) = (address.clone(), OutputStyle::for_screen());
            let mut last = None;
            move |request: ListRequest| {
                if request.purpose == ListPurpose::Newest {
                    let rest = last.map(|last| REFRESH.saturating_sub(machine::tick().duration_since(last)));
                    machine::pause(rest.unwrap_or_default());
                    last = Some(machine::tick());
                }
                address.list(&request, &style)
            }
        });
        let texts = (0..TEXTS).map(|_| {
            let (texts, queue) = channel();
            let (address, style) = (address.clone(), OutputStyle::for_screen());
            serve("text", sender, Newest(queue), move |(entry, from)| address.show(entry, from, &style));
            texts
        });
        let texts = texts.collect();
        let (undos, queue) = channel();
        let (of_undos, style) = (address.clone(), OutputStyle::for_screen());
        serve("undo", sender, queue, move |target| of_undos.undo(target, &style));
        let (reconnect, wishes) = channel();
        let events = sender.clone();
        start_thread("events", sender.clone(), move || follow(&address, &events, &wishes));
        Self { lists, texts, undos, reconnect, next_text: std::cell::Cell::new(0) }
    }

    /// Passes a request to its thread. The end of a thread is reported by the thread.
    pub(super) fn send(&self, request: Request) {
        match request {
            Request::List(request) => {
                let _ = self.lists.send(request);
            }
            Request::Show(entry, from) => {
                let at = self.next_text.get();
                self.next_text.set((at + 1) % TEXTS);
                let _ = self.texts.get(at).map(|text| text.send((entry, from)));
            }
            Request::Undo(target) => {
                let _ = self.undos.send(target);
            }
            Request::Reconnect => {
                let _ = self.reconnect.send(());
            }
            Request::Quit => {}
        }
    }
}

/// The requests of a thread.
trait RequestQueue<R>: Send + 'static {
    /// Waits for the next request.
    fn next(&self) -> Option<R>;
}

impl<R: Send + 'static> RequestQueue<R> for Receiver<R> {
    fn next(&self) -> Option<R> {
        self.recv().ok()
    }
}

/// Requests of which only the newest counts: the user has gone on.
struct Newest<R>(Receiver<R>);

impl<R: Send + 'static> RequestQueue<R> for Newest<R> {
    fn next(&self) -> Option<R> {
        let first = self.0.recv().ok()?;
        Some(self.0.try_iter().last().unwrap_or(first))
    }
}

fn serve<R: Send + 'static>(
    name: &'static str,
    sender: &Sender<ShellEvent>,
    queue: impl RequestQueue<R>,
    mut answer: impl FnMut(R) -> Input + Send + 'static,
) {
    let replies = sender.clone();
    start_thread(name, sender.clone(), move || {
        while let Some(request) = queue.next() {
            if replies.send(ShellEvent::Input(answer(request))).is_err() {
                return;
            }
        }
    });
}

/// Follows the events, and connects again after the daemon stopped.
fn follow(address: &DaemonAddress, sender: &Sender<ShellEvent>, wishes: &Receiver<()>) {
    let (mut reason, style) = (SpawnReason::User, OutputStyle::for_screen());
    loop {
        let why = address.follow(reason, sender, &style);
        if sender.send(ShellEvent::Input(Input::Lost(why))).is_err() {
            return;
        }
        reason = match wishes.recv_timeout(RECONNECT) {
            Ok(()) => SpawnReason::User,
            Err(RecvTimeoutError::Timeout) => SpawnReason::Nobody,
            Err(RecvTimeoutError::Disconnected) => return,
        };
    }
}
