//! One connection to the daemon or to the bound program, which sends a job and waits for its reply.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use editd_proto::message::{Durability, FileEdit, FileEntry, JobRequest, JobStatus, Receipt, kind};
use editd_tests::client::{Client, RequestFailure};

use crate::bound::{self, Outcome};
use crate::work::EditJob;

/// The connection.
pub(crate) enum Caller {
    Daemon(Client),
    Bound(UnixStream),
}

impl Caller {
    /// Runs a job; returns the time from sending it to its reply.
    ///
    /// # Panics
    /// If the reply is not the expected one.
    pub(crate) fn run(&mut self, job: &EditJob) -> Duration {
        match self {
            Caller::Daemon(client) => {
                let request = request(job);
                let start = Instant::now();
                let reply = client.ask::<Receipt>(kind::EDIT, &request);
                let took = start.elapsed();
                match reply {
                    Ok(receipt) => {
                        let applied = receipt.status == JobStatus::Applied;
                        assert_eq!(applied, !job.absent, "{:?}", receipt.error);
                    }
                    Err(RequestFailure::Refused(_)) if job.absent => {}
                    Err(failure) => panic!("the daemon answers: {failure:?}"),
                }
                took
            }
            Caller::Bound(stream) => {
                let request = bound::encode(Some(job));
                let mut reply = [0];
                let start = Instant::now();
                stream.write_all(&request).unwrap();
                stream.read_exact(&mut reply).unwrap();
                let took = start.elapsed();
                let expected = if job.absent { Outcome::Absent } else { Outcome::Applied };
                assert_eq!(Outcome::of(reply[0]), expected);
                took
            }
        }
    }
}

/// Returns the job as the daemon reads it.
pub(crate) fn request(job: &EditJob) -> JobRequest {
    let files = job.edits.iter().map(|edit| FileEntry {
        path: edit.path.as_str().into(),
        edits: vec![FileEdit {
            op: "replace".to_owned(),
            old: Some(edit.old.clone()),
            new: Some(edit.new.clone()),
            ..FileEdit::default()
        }],
        ..FileEntry::default()
    });
    JobRequest {
        durability: Some(if job.durable { Durability::Durable } else { Durability::Relaxed }),
        diff: Some(false),
        files: files.collect(),
        ..JobRequest::default()
    }
}
