//! Facts about a state as plain values, for programs, with words for people.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::list::Listing as _;

/// A plain value.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Value {
    /// There is none, or it is hidden.
    Absent,
    /// Yes or no.
    Flag(bool),
    /// A whole number: a count, or a seat.
    Int(#[cfg_attr(feature = "typescript", ts(type = "number"))] i64),
    /// A number.
    Float(f64),
    /// A name.
    Name(String),
    /// Several values: in order, or one for each seat.
    List(Vec<Value>),
}

/// The value in words, lists with commas.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("-"),
            Self::Flag(value) => f.write_str(if *value { "yes" } else { "no" }),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Name(name) => f.write_str(name),
            Self::List(values) if values.is_empty() => f.write_str("-"),
            Self::List(values) => f.write_str(&values.iter().map(Self::to_string).list().join(",")),
        }
    }
}

macro_rules! from {
    ($variant:ident: $($of:ty),+) => {
        $(impl From<$of> for Value {
            fn from(value: $of) -> Self {
                Self::$variant(value.into())
            }
        })+
    };
}

from!(Flag: bool);
from!(Int: u8, u32);
from!(Float: f64);
from!(Name: &str, String, char);

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, T::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut list = Vec::new();
        for value in values {
            list.push(value.into());
        }
        Self::List(list)
    }
}

/// A fact that the perspective of a [`Scene`](crate::Scene) may know.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// The name, in snake case.
    pub name: Cow<'static, str>,
    /// The value.
    pub value: Value,
    /// The value in words; `None` if a picture shows it elsewhere or not at all.
    pub words: Option<String>,
}

impl Fact {
    /// A fact that is not told in words.
    pub fn new(name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        Self { name: name.into(), value: value.into(), words: None }
    }

    /// A fact with its words.
    pub fn told(name: impl Into<Cow<'static, str>>, value: impl Into<Value>, words: impl fmt::Display) -> Self {
        Self { words: Some(words.to_string()), ..Self::new(name, value) }
    }
}
