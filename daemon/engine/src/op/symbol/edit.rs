//! Parses the fields of a symbol edit and selects its action. It finds no symbol and changes no text.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use editd_syntax::{Language, Outline, Symbol};
use editd_types::{EditScope, ErrorCode, FileEdit};

use super::around::line_start;
use super::fitting::IndentRules;
use super::quotes::Quotes;
use super::step;
use super::symbols::{ParsedFile, SymbolSelector};
use super::{add, body, remove};
use crate::Refusal;
use crate::clip::Clips;
use crate::cut::Cut;
use crate::limits;
use crate::locate::{Rung, Unit};
use crate::op::effect::{EditContext, Effect, PlaceReport};
use crate::op::fields;
use crate::op::given::{NewText, fit};
use crate::op::registry::Op;
use crate::refusal::{malformed, refuse};
use crate::splice::Place;
use crate::symbols::short;

/// The action on a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SymbolAction {
    /// Replaces the body.
    ReplaceBody,
    /// Replaces the definition.
    Replace,
    /// Inserts text before the symbol.
    InsertBefore,
    /// Inserts text after the symbol.
    InsertAfter,
    /// Deletes the whole symbol.
    Delete,
}

const ACTIONS: [(&str, SymbolAction); 5] = [
    ("replace_body", SymbolAction::ReplaceBody),
    ("replace", SymbolAction::Replace),
    ("insert_before", SymbolAction::InsertBefore),
    ("insert_after", SymbolAction::InsertAfter),
    ("delete", SymbolAction::Delete),
];

/// An edit of one definition.
#[derive(Debug)]
pub(crate) struct SymbolEdit {
    /// The symbol: its name path or a position in it.
    pub(crate) symbol: EditScope,
    action: SymbolAction,
    /// The new text; empty for `delete`.
    pub(crate) text: NewText,
    /// The clipboard in which the removed text is stored.
    pub(crate) to_clipboard: Option<String>,
}

pub(crate) fn parse(edit: &FileEdit, _: Option<f64>) -> Result<Op, Refusal> {
    let symbol = match (&edit.name, &edit.within) {
        (Some(_), Some(_)) => {
            return Err(malformed("`name` and `within` both say which symbol; leave one out"));
        }
        (Some(name), None) => EditScope::Symbol(name.clone()),
        (None, Some(EditScope::Lines(_))) => {
            return Err(malformed("`within` of a symbol edit is a symbol or a position, not lines"));
        }
        (None, Some(within)) => within.clone(),
        (None, None) => {
            return Err(malformed("`symbol` needs the field `name` (such as \"Class/method\") or `within`"));
        }
    };
    if let EditScope::Symbol(name) = &symbol
        && (name.is_empty() || name.len() > limits::SYMBOL_NAME)
    {
        let most = limits::SYMBOL_NAME;
        return Err(malformed(format!("`name` must be a name path of 1 to {most} bytes")));
    }
    let requested = fields::required(edit, "action", &edit.action)?;
    let Some((_, action)) = ACTIONS.iter().find(|(name, _)| name == requested) else {
        let known = ACTIONS.map(|(name, _)| name).join(", ");
        return Err(malformed(format!("`action` must be one of {known}")));
    };
    let text = if *action == SymbolAction::Delete {
        const BRINGS: [&str; 4] = ["text", "eol", "from_clipboard", "reindent"];
        if let Some(field) = fields::present(edit).find(|field| BRINGS.contains(field)) {
            return Err(malformed(format!("`delete` brings no text; leave out `{field}`")));
        }
        NewText::plain("")
    } else {
        NewText::read(edit, "text", &edit.text)?
    };
    let to_clipboard = fields::clipboard("to_clipboard", &edit.to_clipboard)?;
    if to_clipboard.is_some() && matches!(action, SymbolAction::InsertBefore | SymbolAction::InsertAfter) {
        return Err(malformed("an insertion takes nothing out; leave out `to_clipboard`"));
    }
    Ok(Op::Symbol(Arc::new(SymbolEdit { symbol, action: *action, text, to_clipboard })))
}

/// A symbol that is edited, with all that is known around it.
pub(super) struct SymbolSite<'s, 'v> {
    pub(super) scene: &'s EditContext<'v>,
    pub(super) known: &'s ParsedFile,
    /// Its number.
    pub(super) at: usize,
    pub(super) symbol: &'s Symbol,
}

impl SymbolEdit {
    /// Returns the symbol that the edit names.
    fn selector(&self) -> SymbolSelector<'_> {
        SymbolSelector::of(&self.symbol).unwrap_or(SymbolSelector::Name(""))
    }

    /// Returns the symbol that the edit deletes, if any.
    pub(crate) fn deletes(&self) -> Option<SymbolSelector<'_>> {
        (self.action == SymbolAction::Delete).then(|| self.selector())
    }

    /// Returns true if the edit only adds text.
    pub(crate) fn adds(&self) -> bool {
        matches!(self.action, SymbolAction::InsertBefore | SymbolAction::InsertAfter)
    }

    /// Finds the symbol and performs the action.
    pub(crate) fn effect(&self, scene: &EditContext<'_>, clips: &mut Clips<'_>) -> Result<Effect, Refusal> {
        let known = scene.symbols.known(scene)?;
        let at = known.find(scene, self.selector())?;
        let Some(symbol) = known.get(at) else { return Ok(Effect::default()) };
        self.means_all(&known.outline, symbol)?;
        let declared = self.declared(&known.outline, symbol);
        if let (SymbolAction::InsertBefore, Some(first)) = (self.action, declared.first()) {
            let message = format!(
                "{} is declared before it is defined; name the first declaration, {first}, to insert before all",
                symbol.path
            );
            let mut error = refuse(ErrorCode::Ambiguous, message);
            error.symbols = short(declared.iter().cloned().chain([symbol.path.clone()]).collect());
            return Err(error);
        }
        let site = SymbolSite { scene, known, at, symbol };
        let mut effect = match self.action {
            SymbolAction::ReplaceBody => body::replace_body(&site, self, clips),
            SymbolAction::Replace => body::replace(&site, self, clips),
            SymbolAction::InsertBefore => add::before(&site, &self.text, clips),
            SymbolAction::InsertAfter => add::after(&site, &self.text, clips),
            SymbolAction::Delete => remove::delete(&site, self.to_clipboard.as_deref(), clips),
        }?;
        effect.found.in_broken = known.outline.broken;
        effect.found.note = effect.found.note.or_else(|| scene.symbols.chosen(scene, self.selector()));
        Ok(effect)
    }

    /// Returns the name paths of the declarations that have the name of the symbol; none for a symbol that is
    /// named by its position.
    fn declared(&self, outline: &Outline, symbol: &Symbol) -> Vec<String> {
        match self.selector() {
            SymbolSelector::Name(name) => {
                let beside = outline.declarations_beside(symbol, name).into_iter();
                beside.map(|symbol| symbol.path.clone()).collect()
            }
            SymbolSelector::Position(_) => Vec::new(),
        }
    }
}

