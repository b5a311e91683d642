//! Named options with a text form, for the rules of games and the parameters of agents.
//!
//! [`options!`](crate::options!) declares a struct once. The name, default, allowed values and documentation of each
//! field are used for parsing, printing, errors and help. [`choice!`](crate::choice!) declares an enum of named
//! values.

mod declare;
mod text;

use std::any::Any;
use std::fmt::{self, Debug};

use thiserror::Error;

use crate::list::Listing as _;
use crate::names::{alternatives, meant};

pub use declare::{OptionType, Switch, assign, describe_block, describe_option, unknown};
pub use text::{number, parts};

/// The value of an option, for callers without static types.
#[derive(Clone, PartialEq, Debug)]
pub enum OptionValue {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// One of several names.
    Name(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Int(value) => write!(f, "{value}"),
            OptionValue::Float(value) => write!(f, "{value}"),
            OptionValue::Name(name) => f.write_str(name),
        }
    }
}

/// Description of one option.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionInfo {
    /// The name.
    pub name: &'static str,
    /// The allowed values.
    pub allowed: Allowed,
    /// The default.
    pub default: OptionValue,
    /// The documentation of the option.
    pub about: &'static str,
    /// The values of other options with which the option has an effect, such as `solver=search or solver=exact and
    /// fallback=search`; empty if it always has one. `!=` stands before values with which it has none.
    pub needs: &'static str,
    /// True if a value may contain commas: see [`OptionType::HAS_COMMAS`].
    pub has_commas: bool,
}

impl OptionInfo {
    /// Returns true if the option has an effect beside these values. Options that are not among them have no value.
    fn has_effect(&self, values: &[(&'static str, OptionValue)]) -> bool {
        let holds = |clause: &str| {
            let (name, wanted) = clause.split_once('=').expect("a clause is name=values or name!=values");
            let (name, is_wanted) = name.strip_suffix('!').map_or((name, true), |name| (name, false));
            let value = values.iter().find(|(other, _)| *other == name).map(|(_, value)| value.to_string());
            value.is_some_and(|value| wanted.split('|').any(|one| one == value) == is_wanted)
        };
        self.needs.is_empty() || self.needs.split(" or ").any(|all| all.split(" and ").all(holds))
    }
}

/// The values that an option takes. As text, for people: `points | schwinger`, `1 to 12`.
#[derive(Clone, PartialEq, Debug)]
pub enum Allowed {
    /// Numbers from the first to the second.
    Range(OptionValue, OptionValue),
    /// One of these names.
    Names(Vec<&'static str>),
    /// Everything that fits a description.
    Other(String),
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowed::Range(low, high) => write!(f, "{low} to {high}"),
            Allowed::Names(names) => f.write_str(&names.join(" | ")),
            Allowed::Other(description) => f.write_str(description),
        }
    }
}

impl Allowed {
    /// Says that a text is not one of the values, as the end of a sentence about the option: `must be between 1 and 9,
    /// got 10`.
    pub fn refuse(&self, text: &str) -> String {
        let got = if text.parse::<f64>().is_ok() { text.to_string() } else { format!("'{text}'") };
        match self {
            Allowed::Range(low, high) => format!("must be between {low} and {high}, got {got}"),
            Allowed::Names(names) => {
                let meant = meant(text, names.iter().copied());
                let (last, others) = names.split_last().expect("an enum has values");
                let others = if others.is_empty() { String::new() } else { others.join(", ") + " or " };
                format!("must be {others}{last}, got {got}{meant}")
            }
            Allowed::Other(description) => format!("must be {description}, got {got}"),
        }
    }
}

/// An error in a list of options.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// An unknown option.
    #[error("{owner} has no option '{name}'{}", alternatives(.name, "options", .known))]
    Unknown {
        /// The owner of the options, such as the game or the agent.
        owner: String,
        /// The unknown name.
        name: String,
        /// The names of all options.
        known: String,
    },
    /// A value that is not allowed.
    #[error("{owner}: {name} {problem}")]
    Value {
        /// The owner of the option.
        owner: String,
        /// The option.
        name: String,
        /// The rest of the sentence: the allowed values and the one that was given, or the reason.
        problem: String,
    },
    /// A part of the text that is not of the form `name=value`.
    #[error("{owner}: '{text}' is not of the form name=value; the options are {known}")]
    Syntax {
        /// The owner of the options.
        owner: String,
        /// The part that cannot be parsed.
        text: String,
        /// The names of all options.
        known: String,
    },
    /// An option given more than once.
    #[error("{owner}: option '{name}' is given twice")]
    Twice {
        /// The owner of the option.
        owner: String,
        /// The option.
        name: String,
    },
}

