//! Encodes the replies to jobs. A reply that is too large for a frame or line is shortened instead of refused.

use editd_proto::codec::{self, Framing};
use editd_proto::limits;
use editd_proto::message::{FileOutcome, Receipt};

use super::brief::{self, ReplyWish};
use crate::queue::JobOutcome;
use crate::queue::reply::without_diffs;

/// Bytes that a file takes in a receipt besides its path, without its edits, issues and warnings.
const FILE_TOLD: usize = 160;

/// Encodes the outcome of a job within the budget of its request. A job that was done is never answered with an
/// error because its receipt is too large: the diffs are left out first, then the outcome of each edit, the files of
/// hooks and the text of the dialect, then the files. `most` is the size of the frame or line in bytes; the shortest
/// form is always sent.
pub(super) fn outcome(
    framing: Framing,
    (id, kind): (u64, &str),
    outcome: &JobOutcome,
    wish: ReplyWish,
    most: usize,
) -> Vec<u8> {
    let receipt = match outcome {
        Ok(receipt) => receipt,
        Err(refusal) => return framing.encode_error(id, refusal),
    };
    let receipt = &brief::shortened(receipt, wish);
    let fitting =
        |receipt: &Receipt| framing.encode(id, kind, receipt).ok().filter(|frame| frame.len() <= most);
    let least = || {
        let mut less = without_diffs(receipt);
        if let Some(frame) = fitting(&less) {
            return frame;
        }
        less.files.iter_mut().for_each(|file| file.edits.clear());
        less.hooks.iter_mut().for_each(|hook| hook.files.clear());
        less.text = None;
        if let Some(frame) = fitting(&less) {
            return frame;
        }
        // Half of the room is for the paths, half for the rest of each file.
        let mut left = most.min(limits::FRAME) / 2;
        let fits = |file: &&FileOutcome| {
            let bytes = file.path.as_bytes().len() + FILE_TOLD;
            left = left.saturating_sub(bytes);
            left > 0
        };
        let kept = less.files.iter().take_while(fits).count();
        less.omitted_files = (less.files.len() - kept) as u64;
        less.files.truncate(kept);
        fitting(&less).unwrap_or_else(|| bare(framing, (id, kind), less))
    };
    fitting(receipt).unwrap_or_else(least)
}

