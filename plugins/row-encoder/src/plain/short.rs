//! Short forms of settings: a string instead of a table or a list.
//!
//! Owns the distinction of the forms. It inspects the type instead of trying one form after the other, so that the
//! error of a misspelled key names that key.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::settings::{Field, Paths, RowSet};

/// A setting that has a short form.
pub trait Short: Sized {
    /// The allowed forms, for error messages.
    const FORMS: &'static str;
    /// Whether a list is allowed.
    const LIST: bool = false;

    /// The setting that a string abbreviates.
    fn from_short(text: &str) -> Self;
}

impl Short for Paths {
    const FORMS: &'static str = "a string or a list of strings";
    const LIST: bool = true;

    fn from_short(text: &str) -> Self {
        Paths(vec![text.to_owned()])
    }
}

impl Short for Field {
    const FORMS: &'static str = "a string such as \"name=path?\", or a table";

    fn from_short(text: &str) -> Self {
        let (text, optional) = match text.strip_suffix('?') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (name, from) = halves(text);
        Field {
            name,
            from,
            optional,
            ..Field::default()
        }
    }
}

impl Short for RowSet {
    const FORMS: &'static str = "a string such as \"key=path\", or a table";

    fn from_short(text: &str) -> Self {
        let (key, from) = halves(text);
        RowSet {
            key,
            from,
            ..RowSet::default()
        }
    }
}

fn halves(text: &str) -> (String, Or<Paths>) {
    match text.split_once('=') {
        Some((name, path)) => (name.trim().to_owned(), Or(Paths::from_short(path.trim()))),
        None => (text.trim().to_owned(), Or::default()),
    }
}

/// A setting in full, or its short form.
#[derive(Default, Clone)]
#[cfg_attr(test, derive(serde::Serialize))]
#[cfg_attr(test, serde(transparent))]
pub struct Or<T>(pub T);

impl<T> Deref for Or<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'de, T: Short + Deserialize<'de>> Deserialize<'de> for Or<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Forms(PhantomData)).map(Or)
    }
}

struct Forms<T>(PhantomData<T>);

impl<'de, T: Short + Deserialize<'de>> Visitor<'de> for Forms<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(T::FORMS)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok(T::from_short(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        if !T::LIST {
            return Err(Error::invalid_type(Unexpected::Seq, &self));
        }
        T::deserialize(SeqAccessDeserializer::new(list))
    }
}

#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Or<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let long = generator.subschema_for::<T>();
        schemars::json_schema!({ "anyOf": [{ "type": "string" }, long] })
    }
}
