//! Structs that remember the names of fields which they do not have, also those of the maps inside. On the wire such fields
//! are ignored elsewhere, for the sake of newer peers; in an edit a guard that is misspelt (`exepct`) must not be lost.

mod choice;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use crate::limits;
use choice::Choice;

/// Names that are kept of one struct: a refusal lists fewer.
const KEPT: usize = 16;

/// A field, and those that hold it.
#[derive(Clone, Copy)]
struct FieldPlace<'p> {
    outer: Option<&'p FieldPlace<'p>>,
    field: &'static str,
}

/// The unknown names that were met, and the field inside of which more may be met.
struct Notes<'n> {
    unknown: &'n mut Vec<String>,
    place: Option<&'n FieldPlace<'n>>,
}

impl Notes<'_> {
    /// Keeps a name, with the fields that hold it in front: `within.position.colum`.
    fn add(&mut self, mut name: String) {
        let mut outer = self.place;
        while let Some(place) = outer {
            name = format!("{}.{name}", place.field);
            outer = place.outer;
        }
        if self.unknown.len() < KEPT {
            self.unknown.push(name);
        }
    }

    /// Reads the value of a field.
    fn value<'de, T: DeserializeSeed<'de>, A: MapAccess<'de>>(
        &mut self,
        field: &'static str,
        seed: T,
        map: &mut A,
    ) -> Result<T::Value, A::Error> {
        let place = FieldPlace { outer: self.place, field };
        map.next_value_seed(Nested { seed, notes: Notes { unknown: self.unknown, place: Some(&place) } })
    }
}

/// Reads a struct through `from`, and notes the fields that it does not have.
pub(super) struct Strict<'n, D> {
    from: D,
    notes: Notes<'n>,
}

impl<'n, D> Strict<'n, D> {
    /// Notes unknown names in `unknown`.
    pub(super) fn new(from: D, unknown: &'n mut Vec<String>) -> Self {
        Self { from, notes: Notes { unknown, place: None } }
    }
}

/// Passes methods on that read neither a struct, an option nor an enum.
macro_rules! pass_on {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.from.$name(visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let noting = Noting { inner: visitor, fields, field: "", notes: self.notes };
        self.from.deserialize_struct(name, fields, noting)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.from.deserialize_option(Optional { inner: visitor, notes: self.notes })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.from.deserialize_any(Choice { inner: visitor, variants, notes: self.notes })
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.from.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.from.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.from.deserialize_tuple(len, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.from.deserialize_tuple_struct(name, len, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.from.is_human_readable()
    }

    pass_on! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_unit deserialize_seq deserialize_map deserialize_identifier
        deserialize_ignored_any
    }
}

/// The value of a field.
struct Nested<'n, T> {
    seed: T,
    notes: Notes<'n>,
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for Nested<'_, T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T::Value, D::Error> {
        self.seed.deserialize(Strict { from, notes: self.notes })
    }
}

/// The visitor of an option.
struct Optional<'n, V> {
    inner: V,
    notes: Notes<'n>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Optional<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Strict { from, notes: self.notes })
    }
}

/// A struct's visitor, or the access to its map, which is shown only the fields that the struct has.
struct Noting<'n, T> {
    inner: T,
    fields: &'static [&'static str],
    /// The field whose value comes next.
    field: &'static str,
    notes: Notes<'n>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Noting<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let Self { inner, fields, field, notes } = self;
        inner.visit_map(Noting { inner: map, fields, field, notes })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(list)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Noting<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        loop {
            match self.inner.next_key_seed(FieldName(self.fields))? {
                None => return Ok(None),
                Some(Ok(known)) => {
                    self.field = known;
                    return seed.deserialize(known.into_deserializer()).map(Some);
                }
                Some(Err(unknown)) => {
                    self.inner.next_value::<IgnoredAny>()?;
                    self.notes.add(unknown);
                }
            }
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.notes.value(self.field, seed, &mut self.inner)
    }
}

/// The name of a field: one of these, or else as it stands there.
struct FieldName(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for FieldName {
    type Value = Result<&'static str, String>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldName {
    type Value = Result<&'static str, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let known = self.0.iter().copied().find(|known| *known == name);
        Ok(known.ok_or_else(|| name.chars().take(limits::NAME).collect()))
    }
}

/// A list, or the one object that would stand in it.
pub(super) fn one_or_many<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    from.deserialize_any(OneOrMany(std::marker::PhantomData))
}

struct OneOrMany<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list, or one object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|one| vec![one])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}
