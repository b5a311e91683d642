//! Named options with a text form: the rules of games, the parameters of agents.
//!
//! [`options!`](crate::options!) declares a struct once; name, default, allowed values and documentation of each field serve
//! parsing, printing, errors and help. [`choice!`](crate::choice!) declares an enum of named values.

use std::fmt::{self, Debug};
use std::hash::Hash;
use std::ops::RangeInclusive;

use thiserror::Error;

/// The value of an option, for callers that know no types.
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

/// What there is to say about one option.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// The values it takes, for people: `points | schwinger`, `1..=12`.
    pub allowed: String,
    /// Its default.
    pub default: OptionValue,
    /// What it means.
    pub about: &'static str,
}

/// A list of options that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// No such option.
    #[error("{owner} has no option '{name}'; its options are {known}")]
    Unknown {
        /// Whose options they are.
        owner: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// No such value.
    #[error("{owner}: option '{name}' cannot be '{value}'; it is {allowed}")]
    Value {
        /// Whose option it is.
        owner: String,
        /// The option.
        name: String,
        /// The value asked for.
        value: String,
        /// The values there are.
        allowed: String,
    },
    /// Not of the form `name=value,name=value`.
    #[error("{owner}: '{text}' is not of the form name=value; the options are {known}")]
    Syntax {
        /// Whose options they are.
        owner: String,
        /// The part that cannot be read.
        text: String,
        /// What there is.
        known: String,
    },
    /// The same option twice.
    #[error("{owner}: option '{name}' is given twice")]
    Twice {
        /// Whose option it is.
        owner: String,
        /// The option.
        name: String,
    },
}

impl OptionError {
    /// The same about the options of somebody else.
    pub fn owned_by(mut self, somebody: &str) -> Self {
        let (Self::Unknown { owner, .. }
        | Self::Value { owner, .. }
        | Self::Syntax { owner, .. }
        | Self::Twice { owner, .. }) = &mut self;
        *owner = somebody.to_string();
        self
    }
}

/// A set of named options. The text form lists what differs from the defaults, in declaration order, as
/// `scoring=schwinger,bouts=4`; it parses back to an equal value and serves as its identity.
pub trait Options: Default + Clone + PartialEq + Debug + Send + Sync + 'static {
    /// Whose options they are, for errors.
    const OWNER: &'static str;

    /// Every option, in declaration order.
    fn describe() -> Vec<OptionInfo>;
    /// The value of an option.
    fn get(&self, name: &str) -> Result<OptionValue, OptionError>;
    /// Sets an option from text; on an error nothing changes.
    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError>;

    /// The names of all options, for errors.
    fn known() -> String {
        let names: Vec<_> = Self::describe().iter().map(|info| info.name).collect();
        if names.is_empty() { "none".to_string() } else { names.join(", ") }
    }

    /// Every option with its value, in declaration order.
    fn values(&self) -> Vec<(&'static str, OptionValue)> {
        Self::describe().iter().filter_map(|info| Some((info.name, self.get(info.name).ok()?))).collect()
    }

    /// The text form.
    fn to_text(&self) -> String {
        let parts: Vec<String> = self
            .values()
            .into_iter()
            .zip(Self::describe())
            .filter(|((_, value), info)| *value != info.default)
            .map(|((name, value), _)| format!("{name}={value}"))
            .collect();
        parts.join(",")
    }

    /// Reads the text form; options left out have their defaults.
    fn from_text(text: &str) -> Result<Self, OptionError> {
        let mut options = Self::default();
        let mut given = Vec::new();
        for part in parts(text) {
            let (name, value) = part.split_once('=').ok_or_else(|| OptionError::Syntax {
                owner: Self::OWNER.to_string(),
                text: part.to_string(),
                known: Self::known(),
            })?;
            let name = name.trim();
            options.set(name, value.trim())?;
            if given.contains(&name) {
                return Err(OptionError::Twice { owner: Self::OWNER.to_string(), name: name.to_string() });
            }
            given.push(name);
        }
        Ok(options)
    }
}

/// The parts of a text between commas, trimmed, without empty ones. Commas within parentheses do not count: values may be lists of
/// options themselves.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let between = move |symbol: char| {
        match symbol {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        symbol == ',' && depth == 0
    };
    text.split(between).map(str::trim).filter(|part| !part.is_empty())
}

