//! A file and edits of it, most of which quote it with small changes: every plan has an inverse, and planning again
//! gives the same plan.
#![no_main]

mod shared;

use std::sync::Arc;

use editd_engine::{FileState, WorkspaceSnapshot, needs_of_input as needs};
use editd_proto::message::{EditPosition, EditScope, FileEdit, FileEntry, JobRequest, Reindent};
use editd_proto::operation::OPERATIONS;
use libfuzzer_sys::fuzz_target;

/// Returns the names of all rungs, as the description of the field `match` lists them.
fn rungs() -> Vec<&'static str> {
    let mut fields = OPERATIONS.iter().flat_map(|operation| operation.fields);
    let described =
        fields.find(|field| field.name == "match").and_then(|field| field.meaning.split_once(": "));
    described.map(|(_, names)| names.split(", ").collect()).expect("`match` lists the rungs")
}

/// Reads an input from its front.
struct InputBytes<'d>(&'d [u8]);

impl<'d> InputBytes<'d> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn bytes(&mut self, count: usize) -> &'d [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn text(&mut self) -> String {
        let count = usize::from(self.byte() % 64);
        String::from_utf8_lossy(self.bytes(count)).into_owned()
    }

    fn one_in(&mut self, n: u8) -> bool {
        self.byte() % n == 0
    }

    fn line(&mut self) -> Option<u64> {
        self.one_in(3).then(|| u64::from(self.byte() % 40))
    }

    /// Returns some lines of the file, often changed a little, or any text.
    fn quote(&mut self, content: &str) -> String {
        let lines: Vec<&str> = content.split_inclusive('\n').collect();
        if lines.is_empty() || self.one_in(8) {
            return self.text();
        }
        let first = usize::from(self.byte()) % lines.len();
        let count = usize::from(self.byte() % 6) + 1;
        let taken: String = lines.iter().skip(first).take(count).copied().collect();
        match self.byte() % 12 {
            0 => taken.trim_end().to_owned(),
            1 => taken.lines().map(|line| format!("{}\n", line.trim())).collect(),
            2 => taken.lines().map(|line| format!("  {line}\n")).collect(),
            3 => taken.lines().map(|line| format!("{line} \n")).collect(),
            4 => taken.replace('\n', "\r\n"),
            5 => taken.lines().enumerate().map(|(i, line)| format!("{} | {line}\n", first + i + 1)).collect(),
            6 => taken.replace('"', "\u{201c}").replace('-', "\u{2014}"),
            7 => taken.replacen('e', "ee", 1),
            8 => format!("extra\n{taken}"),
            9 => taken.replace("    ", "\t"),
            10 => taken.chars().skip(usize::from(self.byte() % 8)).collect(),
            _ => taken,
        }
    }

    fn edit(&mut self, content: &str) -> FileEdit {
        let rungs = rungs();
        let mut edit = FileEdit { near: self.line(), ..FileEdit::default() };
        if self.one_in(3) {
            edit.loosest = Some(rungs[usize::from(self.byte()) % rungs.len()].to_owned());
        }
        if self.one_in(4) {
            edit.whole_lines = Some(true);
        }
        if self.one_in(6) {
            edit.threshold = Some(0.5 + f64::from(self.byte() % 51) / 100.0);
        }
        let text = |source: &mut Self, content: &str| Some(source.quote(content));
        match self.byte() % 8 {
            0..=2 => {
                edit.op = "replace".to_owned();
                (edit.old, edit.new) = (text(self, content), text(self, content));
                edit.all = self.one_in(6).then_some(true);
                edit.to_clipboard = self.one_in(6).then(|| "c".to_owned());
            }
            3 => {
                edit.op = "insert".to_owned();
                edit.text = text(self, content);
                edit.at = Some(match self.byte() % 5 {
                    0 => EditPosition::Start,
                    1 => EditPosition::End,
                    2 => EditPosition::Line(u64::from(self.byte() % 40)),
                    3 => EditPosition::Before(self.quote(content)),
                    _ => EditPosition::After(self.quote(content)),
                });
            }
            4 => {
                edit = FileEdit { op: "lines".to_owned(), text: text(self, content), ..FileEdit::default() };
                edit.start = Some(u64::from(self.byte() % 40));
                edit.end = Some(u64::from(self.byte() % 40));
                edit.reindent = self.one_in(4).then(|| Reindent { strip: None, add: Some(self.text()) });
            }
            5 => {
                edit = FileEdit { op: "substitute".to_owned(), ..FileEdit::default() };
                (edit.pattern, edit.replacement) = (Some(self.text()), Some(self.text()));
                edit.regex = self.one_in(2).then_some(true);
            }
            6 => {
                edit = FileEdit { op: "chunk".to_owned(), ..FileEdit::default() };
                (edit.old, edit.new) = (text(self, content), text(self, content));
                edit.before = self.one_in(2).then(|| self.quote(content));
                edit.after = self.one_in(2).then(|| self.quote(content));
                let lines = (u64::from(self.byte() % 40), u64::from(self.byte() % 40));
                edit.within = self.one_in(3).then_some(EditScope::Lines(lines));
            }
            _ => {
                edit = FileEdit { op: "write".to_owned(), text: text(self, content), ..FileEdit::default() };
            }
        }
        edit
    }
}

fuzz_target!(|data: &[u8]| {
    let mut source = InputBytes(data);
    let count = usize::from(source.byte()) * 4;
    let bytes = source.bytes(count);
    let content = String::from_utf8_lossy(bytes).into_owned();
    let partial = source.one_in(4);
    let mut files = Vec::new();
    for _ in 0..=source.byte() % 2 {
        let edits = (0..=source.byte() % 4).map(|_| source.edit(&content)).collect();
        files.push(FileEntry { path: "a.txt".into(), base: None, edits, ..FileEntry::default() });
    }
    let job = JobRequest { files, partial, ..JobRequest::default() };
    let mut world = WorkspaceSnapshot::default();
    let Ok(needs) = needs(&job) else { return };
    for path in needs.paths {
        world.files.insert(path, FileState::File { bytes: Arc::from(bytes), mode: 0o644 });
    }
    world.clips = needs.clips.into_iter().map(|name| (name, b"  clip\n".to_vec())).collect();
    let _ = shared::planned(&job, &world);
});
