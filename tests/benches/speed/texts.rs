//! Real contents: files of this checkout, one alone or several in a row, never cut. Those of usual size are copies that do
//! not change with the sources, so that counts of two commits can be compared. It only reads them.

use std::collections::BTreeMap;

use editd_tests::checkout::Checkout;

/// Files of about 10 KB by their extensions.
const USUAL: [(&str, &str); 5] = [
    ("rs", include_str!("../contents/usual.rs.txt")),
    ("py", include_str!("../contents/usual.py.txt")),
    ("ts", include_str!("../contents/usual.ts.txt")),
    ("md", include_str!("../contents/usual.md.txt")),
    ("txt", include_str!("../contents/usual.txt")),
];

/// Returns the file of about 10 KB with this extension.
pub(crate) fn usual(extension: &str) -> &'static str {
    USUAL.iter().find(|(known, _)| *known == extension).expect("there is a file for each extension").1
}

/// The files of this checkout by their extension, in the order of their paths.
pub(crate) struct RealTexts {
    files: BTreeMap<&'static str, Vec<String>>,
}

impl RealTexts {
    /// Reads the checkout that this benchmark was built from.
    pub(crate) fn of_this_checkout() -> Self {
        let checkout = Checkout::of_this_crate();
        let of = |folders: &[&str], end: &str| -> Vec<String> {
            checkout
                .all()
                .filter(|(name, _)| folders.iter().any(|folder| name.starts_with(folder)))
                .filter(|(name, text)| name.ends_with(end) && !name.contains("/cases/") && text.len() > 500)
                .map(|(_, text)| text.to_owned())
                .collect()
        };
        let rust = checkout.rust().map(|(_, text)| text.to_owned()).collect();
        let pages = of(&["README", "daemon/", "client/", "proto/", "tests/"], ".md");
        // Plain text: the licenses and the pages.
        let plain = of(&["LICENSE"], "").into_iter().chain(pages.clone()).collect();
        let files = [
            ("rs", rust),
            ("py", of(&["client/", "tests/"], ".py")),
            ("ts", of(&["client/typescript/"], ".ts")),
            ("md", pages),
            ("txt", plain),
        ];
        Self { files: files.into_iter().collect() }
    }

    /// Returns about this many bytes: one file if there is one of the size, otherwise files in a row, repeated if they
    /// are too few.
    pub(crate) fn of_bytes(&self, extension: &str, bytes: usize) -> String {
        let files = &self.files[extension];
        let nearest =
            files.iter().min_by_key(|text| text.len().abs_diff(bytes)).expect("the checkout has some");
        if nearest.len().abs_diff(bytes) * 10 <= bytes {
            return nearest.clone();
        }
        self.in_a_row(extension, |text| text.len() * 20 >= bytes * 19)
    }

    /// Returns at least this many lines, of files in a row.
    pub(crate) fn of_lines(&self, extension: &str, lines: usize) -> String {
        let mut had = 0;
        let mut from = 0;
        self.in_a_row(extension, |text| {
            had += memchr::memchr_iter(b'\n', &text.as_bytes()[from..]).count();
            from = text.len();
            had >= lines
        })
    }

    fn in_a_row(&self, extension: &str, mut is_enough: impl FnMut(&str) -> bool) -> String {
        let mut text = String::new();
        for file in self.files[extension].iter().cycle() {
            text.push_str(file);
            if !file.ends_with('\n') {
                text.push('\n');
            }
            if is_enough(&text) {
                break;
            }
        }
        text
    }
}
