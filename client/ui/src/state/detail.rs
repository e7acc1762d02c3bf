//! The selected entry with its files and hunks: the rows of its text, and the cursor, which lies in one part of the entry.

use editctl::show::letters::{TextStyle, one_line};
use editctl::show::renames::{self, EntryRename, ListedFile};
use editctl::show::{OutputStyle, diff, history, more_hunks};
use editd_proto::FilePath;
use editd_proto::message::{EntryDetail, EntryHunk, ShowReply};

/// Maximum length of a line of a diff in bytes. The rest is counted.
const LINE: usize = 4096;

/// A part of an entry, which can be undone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum EntryPart {
    /// The whole entry.
    Entry,
    /// A file.
    File(FilePath),
    /// A file that was renamed: its names before and after.
    Renamed(FilePath, FilePath),
    /// A hunk of a file.
    Hunk(FilePath, EntryHunk),
}

impl EntryPart {
    /// Returns true if both are the same place of an entry, even if one of them was undone meanwhile.
    fn is_place_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Entry, Self::Entry) => true,
            (Self::File(one), Self::File(two)) => one == two,
            (Self::Renamed(_, one), Self::Renamed(_, two)) => one == two,
            (Self::Hunk(one, first), Self::Hunk(two, second)) => one == two && first.hunk == second.hunk,
            _ => false,
        }
    }
}

/// A line of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DetailRow {
    /// The text, with colours that [`editctl::show::letters::runs`] finds.
    pub(crate) text: String,
    /// The index of its part.
    pub(crate) part: usize,
}

/// A part of the text of an entry: some of its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DetailPage {
    parts: Vec<EntryPart>,
    rows: Vec<DetailRow>,
    /// The number of files up to the end of this page, if more follow.
    next: Option<u64>,
}

impl DetailPage {
    /// Formats a reply that begins behind `from` files.
    pub(crate) fn of(reply: &ShowReply, from: u64, style: &OutputStyle) -> Self {
        let mut page = Self { parts: Vec::new(), rows: Vec::new(), next: None };
        if from == 0 {
            page.begin(EntryPart::Entry);
            let facts = history::facts(&reply.entry, style);
            let (first, others) = facts.split_at(facts.len().min(3));
            page.add(&format!("entry {}", first.join("  ")));
            others.iter().for_each(|fact| page.add(fact));
            if let Some(key) = &reply.entry.key {
                page.add(&format!("key {}", one_line(key)));
            }
        }
        let files = renames::shown(reply);
        for (change, rename) in renames::changes(reply, &files) {
            let file = files.iter().find(|file| file.file.path == change.path);
            match rename {
                Some(rename) => page.renamed(rename, file, style),
                None => page.file(change, file, style),
            }
        }
        let shown = from.saturating_add(reply.changes.len() as u64);
        let files = (reply.entry.files.len() as u64).saturating_add(reply.entry.omitted_files);
        page.next = (files > shown && !reply.changes.is_empty()).then_some(shown);
        page
    }

    fn begin(&mut self, part: EntryPart) {
        self.parts.push(part);
    }

    fn add(&mut self, text: &str) {
        let part = self.parts.len().saturating_sub(1);
        self.rows.push(DetailRow { text: text.to_owned(), part });
    }

    /// Begins a part with a heading.
    fn heading(&mut self, part: EntryPart, name: &str, file: Option<&ListedFile<'_>>, style: &OutputStyle) {
        if !self.rows.is_empty() {
            self.add("");
        }
        self.begin(part);
        let name = style.paint(TextStyle::Strong, &one_line(name));
        let extent = file.map(|file| history::extent(file, style)).unwrap_or_default();
        self.add(&format!("{name}  {extent}"));
    }

    /// Adds a rename. It is undone as a whole, so that its hunks are no parts.
    fn renamed(&mut self, rename: &EntryRename, file: Option<&ListedFile<'_>>, style: &OutputStyle) {
        let part = EntryPart::Renamed(rename.from.clone(), rename.to.clone());
        let name = file.map(ListedFile::name).unwrap_or_default();
        self.heading(part, &name, file, style);
        let clipped = clipped(&rename.diff);
        let mut painted = String::new();
        diff::add(&mut painted, &clipped, style);
        let rows = painted.split('\n').zip(diff::with_headers(&clipped));
        let hunks = rows.skip_while(|(_, (_, is_header))| !is_header);
        hunks.for_each(|(text, _)| self.add(text));
    }

    fn file(&mut self, change: &EntryDetail, file: Option<&ListedFile<'_>>, style: &OutputStyle) {
        self.heading(EntryPart::File(change.path.clone()), &change.path.display(), file, style);
        if change.forgotten {
            self.add("contents forgotten");
        } else if change.diff.is_empty() && !change.partial {
            self.add("no change of content");
        }
        if let Some(note) = history::partial(change) {
            self.add(note);
        }
        let clipped = clipped(&change.diff);
        let mut painted = String::new();
        diff::add(&mut painted, &history::numbered(&clipped, &change.hunks), style);
        let mut hunks = change.hunks.iter();
        let mut before_hunks = true;
        for (text, (raw, is_header)) in painted.split('\n').zip(diff::with_headers(&clipped)) {
            before_hunks &= !is_header;
            // The heading has the path already.
            if before_hunks && (raw.starts_with("--- ") || raw.starts_with("+++ ")) {
                continue;
            }
            if let Some(hunk) = is_header.then(|| hunks.next()).flatten() {
                self.begin(EntryPart::Hunk(change.path.clone(), hunk.clone()));
            }
            self.add(text);
        }
        if change.omitted_hunks > 0 {
            self.begin(EntryPart::File(change.path.clone()));
            self.add(&more_hunks(change.omitted_hunks));
        }
    }
}

