//! Checks the arguments of a call: unknown fields are refused with the nearest name, and what models write for a number
//! or a range is accepted.

use editd_proto::operation::nearest;
use serde_json::{Map, Value};

use crate::context::CallRefusal;

/// The fields of an object, each of which is taken once.
pub(crate) struct Arguments {
    place: String,
    fields: Map<String, Value>,
}

impl Arguments {
    /// Takes an object. `place` names it in messages, and is empty for the arguments of a call. `null` counts as absent.
    ///
    /// # Errors
    /// It has a field that is not `known`.
    pub(crate) fn new(
        place: impl Into<String>,
        fields: Map<String, Value>,
        known: &[&str],
    ) -> Result<Self, CallRefusal> {
        Self::with_unlisted(place, fields, known, &[])
    }

    /// Takes an object that may also have fields that are not in the schema and that no message names.
    ///
    /// # Errors
    /// It has a field that is neither `known` nor `unlisted`.
    pub(crate) fn with_unlisted(
        place: impl Into<String>,
        mut fields: Map<String, Value>,
        known: &[&str],
        unlisted: &[&str],
    ) -> Result<Self, CallRefusal> {
        let place = place.into();
        fields.retain(|_, value| !value.is_null());
        let takes = |name: &str| known.contains(&name) || unlisted.contains(&name);
        if let Some(stray) = fields.keys().find(|name| !takes(name)) {
            let near =
                nearest(stray, known).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let prefix = if place.is_empty() { String::new() } else { format!("{place}: ") };
            let message =
                format!("{prefix}there is no field {stray:?}; {near}there are {}", known.join(", "));
            return Err(CallRefusal::malformed(message));
        }
        Ok(Self { place, fields })
    }

    /// Leaves out fields that have an empty text, which means nothing for them: a strict schema makes a model give every field.
    pub(crate) fn without_blank(mut self, fields: &[&str]) -> Self {
        for field in fields {
            if self.fields.get(*field).is_some_and(is_blank) {
                self.fields.remove(*field);
            }
        }
        self
    }

    /// Returns the error for a field.
    pub(crate) fn wrong(&self, field: &str, must: &str) -> CallRefusal {
        let dot = if self.place.is_empty() || field.is_empty() { "" } else { "." };
        CallRefusal::malformed(format!("{}{dot}{field} {must}", self.place))
    }

    /// Takes a text.
    pub(crate) fn text(&mut self, field: &str) -> Result<Option<String>, CallRefusal> {
        match self.fields.remove(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(field, "must be a text")),
        }
    }

    /// Takes a text that must be there.
    pub(crate) fn required(&mut self, field: &str) -> Result<String, CallRefusal> {
        self.text(field)?.ok_or_else(|| self.wrong(field, "is missing"))
    }

    /// Takes a flag; false if it is absent.
    pub(crate) fn flag(&mut self, field: &str) -> Result<bool, CallRefusal> {
        match self.fields.remove(field) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
            Some(_) => Err(self.wrong(field, "must be true or false")),
        }
    }

    /// Takes a number.
    pub(crate) fn number(&mut self, field: &str) -> Result<Option<u64>, CallRefusal> {
        match self.fields.remove(field) {
            None => Ok(None),
            Some(value) => {
                number(&value).map(Some).ok_or_else(|| self.wrong(field, "must be a whole number from 0"))
            }
        }
    }

    /// Takes a number that may be negative.
    pub(crate) fn signed(&mut self, field: &str) -> Result<Option<i64>, CallRefusal> {
        match self.fields.remove(field) {
            None => Ok(None),
            Some(value) => {
                signed(&value).map(Some).ok_or_else(|| self.wrong(field, "must be a whole number"))
            }
        }
    }

    /// Takes a range of lines: `"10-40"`, `"10"`, `10` or `[10, 40]`.
    pub(crate) fn lines(&mut self, field: &str) -> Result<Option<(u64, u64)>, CallRefusal> {
        let Some(value) = self.fields.remove(field) else { return Ok(None) };
        let range = match &value {
            Value::Array(ends) => match ends.as_slice() {
                [first, last] => number(first).zip(number(last)),
                _ => None,
            },
            Value::String(text) => match text.split_once('-') {
                Some((first, last)) => parsed(first).zip(parsed(last)),
                None => parsed(text).map(|line| (line, line)),
            },
            other => number(other).map(|line| (line, line)),
        };
        match range {
            Some((first, last)) if first >= 1 && last >= first => Ok(Some((first, last))),
            _ => Err(self.wrong(field, "must be lines such as \"10-40\", from 1")),
        }
    }

    /// Takes a list; a single value is a list of one. A list that was written as a text of JSON is accepted.
    pub(crate) fn list(&mut self, field: &str) -> Vec<Value> {
        match self.fields.remove(field) {
            None => Vec::new(),
            Some(Value::Array(list)) => list,
            Some(Value::String(text)) => match serde_json::from_str(&text) {
                Ok(Value::Array(list)) => list,
                Ok(object @ Value::Object(_)) => vec![object],
                _ => vec![Value::String(text)],
            },
            Some(one) => vec![one],
        }
    }
}

/// Returns true for an empty text.
pub(crate) fn is_blank(value: &Value) -> bool {
    value.as_str() == Some("")
}

/// Returns a number, also if it was written as a text.
pub(crate) fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| parsed(value.as_str()?))
}

fn parsed(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// Returns a number that may be negative, also from its text.
pub(crate) fn signed(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}
