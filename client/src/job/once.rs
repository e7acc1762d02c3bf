//! Refuses JSON objects with duplicate fields. A parser that keeps the last one would run an edit that its author did
//! not intend.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Any JSON value without duplicate fields.
pub(super) struct UniqueFields;

impl<'de> Deserialize<'de> for UniqueFields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(UniqueFieldsVisitor)
    }
}

struct UniqueFieldsVisitor;

impl<'de> Visitor<'de> for UniqueFieldsVisitor {
    type Value = UniqueFields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueFields, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            map.next_value::<UniqueFields>()?;
            if let Some(twice) = names.replace(name) {
                return Err(A::Error::custom(format_args!(
                    "the field {twice:?} occurs twice; leave one out"
                )));
            }
        }
        Ok(UniqueFields)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<UniqueFields, A::Error> {
        while list.next_element::<UniqueFields>()?.is_some() {}
        Ok(UniqueFields)
    }

    fn visit_bool<E>(self, _: bool) -> Result<UniqueFields, E> {
        Ok(UniqueFields)
    }

    fn visit_i64<E>(self, _: i64) -> Result<UniqueFields, E> {
        Ok(UniqueFields)
    }

    fn visit_u64<E>(self, _: u64) -> Result<UniqueFields, E> {
        Ok(UniqueFields)
    }

    fn visit_f64<E>(self, _: f64) -> Result<UniqueFields, E> {
        Ok(UniqueFields)
    }

    fn visit_str<E>(self, _: &str) -> Result<UniqueFields, E> {
        Ok(UniqueFields)
    }

    fn visit_unit<E>(self) -> Result<UniqueFields, E> {
        Ok(UniqueFields)
    }
}
