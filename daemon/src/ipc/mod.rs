//! Sockets: who connects, frames in, replies and events out. It knows what a request is called, and asks
//! `queue` and the workspace for everything else; it never touches a workspace file.
//!
//! *Calling sequence*: [`Listener`] on a claimed or inherited socket, [`serve()`] until the house is told to
//! stop. Each connection: `hello`, then requests; a worker thread decodes a frame, gives a job its place,
//! runs it and writes the reply itself, so that a request costs one hop there and none back.
//!
//! *Invariants*: a connection's jobs enter the queue in the order of its frames; a client that is slow,
//! silent, hostile or dead costs bounded memory and nobody else's time; what is refused is told why with a
//! typed error before anything is closed.
//!
//! *Limitations*: on Windows another user could open the pipe's name first; the client must look at whom it
//! talks to.

mod brief;
pub mod connection;
pub mod dispatch;
pub mod encode;
pub mod inbox;
mod misfit;
pub mod outbox;
pub mod serve;
pub mod server;
pub mod session;
pub mod subscriptions;
mod terse;
#[cfg(all(test, unix))]
mod tests;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;

pub use serve::serve;
pub use server::{DaemonInfo, Server, StopSignal};
pub use subscriptions::{EventSink, Subscription, Subscriptions};
#[cfg(unix)]
pub use unix::{Claim, ListenError, Listener, Stream, claim};
#[cfg(windows)]
pub use windows::{Claim, ListenError, Listener, Stream, claim};