/// A type that an option can have.
pub trait OptionType: Sized {
    /// What bounds its values: a range for numbers, nothing for names.
    type Limits;
    /// Reads a value within the limits. An error says which values are allowed, and where that does not tell enough, what is wrong.
    fn parse(text: &str, limits: &Self::Limits) -> Result<Self, String>;
    /// The value, without its type.
    fn value(&self) -> OptionValue;
    /// The values within the limits, for people.
    fn allowed(limits: &Self::Limits) -> String;
}

macro_rules! number_option {
    ($variant:ident as $wide:ty: $($number:ty)*) => {$(
        impl OptionType for $number {
            type Limits = RangeInclusive<$number>;

            fn parse(text: &str, limits: &Self::Limits) -> Result<Self, String> {
                text.parse().ok().filter(|value| limits.contains(value)).ok_or_else(|| Self::allowed(limits))
            }

            fn value(&self) -> OptionValue {
                OptionValue::$variant(*self as $wide)
            }

            fn allowed(limits: &Self::Limits) -> String {
                format!("{}..={}", limits.start(), limits.end())
            }
        }
    )*};
}
number_option!(Int as i64: u8 u16 u32 u64);
number_option!(Float as f64: f64);

/// Declares an enum whose values have names, for use as an option.
#[macro_export]
macro_rules! choice {
    (
        $(#[$doc:meta])*
        $vis:vis enum $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal),+ $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $vis enum $name { $($(#[$value_doc])* $value),+ }

        impl $crate::options::OptionType for $name {
            type Limits = ();

            fn parse(text: &str, (): &()) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$value),)+
                    _ => Err(Self::allowed(&())),
                }
            }

            fn value(&self) -> $crate::OptionValue {
                $crate::OptionValue::Name(match self { $(Self::$value => $text),+ }.to_string())
            }

            fn allowed((): &()) -> String {
                [$($text),+].join(" | ")
            }
        }
    };
}

choice! {
    /// A part of a game that is in play or not.
    pub enum Switch {
        /// In play.
        On = "on",
        /// Left out.
        Off = "off",
    }
}

