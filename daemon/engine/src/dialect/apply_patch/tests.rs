//! Envelopes at random: none panics, none takes more than linear time. No file is touched.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_types::{ErrorCode, FilePath};
use proptest::prelude::*;

use crate::dialect::{PayloadContext, PayloadRequest, translate};

const SETTING: PayloadContext<'_> = PayloadContext { path: None, roots: &[], limit: usize::MAX };

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("*** Begin Patch".to_owned()),
        Just("*** End Patch".to_owned()),
        Just("*** Add File: a".to_owned()),
        Just(" *** Update File: b".to_owned()),
        Just("*** Update File: b".to_owned()),
        Just("*** Delete File: c".to_owned()),
        Just("*** Move to: d".to_owned()),
        Just("*** End of File".to_owned()),
        Just("***".to_owned()),
        Just("@@".to_owned()),
        Just("@@ -1,2 +3 @@".to_owned()),
        Just("@@ x".to_owned()),
        Just("<<EOF".to_owned()),
        Just("\\ No newline at end of file".to_owned()),
        "[ +\\-]?[a-c\\x00é“]{0,3}\r?",
    ]
}

proptest! {
    #[test]
    fn no_payload_panics(lines in prop::collection::vec(line(), 0..14), wrap in any::<bool>()) {
        let inside = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let text = if wrap { format!("*** Begin Patch\n{inside}*** End Patch\n") } else { inside };
        let path = FilePath::from("b");
        for path in [None, Some(&path)] {
            if let Err(error) = translate(Some("apply-patch"), &text, &PayloadContext { path, ..SETTING }) {
                prop_assert_eq!(error.code, ErrorCode::Malformed);
            }
        }
        let _ = translate(None, &text, &SETTING);
    }
}

#[test]
fn large_envelopes_are_read_in_linear_time() {
    const SIZE: usize = 256 * 1024;
    for unit in [
        "@@",
        "@@\n",
        "@@ x\n",
        "@@\n-a\n",
        "\n",
        "+\n",
        "-a\n+b\n",
        "*** Add File: a\n",
        "*** Update File: a\n-b\n",
        "*** End of File\n",
        "*** End Patch\n",
        "*** Begin Patch\n",
    ] {
        let inside = unit.repeat(SIZE / unit.len());
        for head in ["", "*** Update File: f\n", "*** Add File: f\n"] {
            let _ = translate(
                Some("apply-patch"),
                &format!("*** Begin Patch\n{head}{inside}\n*** End Patch\n"),
                &SETTING,
            );
        }
    }
}

#[test]
fn many_updates_of_one_path_are_one_entry() {
    let inside = "*** Update File: f\n@@\n-a\n+b\n".repeat(10_000);
    let text = format!("*** Begin Patch\n{inside}*** End Patch\n");
    let PayloadRequest::Job(job) = translate(None, &text, &SETTING).unwrap().request else { unreachable!() };
    assert_eq!(job.files.len(), 1);
    assert!(job.files.iter().all(|file| file.edits.len() == 10_000));
}
