//! Replies as frames. What is too large for one is told in fewer words rather than not at all.

use editd_proto::codec;
use editd_proto::message::Receipt;

use crate::queue::Outcome;
use crate::queue::reply::without_diffs;

/// What came of a job. A job that was done is never answered with an error because its receipt is large:
/// the diffs are left out, then what became of each edit, the files of hooks and the text in a dialect's words, then
/// the files.
pub fn outcome(id: u64, kind: &str, outcome: &Outcome) -> Vec<u8> {
    let receipt = match outcome {
        Ok(receipt) => receipt,
        Err(refusal) => return codec::encode_error(id, refusal),
    };
    codec::encode(id, kind, receipt).unwrap_or_else(|_| {
        let mut less = without_diffs(receipt);
        codec::encode(id, kind, &less).unwrap_or_else(|_| {
            less.files.iter_mut().for_each(|file| file.edits.clear());
            less.hooks.iter_mut().for_each(|hook| hook.files.clear());
            less.text = None;
            codec::encode(id, kind, &less).unwrap_or_else(|_| bare(id, kind, less))
        })
    })
}

fn bare(id: u64, kind: &str, mut receipt: Receipt) -> Vec<u8> {
    receipt.files.clear();
    receipt.hooks.clear();
    codec::reply(id, kind, &receipt)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use editd_proto::codec::{Frame, Message};
    use editd_proto::error::WireError;
    use editd_proto::ids::JobId;
    use editd_proto::limits;
    use editd_proto::message::{EditOutcome, EditStatus, HookOutcome, Status, kind};

    use crate::queue::fake::receipt;

    fn read_back(frame: &[u8]) -> Message {
        let (length, message) = frame.split_first_chunk::<4>().unwrap();
        assert_eq!(u32::from_be_bytes(*length) as usize, message.len());
        Message::parse(Frame::from_bytes(message.to_vec())).unwrap()
    }

    fn back(receipt: Receipt) -> Receipt {
        let message = read_back(&outcome(5, kind::EDIT, &Ok(receipt)));
        assert_eq!((message.id(), message.kind()), (5, kind::EDIT));
        message.body().unwrap()
    }

    #[test]
    fn a_receipt_is_cut_down_until_it_fits() {
        let small = receipt(Some(JobId(1)), Status::Applied);
        assert_eq!(back(small.clone()), small);

        let mut large = small.clone();
        large.files.resize(400, small.files.first().unwrap().clone());
        large.files.iter_mut().for_each(|file| file.diff = Some("x".repeat(limits::DIFF)));
        assert_eq!(back(large.clone()), without_diffs(&large));

        let edit = EditOutcome {
            status: EditStatus::Applied,
            rung: Some("exact".into()),
            lines: Some((1, 1)),
            moved: None,
            replacements: None,
            score: None,
            converted_breaks: None,
            error: Some(WireError::new(editd_proto::Code::Stale, "x".repeat(20_000))),
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

        large.files.iter_mut().for_each(|file| file.warnings = vec!["x".repeat(50_000)]);
        let shown = back(large);
        assert_eq!((shown.job, shown.status, shown.files.len()), (Some(JobId(1)), Status::Applied, 0));
    }
}
