//! Deserializers that record the unknown fields of a struct and of the maps inside of it. Other messages ignore unknown
//! fields for compatibility with newer peers, but a misspelt field of an edit (`exepct`) must not be lost, since it may
//! be a guard.

mod choice;

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use crate::limits;
use choice::EnumVisitor;

/// Maximum number of unknown names recorded per struct. An error lists fewer.
const KEPT: usize = 16;

/// A field and the fields that contain it.
#[derive(Clone, Copy)]
struct FieldPath<'p> {
    outer: Option<&'p FieldPath<'p>>,
    field: &'static str,
}

/// The recorded names, and the field that is being read.
struct UnknownFields<'n> {
    unknown: &'n mut Vec<String>,
    place: Option<&'n FieldPath<'n>>,
}

impl UnknownFields<'_> {
    /// Records a name, with the fields that contain it in front: `within.position.colum`.
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
        let place = FieldPath { outer: self.place, field };
        map.next_value_seed(FieldSeed {
            seed,
            notes: UnknownFields { unknown: self.unknown, place: Some(&place) },
        })
    }
}

/// A deserializer that records the unknown fields of a struct.
pub(crate) struct StrictDeserializer<'n, D> {
    from: D,
    notes: UnknownFields<'n>,
}

impl<'n, D> StrictDeserializer<'n, D> {
    /// Records unknown names in `unknown`.
    pub(crate) fn new(from: D, unknown: &'n mut Vec<String>) -> Self {
        Self { from, notes: UnknownFields { unknown, place: None } }
    }
}

/// Forwards the methods that read neither a struct, an option nor an enum.
macro_rules! pass_on {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.from.$name(visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for StrictDeserializer<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let noting = StructVisitor { inner: visitor, fields, field: "", notes: self.notes };
        self.from.deserialize_struct(name, fields, noting)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.from.deserialize_option(OptionVisitor { inner: visitor, notes: self.notes })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.from.deserialize_any(EnumVisitor { inner: visitor, variants, notes: self.notes })
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

/// The seed of a field's value.
struct FieldSeed<'n, T> {
    seed: T,
    notes: UnknownFields<'n>,
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for FieldSeed<'_, T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T::Value, D::Error> {
        self.seed.deserialize(StrictDeserializer { from, notes: self.notes })
    }
}

/// The visitor of an option.
struct OptionVisitor<'n, V> {
    inner: V,
    notes: UnknownFields<'n>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for OptionVisitor<'_, V> {
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
        self.inner.visit_some(StrictDeserializer { from, notes: self.notes })
    }
}

/// The visitor of a struct, and the access to its map. Hides the unknown fields from the inner visitor.
struct StructVisitor<'n, T> {
    inner: T,
    fields: &'static [&'static str],
    /// The field whose value is read next.
    field: &'static str,
    notes: UnknownFields<'n>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for StructVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let Self { inner, fields, field, notes } = self;
        inner.visit_map(StructVisitor { inner: map, fields, field, notes })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(list)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for StructVisitor<'_, A> {
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

/// Reads the name of a field: one of the known names, or else the name as it was sent.
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

/// Reads a list, or a single object that need not be in a list.
pub(crate) fn one_or_many<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    from.deserialize_any(ListVisitor(std::marker::PhantomData))
}

struct ListVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
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