/// Declares a struct of options and its [`Options`] impl. `field: Type = default, limits;` is an option; `..block: Type = default;`
/// stands for all options of another such struct, with those defaults, as if each were declared here. No name may come twice.
#[macro_export]
macro_rules! options {
    (
        $(#[$attribute:meta])*
        $vis:vis struct $name:ident for $owner:literal {
            $(
                $(#[doc = $about:literal])*
                $(..$block:ident)? $($field:ident)? : $type:ty = $default:expr $(, $limits:expr)?;
            )*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Debug)]
        $vis struct $name { $($(#[doc = $about])* pub $($block)? $($field)? : $type),* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($($block)? $($field)? : $default),* }
            }
        }

        impl $crate::Options for $name {
            const OWNER: &'static str = $owner;

            #[allow(unused_variables)]
            fn describe() -> Vec<$crate::OptionInfo> {
                let parts: &[Vec<$crate::OptionInfo>] = &[$({
                    let about = concat!($($about,)*).trim();
                    $(
                        let $block: $type = $default;
                        $crate::options::describe_block(&$block)
                    )?
                    $(vec![$crate::OptionInfo {
                        name: stringify!($field),
                        allowed: <$type as $crate::options::OptionType>::allowed(&$limits),
                        default: <$type as $crate::options::OptionType>::value(&$default),
                        about,
                    }])?
                }),*];
                parts.concat()
            }

            fn get(&self, name: &str) -> Result<$crate::OptionValue, $crate::OptionError> {
                match name {
                    $($(stringify!($field) => return Ok($crate::options::OptionType::value(&self.$field)),)?)*
                    _ => {}
                }
                $($(
                    if let Ok(value) = self.$block.get(name) {
                        return Ok(value);
                    }
                )?)*
                Err($crate::options::unknown::<Self>(name))
            }

            #[allow(unused_variables)]
            fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::OptionError> {
                match name {
                    $($(stringify!($field) => {
                        self.$field = <$type as $crate::options::OptionType>::parse(value, &$limits)
                            .map_err(|allowed| $crate::OptionError::Value {
                                owner: $owner.to_string(),
                                name: name.to_string(),
                                value: value.to_string(),
                                allowed,
                            })?;
                        return Ok(());
                    })?)*
                    _ => {}
                }
                $($(
                    if self.$block.get(name).is_ok() {
                        return self.$block.set(name, value).map_err(|error| error.owned_by($owner));
                    }
                )?)*
                Err($crate::options::unknown::<Self>(name))
            }
        }
    };
}

/// The options of a block, with the defaults that it has where it is declared.
pub fn describe_block<B: Options>(defaults: &B) -> Vec<OptionInfo> {
    let with = |(info, (_, default))| OptionInfo { default, ..info };
    B::describe().into_iter().zip(defaults.values()).map(with).collect()
}

/// The error for an option that `O` does not have.
pub fn unknown<O: Options>(name: &str) -> OptionError {
    OptionError::Unknown { owner: O::OWNER.to_string(), name: name.to_string(), known: O::known() }
}

#[cfg(test)]
mod tests {
    use super::{OptionError, OptionValue, Options, Switch, parts};

    choice! {
        /// Two values.
        enum Colour { Red = "red", Blue = "blue" }
    }

    options! {
        /// A set of three.
        struct Paint for "paint" {
            /// Which one.
            colour: Colour = Colour::Red, ();
            /// How thick.
            layers: u8 = 2, 1..=9;
            /// Covered or not.
            cover: Switch = Switch::Off, ();
        }
    }

    options! {
        /// An option, another set, an option.
        struct Wall for "wall" {
            /// How high.
            height: u8 = 3, 1..=9;
            /// What it is painted with.
            ..paint: Paint = Paint { layers: 1, ..Paint::default() };
            /// How wide.
            width: f64 = 0.5, 0.0..=1.0;
        }
    }

    #[test]
    fn the_options_of_a_block_are_those_of_its_owner() {
        let names: Vec<_> = Wall::describe().iter().map(|info| (info.name, info.default.to_string())).collect();
        let expected = [("height", "3"), ("colour", "red"), ("layers", "1"), ("cover", "off"), ("width", "0.5")];
        assert_eq!(names, expected.map(|(name, default)| (name, default.to_string())));
        let wall = Wall::from_text("layers=2,width=0.25,colour=blue,height=4").unwrap();
        assert_eq!(wall.paint, Paint { colour: Colour::Blue, layers: 2, cover: Switch::Off });
        assert_eq!(wall.to_text(), "height=4,colour=blue,layers=2,width=0.25");
        assert_eq!(wall.get("layers"), Ok(OptionValue::Int(2)));
        assert_eq!(Wall::default().to_text(), "", "the block's defaults are the owner's");
        let message = |text| Wall::from_text(text).unwrap_err().to_string();
        assert_eq!(
            message("paint=1"),
            "wall has no option 'paint'; its options are height, colour, layers, cover, width"
        );
        assert_eq!(message("layers=10"), "wall: option 'layers' cannot be '10'; it is 1..=9");
        assert_eq!(message("layers=1,layers=1"), "wall: option 'layers' is given twice");
    }

    #[test]
    fn text_round_trips_and_leaves_out_defaults() {
        assert_eq!(Paint::default().to_text(), "");
        let paint = Paint::from_text("layers=3, colour=blue").unwrap();
        assert_eq!(paint.to_text(), "colour=blue,layers=3");
        assert_eq!(Paint::from_text(&paint.to_text()), Ok(paint.clone()));
        assert_eq!(paint.get("layers"), Ok(OptionValue::Int(3)));
        assert_eq!(Paint::describe()[1].about, "How thick.");
        assert_eq!(paint.values().len(), 3);
    }

    #[test]
    fn commas_in_parentheses_stay_within_their_part() {
        let split = |text| parts(text).collect::<Vec<_>>();
        assert_eq!(split("a=1, b=(x:c=1,d=(y,z)),,e"), ["a=1", "b=(x:c=1,d=(y,z))", "e"]);
        assert_eq!(split("a=),b=2"), ["a=)", "b=2"]);
        assert_eq!(split(""), [""; 0]);
    }

    #[test]
    fn errors_name_what_there_is() {
        let message = |text| Paint::from_text(text).unwrap_err().to_string();
        assert_eq!(message("hue=3"), "paint has no option 'hue'; its options are colour, layers, cover");
        assert_eq!(message("layers=10"), "paint: option 'layers' cannot be '10'; it is 1..=9");
        assert_eq!(message("colour=green"), "paint: option 'colour' cannot be 'green'; it is red | blue");
        assert!(message("layers").contains("name=value"));
        assert_eq!(message("layers=1,layers=1"), "paint: option 'layers' is given twice");
        let mut paint = Paint::default();
        assert!(matches!(paint.set("layers", "0"), Err(OptionError::Value { .. })));
        assert_eq!(paint, Paint::default());
    }
}
