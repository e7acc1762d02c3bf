//! The words for errors of the system, for daemon and client alike: without numbers, and with a remedy where there is one.

use std::io::{self, ErrorKind};

/// Returns the words for an error of the system.
#[must_use]
pub fn in_words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        _ => {
            let text = error.to_string();
            text.split_once(" (os error").map_or(text.clone(), |(words, _)| words.to_owned())
        }
    }
}

/// Returns the words for an error of the system, and what the user can do about a disk that takes nothing.
#[must_use]
pub fn with_remedy(error: &io::Error) -> String {
    let remedy = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "; make room on it, and try again",
        ErrorKind::ReadOnlyFilesystem => "; mount it writable, and try again",
        _ => "",
    };
    format!("{}{remedy}", in_words(error))
}

/// Returns true if the process or the system has no file descriptor left (`EMFILE`, `ENFILE`), for which the standard
/// library has no kind.
#[must_use]
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_has_words_and_no_number() {
        // ENOSPC and EACCES.
        let (full, denied) = (io::Error::from_raw_os_error(28), io::Error::from_raw_os_error(13));
        if cfg!(unix) {
            assert_eq!(with_remedy(&full), "the disk is full; make room on it, and try again");
            assert_eq!(with_remedy(&denied), "Permission denied");
        }
        assert_eq!(with_remedy(&io::Error::other("text")), "text");
    }
}
