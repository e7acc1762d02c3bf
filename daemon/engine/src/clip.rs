//! The clipboards that an edit can read: those of the snapshot, and those that earlier edits of the job stored. Nothing
//! is saved here.

use std::collections::BTreeMap;
use std::rc::Rc;

use editd_types::{ErrorCode, FilePath, limits};

use crate::refusal::{refuse, too_large};
use crate::{ClipboardWrite, Refusal, WorkspaceSnapshot};

/// The state of a clipboard that an edit of this job stored or failed to store.
#[derive(Clone, Debug, Default)]
struct Slot {
    /// The last text that was stored, and the file it came from.
    stored: Option<(Rc<str>, FilePath)>,
    /// True if a later edit that would have stored something was left out: reading the clipboard then fails.
    spoilt: bool,
}

/// The clipboards of a job, in layers.
#[derive(Debug)]
pub(crate) struct Clips<'w> {
    snapshot: &'w WorkspaceSnapshot,
    /// The layer below. Each entry has its own layer, since the clipboards that it stores must not be read before the
    /// whole entry is planned.
    below: Option<&'w Clips<'w>>,
    slots: BTreeMap<String, Slot>,
    order: Vec<String>,
}

impl<'w> Clips<'w> {
    /// Creates the lowest layer: the clipboards of a snapshot.
    pub(crate) fn new(snapshot: &'w WorkspaceSnapshot) -> Self {
        Self { snapshot, below: None, slots: BTreeMap::new(), order: Vec::new() }
    }

    /// Returns a layer above these clipboards. Storing a clipboard in the layer leaves them unchanged.
    pub(crate) fn layer(&self) -> Clips<'_> {
        Clips { snapshot: self.snapshot, below: Some(self), slots: BTreeMap::new(), order: Vec::new() }
    }

    fn find(&self, name: &str) -> Option<&Slot> {
        self.slots.get(name).or_else(|| self.below?.find(name))
    }

    /// Returns the text that a clipboard holds now.
    ///
    /// # Errors
    /// `no_clipboard` if it holds nothing; `encoding` if it contains bytes that are not text.
    pub(crate) fn read(&self, name: &str) -> Result<Rc<str>, Refusal> {
        let none = |why: &str| refuse(ErrorCode::NoClipboard, format!("the clipboard {name:?} {why}"));
        match self.find(name) {
            Some(Slot { stored: Some((text, _)), spoilt: false }) => return Ok(Rc::clone(text)),
            Some(_) => return Err(none("is empty, since the edit that fills it was not applied")),
            None => {}
        }
        let bytes =
            self.snapshot.clips.get(name).ok_or_else(|| none("is empty; store something in it first"))?;
        std::str::from_utf8(bytes).map(Rc::from).map_err(|_| {
            refuse(ErrorCode::Encoding, format!("the clipboard {name:?} contains bytes that are not text"))
        })
    }

    /// Checks that a text fits into a clipboard.
    pub(crate) fn storable(text: &str) -> Result<Rc<str>, Refusal> {
        if text.len() > limits::CLIPBOARD {
            return Err(too_large(
                format!(
                    "the matched text has {} bytes, a clipboard at most {}",
                    text.len(),
                    limits::CLIPBOARD
                ),
                limits::CLIPBOARD,
            ));
        }
        Ok(Rc::from(text))
    }

    /// Stores a text.
    pub(crate) fn store(&mut self, name: &str, text: Rc<str>, origin: &FilePath) {
        *self.slot(name) = Slot { stored: Some((text, origin.clone())), spoilt: false };
    }

    /// Marks a clipboard whose storing edit was left out.
    pub(crate) fn spoil(&mut self, name: &str) {
        self.slot(name).spoilt = true;
    }

    fn slot(&mut self, name: &str) -> &mut Slot {
        if !self.slots.contains_key(name) {
            self.order.push(name.to_owned());
        }
        self.slots.entry(name.to_owned()).or_default()
    }

    /// Returns the last store of each name, in order of their first.
    pub(crate) fn writes(&self) -> Vec<ClipboardWrite> {
        let stored = self.order.iter().filter_map(|name| {
            let (text, origin) = self.slots.get(name)?.stored.as_ref()?;
            Some(ClipboardWrite {
                name: name.clone(),
                bytes: text.as_bytes().to_vec(),
                origin: origin.clone(),
            })
        });
        stored.collect()
    }
}