fn bare(framing: Framing, (id, kind): (u64, &str), mut receipt: Receipt) -> Vec<u8> {
    receipt.omitted_files = receipt.omitted_files.saturating_add(receipt.files.len() as u64);
    receipt.files.clear();
    receipt.hooks.clear();
    for check in &mut receipt.checks {
        check.more = check.more.saturating_add(check.new.len() as u64);
        check.new.clear();
    }
    framing.encode(id, kind, &receipt).unwrap_or_else(|_| {
        // Even its error alone is too large: the reply then has a short form of it.
        receipt.error = receipt.error.map(|error| codec::short(&error));
        framing.reply(id, kind, &receipt)
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use editd_proto::codec::{Frame, Message};
    use editd_proto::error::RequestError;
    use editd_proto::ids::JobId;
    use editd_proto::message::{EditOutcome, EditStatus, HookOutcome, JobStatus, kind};

    use crate::queue::tests::fake::receipt;

    const BOTH: [Framing; 2] = [Framing::Frames, Framing::Lines];

    fn read_back(framing: Framing, frame: &[u8]) -> Message {
        let message = match framing {
            Framing::Frames => {
                let (length, message) = frame.split_first_chunk::<4>().unwrap();
                assert_eq!(u32::from_be_bytes(*length) as usize, message.len());
                message
            }
            Framing::Lines => frame.strip_suffix(b"\n").unwrap(),
        };
        framing.parse(Frame::from_bytes(message.to_vec())).unwrap()
    }

    fn back(receipt: Receipt) -> Receipt {
        let frame = outcome(Framing::Frames, (5, kind::EDIT), &Ok(receipt), ReplyWish::ALL, usize::MAX);
        let message = read_back(Framing::Frames, &frame);
        assert_eq!((message.id(), message.kind()), (5, kind::EDIT));
        message.body().unwrap()
    }

    #[test]
    fn a_receipt_is_cut_down_until_it_fits() {
        let small = receipt(Some(JobId(1)), JobStatus::Applied);
        assert_eq!(back(small.clone()), small);

        let mut large = small.clone();
        large.files.resize(400, small.files.first().unwrap().clone());
        large.files.iter_mut().for_each(|file| file.diff = Some("x".repeat(limits::DIFF)));
        assert_eq!(back(large.clone()), without_diffs(&large));

        let edit = EditOutcome {
            rung: Some("exact".into()),
            lines: Some((1, 1)),
            error: Some(Box::new(RequestError::new(editd_proto::ErrorCode::Stale, "x".repeat(20_000)))),
            ..EditOutcome::new(EditStatus::Applied)
        };
        large.files.iter_mut().for_each(|file| file.edits = vec![edit.clone(); 3]);
        let shown = back(large.clone());
        assert_eq!(shown.files.len(), large.files.len());
        assert!(shown.files.iter().all(|file| file.edits.is_empty() && file.after.is_some()));

        let mut hooked = small.clone();
        let hook = HookOutcome {
            name: "fmt".into(),
            job: Some(JobId(2)),
            files: vec![small.files.first().unwrap().clone(); 200_000],
            warnings: vec!["slow".into()],
        };
        hooked.hooks = vec![hook.clone()];
        let shown = back(hooked);
        assert_eq!(shown.hooks, [HookOutcome { files: Vec::new(), ..hook }]);

        let said = Receipt { text: Some("x".repeat(limits::FRAME)), ..small.clone() };
        assert_eq!(back(said), without_diffs(&small));

        large.files.iter_mut().for_each(|file| file.warnings = vec!["x".repeat(90_000)]);
        let shown = back(large);
        assert_eq!((shown.job, shown.status, shown.files.len()), (Some(JobId(1)), JobStatus::Applied, 0));
        assert_eq!(shown.omitted_files, 400);

        // A refusal that is too large by itself is shortened.
        let mut error = RequestError::new(editd_proto::ErrorCode::Stale, "changed");
        error.diff = Some("x".repeat(limits::FRAME));
        let shown = back(Receipt { error: Some(error), ..small });
        assert_eq!(shown.error.unwrap(), RequestError::new(editd_proto::ErrorCode::Stale, "changed"));
    }

    #[test]
    fn a_receipt_in_a_line_is_cut_down_until_it_fits() {
        let within = |receipt: Receipt, most| {
            let line = outcome(Framing::Lines, (5, kind::EDIT), &Ok(receipt), ReplyWish::ALL, most);
            assert!(line.len() <= most);
            read_back(Framing::Lines, &line).body::<Receipt>().unwrap()
        };
        let mut large = receipt(Some(JobId(1)), JobStatus::Applied);
        // Each line feed takes two bytes, so that they fit a frame of this size and not a line.
        large.files.iter_mut().for_each(|file| file.diff = Some("\n".repeat(5_000)));
        assert_eq!(within(large.clone(), 20_000), large);
        assert_eq!(within(large.clone(), 8_000), without_diffs(&large));
        large.text = Some("x".repeat(limits::FRAME));
        large.files.resize(400, large.files.first().unwrap().clone());
        large.files.iter_mut().for_each(|file| file.warnings = vec!["\"".repeat(30_000)]);
        let shown = within(large, limits::FRAME);
        assert_eq!((shown.job, shown.files.len(), shown.omitted_files), (Some(JobId(1)), 0, 400));
    }

    #[test]
    fn as_many_files_as_fit_are_told_and_the_others_counted() {
        let mut long = receipt(Some(JobId(1)), JobStatus::Applied);
        let mut file = long.files.first().unwrap().clone();
        file.path = "x".repeat(limits::PATH).as_str().into();
        long.files = vec![file; limits::FILES];
        let long = Ok(long);
        for framing in BOTH {
            let within = |most| {
                let frame = outcome(framing, (5, kind::EDIT), &long, ReplyWish::ALL, most);
                (frame.len(), read_back(framing, &frame).body::<Receipt>().unwrap())
            };
            for most in [usize::MAX, limits::FRAME / 4, limits::FRAME / 64] {
                let (size, shown) = within(most);
                assert!(size <= most);
                let share = most.min(limits::FRAME) / limits::PATH;
                assert!((share / 3..share).contains(&shown.files.len()), "{} of {share}", shown.files.len());
                assert_eq!(shown.files.len() as u64 + shown.omitted_files, limits::FILES as u64);
            }
            let (_, least) = within(0);
            assert_eq!((least.files.len(), least.omitted_files), (0, limits::FILES as u64));
        }
    }
}
