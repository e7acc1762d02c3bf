//! The values of a payload by their meaning, each of the type that it must have. It translates nothing.

use serde_json::{Map, Value};

use super::table::{FieldMeaning, ToolField};
use crate::Refusal;
use crate::limits;
use crate::refusal::malformed;

/// The fields of a payload, or of one item of its list.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    values: Vec<(&'static str, FieldMeaning, &'a Value)>,
}

/// The name of a list, and its items.
pub(super) type ItemList<'a> = (&'static str, Vec<&'a Map<String, Value>>);

impl<'a> Arguments<'a> {
    /// Reads the fields of an object. A field that is `null` counts as absent. The path may be left to the request.
    ///
    /// # Errors
    /// `malformed` naming a field that is unknown, missing, or there under two spellings.
    pub(super) fn read(
        known: &'static [ToolField],
        object: &'a Map<String, Value>,
        owner: &str,
    ) -> Result<Self, Refusal> {
        let mut values: Vec<(&'static str, FieldMeaning, &'a Value)> = Vec::new();
        for (key, value) in object {
            let spelt = known.iter().find_map(|field| {
                let name = field.names.iter().find(|name| *name == key)?;
                Some((*name, field.meaning))
            });
            let Some((name, meaning)) = spelt else {
                let names: Vec<&str> = known.iter().map(ToolField::name).collect();
                let key: String = key.chars().take(limits::EXCERPT).collect();
                return Err(malformed(format!(
                    "`{key}` is no field of {owner}; its fields are {}",
                    names.join(", ")
                )));
            };
            if let Some((other, ..)) =
                values.iter().find(|(_, known, _)| *known == meaning && meaning != FieldMeaning::Remark)
            {
                return Err(malformed(format!("`{other}` and `{name}` mean the same; leave one out")));
            }
            if !value.is_null() {
                values.push((name, meaning, value));
            }
        }
        let arguments = Self { values };
        let lacking = |field: &&ToolField| {
            field.required && field.meaning != FieldMeaning::Path && arguments.value(field.meaning).is_none()
        };
        match known.iter().find(lacking) {
            Some(field) => Err(malformed(format!("{owner} needs `{}`", field.name()))),
            None => Ok(arguments),
        }
    }

    fn value(&self, meaning: FieldMeaning) -> Option<(&'static str, &'a Value)> {
        let found = self.values.iter().find(|(_, known, _)| *known == meaning);
        found.map(|(name, _, value)| (*name, *value))
    }

    /// Returns a text, if it is given.
    ///
    /// # Errors
    /// `malformed` if the value is not a text.
    pub(super) fn text(&self, meaning: FieldMeaning) -> Result<Option<&'a str>, Refusal> {
        match self.value(meaning) {
            None => Ok(None),
            Some((_, Value::String(text))) => Ok(Some(text)),
            Some((name, _)) => Err(wrong(name, "a string")),
        }
    }

    /// Returns a required text.
    ///
    /// # Errors
    /// As [`Arguments::text`].
    pub(super) fn needed(&self, meaning: FieldMeaning) -> Result<&'a str, Refusal> {
        self.text(meaning).map(Option::unwrap_or_default)
    }

    /// Returns a flag; false if it is absent.
    ///
    /// # Errors
    /// `malformed` if the value is not a truth value.
    pub(super) fn flag(&self, meaning: FieldMeaning) -> Result<bool, Refusal> {
        match self.value(meaning) {
            None => Ok(false),
            Some((_, Value::Bool(flag))) => Ok(*flag),
            // Models write truth values as text, too.
            Some((_, Value::String(text))) if text == "true" => Ok(true),
            Some((_, Value::String(text))) if text == "false" => Ok(false),
            Some((name, _)) => Err(wrong(name, "true or false")),
        }
    }

    /// Returns a number, if it is given.
    ///
    /// # Errors
    /// `malformed` if the value is not a whole number from 0.
    pub(super) fn number(&self, meaning: FieldMeaning) -> Result<Option<u64>, Refusal> {
        match self.value(meaning) {
            None => Ok(None),
            Some((name, value)) => {
                value.as_u64().map(Some).ok_or_else(|| wrong(name, "a whole number from 0"))
            }
        }
    }

    /// Returns a line number as native edits count, from 1.
    ///
    /// # Errors
    /// As [`Arguments::number`].
    pub(super) fn line(&self, meaning: FieldMeaning) -> Result<u64, Refusal> {
        Ok(self.number(meaning)?.unwrap_or(0).saturating_add(1))
    }

    /// Returns the items of a list of objects, with the name of the list.
    ///
    /// # Errors
    /// `malformed` if the value is not such a list.
    pub(super) fn items(&self, meaning: FieldMeaning) -> Result<ItemList<'a>, Refusal> {
        let Some((name, value)) = self.value(meaning) else { return Ok(("edits", Vec::new())) };
        let list = value.as_array().ok_or_else(|| wrong(name, "a list of objects"))?;
        let items = list.iter().map(|item| item.as_object().ok_or_else(|| wrong(name, "a list of objects")));
        Ok((name, items.collect::<Result<_, _>>()?))
    }
}

fn wrong(name: &str, needed: &str) -> Refusal {
    malformed(format!("`{name}` must be {needed}; correct the payload"))
}
