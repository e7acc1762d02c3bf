//! Drops the mode bits by which a program runs as its file's owner or group, if the content is new: the system drops them
//! on every write, and content of an editor is not what was trusted with them. It writes no file.

use editd_engine::FileState;
use editd_proto::message::FileOutcome;
use editd_proto::path::FilePath;

/// Runs the program as its owner.
const USER: u32 = 0o4000;
/// Runs the program as its group, if [`GROUP_RUNS`] is set, too.
const GROUP: u32 = 0o2000;
const GROUP_RUNS: u32 = 0o010;

/// Returns the state to reach without set-id bits if its content is not that of the present file, and true if it had
/// any.
pub fn without_set_id(present: &FileState, after: FileState) -> (FileState, bool) {
    let FileState::File { bytes, mode } = after else { return (after, false) };
    if without(mode) == mode {
        return (FileState::File { bytes, mode }, false);
    }
    let stays = matches!(present, FileState::File { bytes: old, .. } if *old == bytes);
    let kept = if stays { mode } else { without(mode) };
    (FileState::File { bytes, mode: kept }, kept != mode)
}

/// Without the bit to run it, the bit of the group means something else, and the system keeps it.
fn without(mode: u32) -> u32 {
    let group = if mode & GROUP_RUNS != 0 { GROUP } else { 0 };
    mode & !(USER | group)
}

/// Adds a warning to the outcome of a file that lost such bits.
pub fn warn(files: &mut [FileOutcome], path: &FilePath) {
    if let Some(file) = files.iter_mut().find(|file| file.path == *path) {
        file.warnings.push(format!(
            "{path} has no set-user-ID or set-group-ID bit any more, as after every write; `chmod` sets it again"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str, mode: u32) -> FileState {
        FileState::File { bytes: text.as_bytes().into(), mode }
    }

    #[test]
    fn new_content_has_no_set_id_bits_and_a_change_of_the_mode_alone_keeps_them() {
        let old = state("a", 0o755);
        for (mode, kept) in [
            (0o755, 0o755),
            (0o4755, 0o755),
            (0o2755, 0o755),
            (0o6711, 0o711),
            (0o2644, 0o2644),
            (0o1755, 0o1755),
            (0o4644, 0o644),
        ] {
            for present in [&old, &FileState::Absent] {
                assert_eq!(without_set_id(present, state("b", mode)), (state("b", kept), mode != kept));
            }
            assert_eq!(without_set_id(&old, state("a", mode)), (state("a", mode), false));
        }
        assert_eq!(without_set_id(&old, FileState::Absent), (FileState::Absent, false));
    }
}
