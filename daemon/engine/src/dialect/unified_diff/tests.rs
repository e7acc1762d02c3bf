//! Diffs of a size: none takes more than linear time. No file is touched.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_types::FilePath;

use crate::dialect::{PayloadContext, PayloadRequest, translate};

#[test]
fn large_diffs_are_read_in_linear_time() {
    const SIZE: usize = 256 * 1024;
    let path = FilePath::from("f");
    let setting = PayloadContext { path: Some(&path), roots: &[], limit: usize::MAX };
    for unit in [
        "@@",
        "@@\n",
        "@@ -1 +1 @@\n-a\n+b\n",
        "--- a\n",
        "--- a\n+++ a\n",
        "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/f b/f\n",
        "diff --git a/f b/g\nrename from f\nrename to g\n",
        "Index: f\n",
        "\"",
        "\n",
        " \n",
        "-a\n",
        "\\\n",
        "\r",
    ] {
        let inside = unit.repeat(SIZE / unit.len());
        for head in ["", "@@ -1,9 +1,9 @@\n", "--- \"", "diff --git \""] {
            let text = format!("{head}{inside}");
            let _ = translate(Some("unified-diff"), &text, &setting);
            let _ = translate(None, &text, &setting);
        }
    }
}

#[test]
fn many_sections_of_one_path_are_one_entry_each() {
    let text = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n".repeat(10_000);
    let setting = PayloadContext { path: None, roots: &[], limit: usize::MAX };
    let PayloadRequest::Job(job) = translate(None, &text, &setting).unwrap().request else { unreachable!() };
    assert_eq!(job.files.len(), 10_000);
    assert!(job.files.iter().all(|file| file.edits.len() == 1));
}