impl SymbolEdit {
    /// Refuses to change a definition of several names by one of them: the others would be changed with it.
    fn means_all(&self, outline: &Outline, symbol: &Symbol) -> Result<(), Refusal> {
        let requested = match self.selector() {
            SymbolSelector::Name(name) => Some(name),
            SymbolSelector::Position(_) => None,
        };
        let whole = outline.whole_of(symbol, requested, self.action == SymbolAction::ReplaceBody);
        let Some(whole) = whole.filter(|_| !self.adds()) else { return Ok(()) };
        let message = format!(
            "the names {whole:?} share one definition, and this edit would change all of them; give that name, or edit by text or lines"
        );
        let mut error = refuse(ErrorCode::Ambiguous, message);
        error.symbols = short(vec![whole]);
        Err(error)
    }
}

impl SymbolSite<'_, '_> {
    /// Returns the rules for indenting a text that is inserted among lines with this indentation.
    pub(super) fn fit<'f>(&'f self, given: &NewText, target: &'f str) -> IndentRules<'f> {
        let may = !given.is_reindented()
            && self.known.language != Language::Markdown
            && !self.keeps_white_space(self.symbol.parent);
        // In YAML, the lines below an item of a list are indented by another step.
        let unit = self.unit().filter(|_| self.known.language != Language::Yaml);
        let quotes = Some(self.quotes());
        IndentRules { breaks: self.scene.text.breaks, target, unit, may, torn: true, quotes }
    }

    /// Returns the rules for indenting a text inside the symbol.
    pub(super) fn fit_inside<'f>(&'f self, given: &NewText, target: &'f str, text: &str) -> IndentRules<'f> {
        let fit = self.fit(given, target);
        // Without its element, the text does not parse as a script, so its template strings are not recognised.
        let script = self.is_element(self.symbol, &["script"]) && text.contains('`');
        IndentRules { may: fit.may && !script && !self.keeps_white_space(Some(self.at)), ..fit }
    }

    /// Returns true if white space in an element of HTML, or in one around it, is visible on the page.
    fn keeps_white_space(&self, element: Option<usize>) -> bool {
        let element = element.and_then(|at| self.known.get(at));
        let mut around = std::iter::successors(element, |inner| self.known.get(inner.parent?));
        around.any(|element| self.is_element(element, &["pre", "textarea"]))
    }

    fn is_element(&self, symbol: &Symbol, tags: &[&str]) -> bool {
        let name = self.scene.text.content.cut(symbol.name.clone());
        self.known.language == Language::Html && tags.iter().any(|tag| name.eq_ignore_ascii_case(tag))
    }

    /// Returns the finder of strings and comments in a new text.
    pub(super) fn quotes(&self) -> Quotes<'_> {
        Quotes { language: self.known.language, budget: self.scene.budget }
    }

    /// Returns the step of indentation of the symbol, or else that of the file.
    pub(super) fn unit(&self) -> Option<Unit> {
        let text = self.scene.text;
        let own = line_start(text, self.symbol.definition.start)..self.symbol.definition.end;
        step::of(text.content.cut(own)).or(self.known.unit)
    }

    /// Returns the effect of replacing `range` by `new`, whose line breaks are converted to those of the file.
    pub(super) fn replaced(
        &self,
        range: Range<usize>,
        new: &str,
        given: &NewText,
        stored: Option<Rc<str>>,
    ) -> Effect {
        let text = self.scene.text;
        let lines = Some(text.lines_of(range.clone()));
        let (made, converted) = fit(text, &range, new, Rung::Eol, given.literal);
        let place = Place::owning(text, self.scene.edit, range, &Rc::from(made));
        let found = PlaceReport { lines, converted, ..PlaceReport::default() };
        Effect { places: vec![place], stored, found }
    }

    /// Returns the effect of an edit that changes nothing.
    pub(super) fn untouched(&self, range: Range<usize>, stored: Option<Rc<str>>) -> Effect {
        let found = PlaceReport { lines: Some(self.scene.text.lines_of(range)), ..PlaceReport::default() };
        Effect { places: Vec::new(), stored, found }
    }

    /// Stores a range, if the edit names a clipboard.
    pub(super) fn store(
        &self,
        clips: &mut Clips<'_>,
        name: Option<&str>,
        range: Range<usize>,
    ) -> Result<Option<Rc<str>>, Refusal> {
        self.scene.store(clips, name, self.scene.text.content.cut(range))
    }
}