impl OptionError {
    /// The same error for the options of another owner.
    pub fn owned_by(mut self, owner_name: &str) -> Self {
        let (Self::Unknown { owner, .. }
        | Self::Value { owner, .. }
        | Self::Syntax { owner, .. }
        | Self::Twice { owner, .. }) = &mut self;
        *owner = owner_name.to_string();
        self
    }
}

/// A set of named options. The text form lists the options that differ from their defaults, in declaration order, as
/// in `scoring=schwinger,bouts=4`. Parsing it gives an equal value, so it also serves as an identity.
pub trait Options: Default + Clone + PartialEq + Debug + Send + Sync + 'static {
    /// The owner of the options, for errors.
    const OWNER: &'static str;

    /// Every option, in declaration order.
    fn describe() -> Vec<OptionInfo>;
    /// The value of an option.
    fn get(&self, name: &str) -> Result<OptionValue, OptionError>;
    /// Sets an option from text. If it fails, nothing changes.
    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError>;
    /// Shows the value of every option, in declaration order.
    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a dyn Any));
    /// The same as [`visit`](Self::visit), to change values.
    fn visit_mut<'a>(&'a mut self, see: &mut dyn FnMut(&'a mut dyn Any));

    /// The names of all options, for errors.
    fn known() -> String {
        text::names(&Self::describe())
    }

    /// The names and values of all options, in declaration order.
    fn values(&self) -> Vec<(&'static str, OptionValue)> {
        text::values(&Self::describe(), &|name| self.get(name))
    }

    /// The first option that is not at its default and has no effect beside the others, and what it needs.
    fn idle(&self) -> Option<(&'static str, &'static str)> {
        text::idle(&Self::describe(), &self.values())
    }

    /// The text form.
    fn to_text(&self) -> String {
        text::text_form(&Self::describe(), &|name| self.get(name))
    }

    /// Parses the text form. Options left out have their defaults.
    fn from_text(text: &str) -> Result<Self, OptionError> {
        Self::from_parts(&parts(text).list())
    }

    /// Parses the [`parts`] of a text form.
    fn from_parts(parts: &[&str]) -> Result<Self, OptionError> {
        let mut options = Self::default();
        text::read(parts, Self::OWNER, &Self::describe, &mut |name, value| options.set(name, value))?;
        Ok(options)
    }
}

/// Options whose type is not known.
pub trait DynOptions: Any + Debug + Send + Sync {
    /// The [owner](Options::OWNER) of the options.
    fn owner(&self) -> &'static str;
    /// The names and values of all options, in declaration order.
    fn values(&self) -> Vec<(&'static str, OptionValue)>;
    /// The [text form](Options::to_text).
    fn to_text(&self) -> String;
    /// Returns true if `text` is a text form of these values, whatever its order of options.
    fn matches(&self, text: &str) -> bool;
    /// Returns true if both have the same type and the same values.
    fn equals(&self, other: &dyn DynOptions) -> bool;
    /// Shows the values with their types, in declaration order; none if they have no types.
    fn visit<'a>(&'a self, _see: &mut dyn FnMut(&'a dyn Any)) {}
}

impl<O: Options> DynOptions for O {
    fn owner(&self) -> &'static str {
        O::OWNER
    }

    fn values(&self) -> Vec<(&'static str, OptionValue)> {
        Options::values(self)
    }

    fn to_text(&self) -> String {
        Options::to_text(self)
    }

    fn matches(&self, text: &str) -> bool {
        O::from_text(text).is_ok_and(|options| options == *self)
    }

    fn equals(&self, other: &dyn DynOptions) -> bool {
        (other as &dyn Any).downcast_ref::<O>() == Some(self)
    }

    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a dyn Any)) {
        Options::visit(self, see);
    }
}

impl dyn DynOptions {
    /// The options, if they have this type.
    pub fn downcast_ref<O: Options>(&self) -> Option<&O> {
        (self as &dyn Any).downcast_ref()
    }

    /// The values that have this type, in declaration order.
    pub fn all_of<T: 'static>(&self) -> Vec<&T> {
        let mut found = Vec::new();
        self.visit(&mut |value| found.extend(value.downcast_ref::<T>()));
        found
    }
}

impl PartialEq for dyn DynOptions + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

#[cfg(test)]
mod tests;
