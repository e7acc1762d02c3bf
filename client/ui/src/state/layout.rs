//! The division of the screen into areas, by its size alone.

/// Columns from which the list and the text are side by side.
const TWO_PANES: u16 = 72;

/// The smallest usable screen.
const SMALLEST: (u16, u16) = (24, 5);

/// Rows of an entry in the list.
pub(crate) const ENTRY: u16 = 2;

/// The sizes of the areas, in columns and rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScreenLayout {
    /// Columns of the screen.
    pub(crate) width: u16,
    /// Rows between the title and the last line.
    pub(crate) body: u16,
    /// Columns of the list if the text is beside it.
    pub(crate) list: Option<u16>,
}

impl ScreenLayout {
    /// Returns the layout of a screen of this size; `None` if it is too small.
    pub(crate) fn of(width: u16, height: u16) -> Option<Self> {
        if width < SMALLEST.0 || height < SMALLEST.1 {
            return None;
        }
        let list = (width >= TWO_PANES).then(|| (width / 5 * 2).clamp(34, 64));
        Some(Self { width, body: height - 2, list })
    }

    /// Returns the number of whole entries that fit into the list.
    pub(crate) fn entries(&self) -> usize {
        usize::from(self.body / ENTRY)
    }

    /// Returns the number of sessions below the heading of their table.
    pub(crate) fn sessions(&self) -> usize {
        usize::from(self.body.saturating_sub(1))
    }

    /// Returns the number of lines of the text, a report or the help.
    pub(crate) fn lines(&self) -> usize {
        usize::from(self.body)
    }
}
