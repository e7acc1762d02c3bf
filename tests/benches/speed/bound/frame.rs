//! The messages of the bound program: lengths before texts, and one byte as the reply.

use crate::work::EditJob;

/// The reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// All files have their new content.
    Applied = 0,
    /// A quoted text is absent; nothing changed.
    Absent = 1,
    /// A displaced file is not the one that was judged.
    Changed = 2,
}

impl Outcome {
    /// Returns the outcome that a byte of a reply stands for.
    pub(crate) fn of(byte: u8) -> Self {
        match byte {
            0 => Self::Applied,
            1 => Self::Absent,
            _ => Self::Changed,
        }
    }
}

/// A request that borrows the received bytes.
pub(super) struct BoundJob<'b> {
    pub(super) is_end: bool,
    pub(super) durable: bool,
    /// The path, the quoted text and its replacement for each file.
    edits: &'b [u8],
    pub(super) count: usize,
}

const END: u8 = 0;
const RELAXED: u8 = 1;
const DURABLE: u8 = 2;

/// Encodes a job; without one, the request to end the process.
pub(crate) fn encode(job: Option<&EditJob>) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    bytes.push(match job {
        None => END,
        Some(job) if job.durable => DURABLE,
        Some(_) => RELAXED,
    });
    let edits = job.map_or(&[][..], |job| &job.edits);
    bytes.extend((edits.len() as u32).to_le_bytes());
    for text in edits.iter().flat_map(|edit| [&edit.path, &edit.old, &edit.new]) {
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    let length = (bytes.len() as u32).to_le_bytes();
    bytes[..4].copy_from_slice(&length);
    bytes
}

/// Returns true if the bytes are a whole message.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && bytes.len() >= number(bytes)
}

/// Reads a whole message.
pub(super) fn decode(bytes: &[u8]) -> BoundJob<'_> {
    BoundJob {
        is_end: bytes[4] == END,
        durable: bytes[4] == DURABLE,
        edits: &bytes[9..],
        count: number(&bytes[5..]),
    }
}

impl<'b> BoundJob<'b> {
    /// The path, the quoted text and its replacement for each file.
    pub(super) fn edits(&self) -> impl Iterator<Item = [&'b [u8]; 3]> {
        let mut rest = self.edits;
        (0..self.count).map(move |_| {
            [(); 3].map(|()| {
                let length = number(rest);
                let (text, after) = rest[4..].split_at(length);
                rest = after;
                text
            })
        })
    }
}

fn number(bytes: &[u8]) -> usize {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
}
