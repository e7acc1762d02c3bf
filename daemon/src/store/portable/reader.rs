//! Reads the lines of an exported journal with a bound on their length, and computes the checksum of what was read. It
//! reads each byte once, so that the file may be a pipe.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use super::LINE;
use super::line::{EndLine, JournalLine};

/// The bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// The reason why a file cannot be imported.
#[derive(thiserror::Error, Debug)]
pub enum LineError {
    /// A line is wrong.
    #[error("line {line}: {what}")]
    Wrong {
        /// The number of the line, from 1.
        line: u64,
        /// The fault, and the remedy.
        what: String,
    },
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Read(#[from] io::Error),
}

/// The lines of a file.
pub struct LineReader<'a> {
    source: &'a mut dyn Read,
    /// Bytes that were read and are in no line yet.
    chunk: Vec<u8>,
    /// The present line, with its end.
    line: Vec<u8>,
    lines: u64,
    /// The bytes and the hash of all lines before the present one.
    bytes: u64,
    sum: Sha256,
}

impl<'a> LineReader<'a> {
    /// Reads lines from a source.
    pub fn new(source: &'a mut dyn Read) -> Self {
        Self { source, chunk: Vec::new(), line: Vec::new(), lines: 0, bytes: 0, sum: Sha256::new() }
    }

    /// Returns the error for the present line.
    pub fn wrong(&self, what: impl Into<String>) -> LineError {
        LineError::Wrong { line: self.lines.max(1), what: what.into() }
    }

    /// Reads the next line.
    ///
    /// # Errors
    /// There is none, it is too long, or it is no line of an exported journal.
    pub fn next(&mut self) -> Result<JournalLine, LineError> {
        self.read_line()?;
        serde_json::from_slice(&self.line).map_err(|error| {
            let said = error.to_string();
            let said = said.split(" at line 1 ").next().unwrap_or_default();
            let newer = "if a newer editd wrote it, import it with that version";
            self.wrong(format!(
                "it is not a line of an exported journal (column {}: {said}); {newer}",
                error.column()
            ))
        })
    }

    fn read_line(&mut self) -> Result<(), LineError> {
        self.sum.update(&self.line);
        self.bytes = self.bytes.saturating_add(self.line.len() as u64);
        self.line.clear();
        self.lines += 1;
        loop {
            let end = self.chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(self.chunk.len(), |end| end + 1);
            self.line.extend(self.chunk.drain(..taken));
            if self.line.len() > LINE + 1 {
                return Err(
                    self.wrong(format!("it is longer than {LINE} bytes, so editd has not written it"))
                );
            }
            if end.is_some() {
                return Ok(());
            }
            self.chunk.resize(CHUNK, 0);
            let read = read(self.source, &mut self.chunk)?;
            self.chunk.truncate(read);
            if read == 0 {
                let what = "the file ends here, before its last line: a part of it is missing; export or copy it again";
                return Err(self.wrong(what));
            }
        }
    }

    /// Checks the last line, and that nothing follows it.
    ///
    /// # Errors
    /// The bytes before it are not those that were exported, or it is not the last line.
    pub fn check_end(&mut self, end: &EndLine) -> Result<(), LineError> {
        let sum =
            self.sum.clone().finalize().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        if end.lines != self.lines - 1 || end.bytes != self.bytes || end.sha256 != sum {
            let what = format!(
                "the file was changed after it was exported: it has {} lines, {} bytes and the SHA-256 {sum} before this \
                 line; export or copy it again",
                self.lines - 1,
                self.bytes
            );
            return Err(self.wrong(what));
        }
        if !self.chunk.is_empty() || read(self.source, &mut [0])? > 0 {
            return Err(self.wrong("more lines follow the last one; import one exported file at a time"));
        }
        Ok(())
    }
}

fn read(source: &mut dyn Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