/// Cuts the long lines of a diff.
fn clipped(diff: &str) -> String {
    let mut out = String::with_capacity(diff.len());
    for line in diff.split_inclusive('\n') {
        let end = line.floor_char_boundary(LINE);
        match line.get(..end).filter(|_| end < line.len()) {
            Some(begin) => out.push_str(&format!("{begin}\u{2026} and {} more bytes\n", line.len() - end)),
            None => out.push_str(line),
        }
    }
    out
}

/// The state of the text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum DetailStatus {
    /// No entry is selected.
    #[default]
    Empty,
    /// It was requested.
    Loading,
    /// It is there.
    Ready,
    /// The daemon did not send it.
    Failed(String),
}

/// The text of the selected entry.
#[derive(Debug, Default)]
pub(crate) struct EntryText {
    pub(crate) entry: Option<u64>,
    pub(crate) status: DetailStatus,
    pub(crate) parts: Vec<EntryPart>,
    pub(crate) rows: Vec<DetailRow>,
    /// The row of the cursor.
    pub(crate) cursor: usize,
    /// The first row on the screen.
    pub(crate) offset: usize,
    /// The number of columns that are left out on the left.
    pub(crate) across: usize,
    next: Option<u64>,
    loading_more: bool,
}

impl EntryText {
    /// Begins the text of another entry.
    pub(crate) fn begin(&mut self, entry: Option<u64>) {
        let status = if entry.is_some() { DetailStatus::Loading } else { DetailStatus::Empty };
        *self = Self { entry, status, ..Self::default() };
    }

    /// Takes a page of the text.
    pub(crate) fn take(&mut self, from: u64, page: Result<DetailPage, String>) {
        self.loading_more = false;
        let page = match page {
            Ok(page) => page,
            Err(error) if self.rows.is_empty() => return self.status = DetailStatus::Failed(error),
            Err(_) => return,
        };
        let place = self.place();
        if from == 0 {
            self.parts.clear();
            self.rows.clear();
        } else if self.next != Some(from) {
            return;
        }
        let parts = self.parts.len();
        self.parts.extend(page.parts);
        self.rows.extend(page.rows.into_iter().map(|row| DetailRow { part: row.part + parts, ..row }));
        self.next = page.next;
        self.status = DetailStatus::Ready;
        self.return_to(place);
    }

    /// Returns the part of the cursor, and the number of its rows above the cursor.
    fn place(&self) -> Option<(EntryPart, usize)> {
        let index = self.part_at(self.cursor)?;
        let first = self.rows.iter().position(|row| row.part == index)?;
        Some((self.parts.get(index)?.clone(), self.cursor - first))
    }

    /// Moves the cursor to a place in a new text. Other rows above it do not move it to another part. If the part is not there,
    /// the cursor moves to the first row, so that no other part is selected.
    fn return_to(&mut self, place: Option<(EntryPart, usize)>) {
        let Some((part, above)) = place else { return self.move_by(0) };
        let index = self.parts.iter().position(|one| one.is_place_of(&part));
        let first = self.rows.iter().position(|row| Some(row.part) == index);
        let Some(first) = first else {
            self.cursor = 0;
            return;
        };
        let rows = self.rows.iter().skip(first).take_while(|row| Some(row.part) == index).count();
        self.cursor = first + above.min(rows.saturating_sub(1));
    }

    /// Returns the number of files behind which the next page begins, if the cursor is near the end of the loaded ones.
    pub(crate) fn need_more(&mut self, height: usize) -> Option<u64> {
        let near = self.cursor.max(self.offset + height) + height >= self.rows.len();
        let next = self.next.filter(|_| near && !self.loading_more)?;
        self.loading_more = true;
        Some(next)
    }

    /// Forgets the request that a lost daemon will not answer.
    pub(crate) fn lost(&mut self) {
        self.loading_more = false;
    }

    /// Returns the part in which the cursor is.
    pub(crate) fn part(&self) -> Option<&EntryPart> {
        self.parts.get(self.part_at(self.cursor)?)
    }

    /// Returns the index of the part of a row.
    pub(crate) fn part_at(&self, row: usize) -> Option<usize> {
        self.rows.get(row).map(|row| row.part)
    }

    /// Moves the cursor by rows.
    pub(crate) fn move_by(&mut self, rows: isize) {
        self.cursor = self.cursor.saturating_add_signed(rows).min(self.rows.len().saturating_sub(1));
    }

    /// Moves the cursor to the first row of the next or the previous part.
    pub(crate) fn move_to_part(&mut self, forward: bool) {
        let first = |at: &usize| *at == 0 || self.part_at(*at) != self.part_at(at.wrapping_sub(1));
        let found = match forward {
            true => (self.cursor + 1..self.rows.len()).find(first),
            false => (0..self.cursor).rev().find(first),
        };
        let Some(found) = found else { return };
        self.cursor = found;
    }

    /// Moves the first row of the screen so that the cursor is on it. The rows of a part that begins at the cursor are shown
    /// as far as they fit.
    pub(crate) fn scroll(&mut self, height: usize) {
        let part = self.part_at(self.cursor);
        let end = (self.cursor..self.rows.len()).take_while(|at| self.part_at(*at) == part).last();
        let begins = self.cursor == 0 || self.part_at(self.cursor - 1) != part;
        let wanted = end.filter(|_| begins).unwrap_or(self.cursor);
        let lowest = (wanted + 1).saturating_sub(height.max(1)).min(self.cursor);
        self.offset = self.offset.clamp(lowest, self.cursor);
    }
}
