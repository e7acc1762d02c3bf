//! The places of objects, members and comments in a text.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::format::{FormatError, NAME, part};

/// JSON, except that comments and trailing commas are allowed.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A parsed text.
pub(super) struct ParsedText<'t> {
    /// The text.
    pub(super) text: &'t str,
    /// Its value, if it has one.
    pub(super) root: Option<Value<'t>>,
    /// All tokens, with the comments.
    tokens: Vec<TokenAndRange<'t>>,
}

/// An object: the offsets of its braces and of its members.
#[derive(Clone, Debug)]
pub(super) struct ObjectPlace {
    /// The offset of the opening brace.
    pub(super) open: usize,
    /// The offset of the closing brace.
    pub(super) close: usize,
    /// The members.
    pub(super) members: Vec<MemberPlace>,
    /// The comma behind the last member.
    pub(super) trailing_comma: Option<usize>,
}

/// A member of an object, from the quote of its name to the end of its value, and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemberPlace {
    /// The offset of the first quote.
    pub(super) start: usize,
    /// The end of the value.
    pub(super) end: usize,
    /// The start and the end of the value.
    pub(super) value: (usize, usize),
    /// The comma in front of the member.
    pub(super) comma: Option<usize>,
}

/// The objects that lead to the entry, from the root on.
pub(super) struct Objects<'p> {
    /// The objects that exist.
    pub(super) found: Vec<ObjectPlace>,
    /// The keys of the objects that are missing.
    pub(super) missing: &'p [&'p str],
    /// The index of the member that leads to the next object, for each object but the last.
    pub(super) steps: Vec<usize>,
    /// The indices of the members of the container that have the name of the entry.
    entries: Vec<usize>,
}

impl<'t> ParsedText<'t> {
    /// Parses a text.
    pub(super) fn parse(text: &'t str) -> Result<Self, FormatError> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &STRICT)
            .map_err(|error| FormatError::at(text, error.range().start, &error.kind().to_string()))?;
        Ok(Self { text, root: parsed.value, tokens: parsed.tokens.unwrap_or_default() })
    }

    /// Returns true if the last token before an offset is a comment that reaches to the end of its line.
    pub(super) fn ends_in_line_comment(&self, offset: usize) -> bool {
        let behind = self.tokens.partition_point(|token| token.range.end <= offset);
        let before = behind.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.is_some_and(|token| matches!(token.token, Token::CommentLine(_)))
    }

    /// Returns the comma between two offsets.
    fn comma(&self, start: usize, end: usize) -> Option<usize> {
        let behind = self.tokens.get(self.tokens.partition_point(|token| token.range.start < start)..);
        let mut between = behind.unwrap_or_default().iter().take_while(|token| token.range.end <= end);
        between.find(|token| token.token == Token::Comma).map(|token| token.range.start)
    }

    /// Returns the places of an object.
    pub(super) fn place(&self, object: &Object<'_>) -> ObjectPlace {
        let (open, close) = (object.start(), object.end().saturating_sub(1));
        let mut members = Vec::new();
        let mut last = None;
        for property in &object.properties {
            let (start, end) = (property.start(), property.end());
            let comma = last.and_then(|last| self.comma(last, start));
            let value = (property.value.start(), property.value.end());
            members.push(MemberPlace { start, end, value, comma });
            last = Some(end);
        }
        let trailing_comma = last.and_then(|last| self.comma(last, close));
        ObjectPlace { open, close, members, trailing_comma }
    }

    /// Returns the places of an array, with its elements as members without names.
    pub(super) fn array_place(&self, array: &Array<'_>) -> ObjectPlace {
        let (open, close) = (array.start(), array.end().saturating_sub(1));
        let mut members = Vec::new();
        let mut last = None;
        for element in &array.elements {
            let (start, end) = (element.start(), element.end());
            let comma = last.and_then(|last| self.comma(last, start));
            members.push(MemberPlace { start, end, value: (start, end), comma });
            last = Some(end);
        }
        let trailing_comma = last.and_then(|last| self.comma(last, close));
        ObjectPlace { open, close, members, trailing_comma }
    }
}

impl ObjectPlace {
    /// Returns true if the object, with its braces, is written in one of these forms.
    pub(super) fn has_one_of(&self, text: &str, forms: &[String]) -> bool {
        forms.iter().any(|form| form == part(text, self.open, self.close + 1))
    }
}

impl<'p> Objects<'p> {
    /// Finds the objects.
    ///
    /// # Errors
    /// One of them is no object, or occurs twice.
    pub(super) fn find(parsed: &ParsedText<'_>, path: &'p [&'p str]) -> Result<Self, FormatError> {
        let mut objects = Self { found: Vec::new(), missing: path, steps: Vec::new(), entries: Vec::new() };
        let Some(mut value) = parsed.root.as_ref() else { return Ok(objects) };
        let mut done = Vec::new();
        loop {
            let Value::Object(object) = value else {
                let name =
                    if done.is_empty() { "the file".to_owned() } else { format!("`{}`", done.join(".")) };
                return Err(FormatError::at(
                    parsed.text,
                    value.start(),
                    &format!("{name} must be an object"),
                ));
            };
            objects.found.push(parsed.place(object));
            let named = |key: &str| -> Vec<usize> {
                let all = object.properties.iter().enumerate();
                all.filter(|(_, member)| member.name.as_str() == key).map(|(at, _)| at).collect()
            };
            let Some((key, rest)) = objects.missing.split_first() else {
                objects.entries = named(NAME);
                return Ok(objects);
            };
            match named(key).as_slice() {
                [] => return Ok(objects),
                [at] => {
                    let Some(next) = object.properties.get(*at) else { return Ok(objects) };
                    value = &next.value;
                    objects.steps.push(*at);
                }
                [.., at] => {
                    let second = object.properties.get(*at).map_or(0, Ranged::start);
                    let message = format!("`{key}` occurs a second time; remove one of them");
                    return Err(FormatError::at(parsed.text, second, &message));
                }
            }
            done.push(*key);
            objects.missing = rest;
        }
    }

    /// Returns the object that has the entries of all servers.
    pub(super) fn container(&self) -> Option<&ObjectPlace> {
        self.found.last().filter(|_| self.missing.is_empty())
    }

    /// Returns the index of the entry in the container.
    ///
    /// # Errors
    /// There are several.
    pub(super) fn entry_index(&self) -> Result<Option<usize>, FormatError> {
        match self.entries.as_slice() {
            [] => Ok(None),
            [at] => Ok(Some(*at)),
            _ => Err(FormatError::Shape(format!("`{NAME}` occurs twice; remove one of them"))),
        }
    }

    /// Returns the place of the entry.
    ///
    /// # Errors
    /// There are several.
    pub(super) fn entry(&self) -> Result<Option<&MemberPlace>, FormatError> {
        let at = self.entry_index()?;
        Ok(at.and_then(|at| self.container()?.members.get(at)))
    }
}
