//! The formats of configuration files. Every change is checked: the new text must be valid, and must differ from the old
//! one by the entry alone.

use std::fmt;

use serde_json::Value;

use crate::{json, toml};

/// The name of the entry, as runtimes show it.
pub(crate) const NAME: &str = "editctl";

/// The format of a configuration file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// JSON, in which comments and trailing commas may be.
    Json,
    /// TOML.
    Toml,
}

/// The reason for which a text cannot be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FormatError {
    /// The text is invalid at a line and column, both from 1.
    Syntax { line: usize, column: usize, message: String },
    /// The text is valid, but has no place for the entry.
    Shape(String),
}

impl fmt::Display for FormatError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, message } => write!(out, "line {line}, column {column}: {message}"),
            Self::Shape(message) => out.write_str(message),
        }
    }
}

impl FormatError {
    /// Creates the error for a place that is given by its offset.
    pub(crate) fn at(text: &str, offset: usize, message: &str) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self::Syntax { line, column, message: message.trim_end().replace('\n', "; ") }
    }

    /// Creates the error for an entry that only the user can change.
    pub(crate) fn by_hand(path: &[&str]) -> Self {
        let place = path.join(".");
        Self::Shape(format!("`{place}` is written in a form that setup does not change; edit it by hand"))
    }
}

impl Format {
    /// Returns the meaning of a text; null if it has no value.
    ///
    /// # Errors
    /// The text is invalid.
    pub(crate) fn meaning(self, text: &str) -> Result<Value, FormatError> {
        match self {
            Self::Json => json::meaning(text),
            Self::Toml => toml::meaning(text),
        }
    }

    /// Returns the text with the entry. `None` is a file that does not exist.
    ///
    /// # Errors
    /// The text is invalid or has no place for the entry.
    pub(crate) fn insert(
        self,
        text: Option<&str>,
        path: &[&str],
        entry: &Value,
    ) -> Result<String, FormatError> {
        let new = match self {
            Self::Json => json::insert(text, path, entry)?,
            Self::Toml => toml::insert(text, path, entry),
        };
        self.check(text, Some(&new), path, Some(entry))?;
        Ok(new)
    }

    /// Returns the text with another value of the entry.
    ///
    /// # Errors
    /// The text is invalid, or has the entry in a form that cannot be replaced.
    pub(crate) fn replace(self, text: &str, path: &[&str], entry: &Value) -> Result<String, FormatError> {
        let new = match self {
            Self::Json => json::replace(text, path, entry)?,
            Self::Toml => toml::replace(text, path, entry)?,
        };
        self.check(Some(text), Some(&new), path, Some(entry))?;
        Ok(new)
    }

    /// Returns the text without the entry, or `None` for no file. If `is_own` is set and [`Self::insert`] made the entry,
    /// the result is the text that it was given. If something was added behind the entry since, only the entry is taken out, with
    /// the object around it if that was made for it; an entry of somebody else is taken out alone.
    ///
    /// # Errors
    /// The text is invalid, or has the entry in a form that cannot be removed.
    pub(crate) fn remove(
        self,
        text: &str,
        path: &[&str],
        is_own: bool,
    ) -> Result<Option<String>, FormatError> {
        let meaning = self.meaning(text)?;
        let entry = entry(&meaning, path).ok_or_else(|| FormatError::by_hand(path))?;
        let insert = |given: Option<&str>| match self {
            Self::Json => json::insert(given, path, entry),
            Self::Toml => Ok(toml::insert(given, path, entry)),
        };
        let candidates = match self {
            _ if !is_own => Vec::new(),
            Self::Json => json::origins(text, path)?,
            Self::Toml => toml::origins(text, path, entry),
        };
        let made = |given: &Option<String>| insert(given.as_deref()).is_ok_and(|made| made == text);
        let new = match candidates.into_iter().find(made) {
            Some(origin) => origin,
            None => Some(match self {
                Self::Json if is_own => json::remove_with_object(text, path, entry)?,
                Self::Json => json::remove(text, path)?,
                Self::Toml => toml::remove(text, path)?,
            }),
        };
        self.check(Some(text), new.as_deref(), path, None)?;
        Ok(new)
    }

    /// Checks that the texts differ by the entry alone, and that the new one has it.
    fn check(
        self,
        old: Option<&str>,
        new: Option<&str>,
        path: &[&str],
        wanted: Option<&Value>,
    ) -> Result<(), FormatError> {
        let before = self.meaning(old.unwrap_or_default())?;
        let after = self.meaning(new.unwrap_or_default()).map_err(|_| FormatError::by_hand(path))?;
        if entry(&after, path) == wanted && without(before, path) == without(after, path) {
            Ok(())
        } else {
            Err(FormatError::by_hand(path))
        }
    }
}

/// Returns the entry.
pub(crate) fn entry<'v>(meaning: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(meaning, |value, key| value.get(key))?.get(NAME)
}

/// Returns the value without the entry and the objects that only lead to it.
fn without(mut value: Value, path: &[&str]) -> Value {
    let Value::Object(object) = &mut value else { return value };
    match path.split_first() {
        None => {
            object.remove(NAME);
        }
        Some((key, rest)) => {
            if let Some(inner) = object.remove(*key) {
                let inner = without(inner, rest);
                if !inner.is_null() {
                    object.insert((*key).to_owned(), inner);
                }
            }
        }
    }
    if object.is_empty() { Value::Null } else { value }
}

/// Returns the part of a text between two offsets.
pub(crate) fn part(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// Returns the text without some parts, which are ordered and do not overlap.
pub(crate) fn cut(text: &str, parts: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end) in parts {
        out.push_str(part(text, done, *start));
        done = *end;
    }
    out.push_str(part(text, done, text.len()));
    out
}

/// Returns the line end of a text: that of its first line.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests;
