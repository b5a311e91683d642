//! Named options with a text form, for the rules of games and the parameters of agents.
//!
//! [`options!`](crate::options!) declares a struct once. The name, default, allowed values and documentation of each
//! field are used for parsing, printing, errors and help. [`choice!`](crate::choice!) declares an enum of named
//! values.

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

use crate::error::{alternatives, meant};

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

    /// The names of all options, for errors.
    fn known() -> String {
        names(&Self::describe())
    }

    /// The names and values of all options, in declaration order.
    fn values(&self) -> Vec<(&'static str, OptionValue)> {
        values(&Self::describe(), &|name| self.get(name))
    }

    /// The first option that is not at its default and has no effect beside the others, and what it needs.
    fn idle(&self) -> Option<(&'static str, &'static str)> {
        idle(&Self::describe(), &self.values())
    }

    /// The text form.
    fn to_text(&self) -> String {
        text_form(&Self::describe(), &|name| self.get(name))
    }

    /// Parses the text form. Options left out have their defaults.
    fn from_text(text: &str) -> Result<Self, OptionError> {
        let mut options = Self::default();
        read(text, Self::OWNER, &Self::describe, &mut |name, value| options.set(name, value))?;
        Ok(options)
    }
}

// The bodies of `Options`' methods, compiled once for all sets of options.

fn names(infos: &[OptionInfo]) -> String {
    let names: Vec<_> = infos.iter().map(|info| info.name).collect();
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

/// Looks up the value of an option.
type Get<'a> = &'a dyn Fn(&str) -> Result<OptionValue, OptionError>;

fn values(infos: &[OptionInfo], get: Get<'_>) -> Vec<(&'static str, OptionValue)> {
    infos.iter().filter_map(|info| Some((info.name, get(info.name).ok()?))).collect()
}

fn idle(infos: &[OptionInfo], values: &[(&'static str, OptionValue)]) -> Option<(&'static str, &'static str)> {
    let is_idle = |(info, (_, value)): &(&OptionInfo, _)| *value != info.default && !info.has_effect(values);
    infos.iter().zip(values.iter().cloned()).find(is_idle).map(|(info, _)| (info.name, info.needs))
}

fn text_form(infos: &[OptionInfo], get: Get<'_>) -> String {
    let changed = |info: &&OptionInfo| get(info.name).is_ok_and(|value| value != info.default);
    let part =
        |info: &OptionInfo| get(info.name).map_or_else(|_| String::new(), |value| format!("{}={value}", info.name));
    infos.iter().filter(changed).map(part).collect::<Vec<_>>().join(",")
}

/// Sets the options of a text form. The value of an option that may contain commas goes on after them if it is none
/// without.
fn read(
    text: &str,
    owner: &str,
    infos: &dyn Fn() -> Vec<OptionInfo>,
    set: &mut dyn FnMut(&str, &str) -> Result<(), OptionError>,
) -> Result<(), OptionError> {
    let owner = || owner.to_string();
    let mut given = Vec::new();
    let parts: Vec<&str> = parts(text).collect();
    let mut rest = parts.into_iter();
    while let Some(part) = rest.next() {
        let (name, value) = part.split_once('=').ok_or_else(|| OptionError::Syntax {
            owner: owner(),
            text: part.to_string(),
            known: names(&infos()),
        })?;
        let name = name.trim();
        if let Err(error) = set(name, value.trim()) {
            let mut longer = value.trim().to_string();
            let fits = |part: &str| {
                longer = format!("{longer},{part}");
                set(name, &longer).is_ok()
            };
            let has_commas = infos().iter().any(|info| info.name == name && info.has_commas);
            let more = if has_commas { rest.clone().position(fits) } else { None };
            let more = more.ok_or(error)?;
            rest.nth(more);
        }
        if given.contains(&name) {
            return Err(OptionError::Twice { owner: owner(), name: name.to_string() });
        }
        given.push(name);
    }
    Ok(())
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
}

impl dyn DynOptions {
    /// The options, if they have this type.
    pub fn downcast_ref<O: Options>(&self) -> Option<&O> {
        (self as &dyn Any).downcast_ref()
    }
}

impl PartialEq for dyn DynOptions + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

/// Splits a text at commas into trimmed parts, without empty ones. Commas within parentheses do not count, because a
/// value may itself be a list of options.
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

/// A type of option values.
pub trait OptionType: Sized {
    /// The limits on the values: a range for numbers, nothing for names.
    type Limits;
    /// True for paths: a value may contain commas, also without parentheses around it.
    const HAS_COMMAS: bool = false;
    /// Parses a value within the limits. The error ends a sentence about the option: see [`Allowed::refuse`].
    fn parse(text: &str, limits: &Self::Limits) -> Result<Self, String>;
    /// The value without its static type.
    fn value(&self) -> OptionValue;
    /// The allowed values.
    fn allowed(limits: &Self::Limits) -> Allowed;
}

/// Parses a number. Underscores between digits are skipped, as in Rust and Python.
pub fn number<T: FromStr>(text: &str) -> Option<T> {
    let digit = |place: Option<usize>| place.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let between = |(at, _): (usize, _)| digit(at.checked_sub(1)) && digit(Some(at + 1));
    if text.match_indices('_').all(between) { text.replace('_', "").parse().ok() } else { None }
}

macro_rules! number_option {
    ($variant:ident as $wide:ty: $($number:ty)*) => {$(
        impl OptionType for $number {
            type Limits = RangeInclusive<$number>;

            fn parse(text: &str, limits: &Self::Limits) -> Result<Self, String> {
                number(text).filter(|value| limits.contains(value)).ok_or_else(|| Self::allowed(limits).refuse(text))
            }

            fn value(&self) -> OptionValue {
                OptionValue::$variant(*self as $wide)
            }

            fn allowed(limits: &Self::Limits) -> Allowed {
                Allowed::Range(limits.start().value(), limits.end().value())
            }
        }
    )*};
}
number_option!(Int as i64: u8 u16 u32 u64);
number_option!(Float as f64: f64);

/// Declares an enum with named values, for use as an option.
#[macro_export]
macro_rules! choice {
    (
        $(#[$doc:meta])*
        $vis:vis enum $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal),+ $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $vis enum $name { $($(#[$value_doc])* $value),+ }

        impl $name {
            /// The name of the value.
            $vis fn name(self) -> &'static str {
                match self { $(Self::$value => $text),+ }
            }
        }

        impl $crate::options::OptionType for $name {
            type Limits = ();

            fn parse(text: &str, (): &()) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$value),)+
                    _ => Err(Self::allowed(&()).refuse(text)),
                }
            }

            fn value(&self) -> $crate::OptionValue {
                $crate::OptionValue::Name(self.name().to_string())
            }

            fn allowed((): &()) -> $crate::options::Allowed {
                $crate::options::Allowed::Names(vec![$($text),+])
            }
        }
    };
}

choice! {
    /// An optional part of a game.
    pub enum Switch {
        /// In play.
        On = "on",
        /// Left out.
        Off = "off",
    }
}

/// Declares a struct of options and its [`Options`] impl. `field: Type = default, limits;` declares an option;
/// `field: Type = default, limits, "other=value";` one that [needs](OptionInfo::needs) this value of another.
/// `..block: Type = default;` includes all options of another such struct, with these defaults, as if they were
/// declared here. No name may appear twice.
#[macro_export]
macro_rules! options {
    (
        $(#[$attribute:meta])*
        $vis:vis struct $name:ident for $owner:literal {
            $(
                $(#[doc = $about:literal])*
                $(..$block:ident)? $($field:ident)? : $type:ty = $default:expr $(, $limits:expr $(, $needs:literal)?)?;
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
                        needs: concat!($($needs)?),
                        has_commas: <$type as $crate::options::OptionType>::HAS_COMMAS,
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
                        return $crate::options::assign(&mut self.$field, value, &$limits, $owner, name);
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

/// The options of a block, with the defaults that it has where it is included.
pub fn describe_block<B: Options>(defaults: &B) -> Vec<OptionInfo> {
    let with = |(info, (_, default))| OptionInfo { default, ..info };
    B::describe().into_iter().zip(defaults.values()).map(with).collect()
}

/// Sets an option from text, within its limits. If it fails, nothing changes.
pub fn assign<T: OptionType>(
    option: &mut T,
    text: &str,
    limits: &T::Limits,
    owner: &str,
    name: &str,
) -> Result<(), OptionError> {
    match T::parse(text, limits) {
        Ok(value) => *option = value,
        Err(problem) => {
            return Err(OptionError::Value { owner: owner.to_string(), name: name.to_string(), problem });
        }
    }
    Ok(())
}

/// Creates the error for an option that `O` does not have.
pub fn unknown<O: Options>(name: &str) -> OptionError {
    OptionError::Unknown { owner: O::OWNER.to_string(), name: name.to_string(), known: O::known() }
}

#[cfg(test)]
mod tests {
    use super::{Allowed, OptionError, OptionType, OptionValue, Options, Switch, number, parts};

    choice! {
        /// Two values.
        enum Colour { Red = "red", Blue = "blue" }
    }

    options! {
        /// Three options.
        struct Paint for "paint" {
            /// Its colour.
            colour: Colour = Colour::Red, ();
            /// Number of layers.
            layers: u8 = 2, 1..=9;
            /// Covered or not.
            cover: Switch = Switch::Off, ();
        }
    }

    options! {
        /// An option, a block of options, another option.
        struct Wall for "wall" {
            /// Its height.
            height: u8 = 3, 1..=9;
            /// Its paint.
            ..paint: Paint = Paint { layers: 1, ..Paint::default() };
            /// Its width.
            width: f64 = 0.5, 0.0..=1.0;
        }
    }

    #[test]
    fn the_options_of_a_block_belong_to_its_owner() {
        let names: Vec<_> = Wall::describe().iter().map(|info| (info.name, info.default.to_string())).collect();
        let expected = [("height", "3"), ("colour", "red"), ("layers", "1"), ("cover", "off"), ("width", "0.5")];
        assert_eq!(names, expected.map(|(name, default)| (name, default.to_string())));
        let wall = Wall::from_text("layers=2,width=0.25,colour=blue,height=4").unwrap();
        assert_eq!(wall.paint, Paint { colour: Colour::Blue, layers: 2, cover: Switch::Off });
        assert_eq!(wall.to_text(), "height=4,colour=blue,layers=2,width=0.25");
        assert_eq!(wall.get("layers"), Ok(OptionValue::Int(2)));
        assert_eq!(Wall::default().to_text(), "", "the owner uses the block's defaults");
        let message = |text| Wall::from_text(text).unwrap_err().to_string();
        assert_eq!(message("paint=1"), "wall has no option 'paint'; options: height, colour, layers, cover, width");
        assert_eq!(message("layers=10"), "wall: layers must be between 1 and 9, got 10");
        assert_eq!(message("layers=1,layers=1"), "wall: option 'layers' is given twice");
    }

    #[test]
    fn text_round_trips_and_leaves_out_defaults() {
        assert_eq!(Paint::default().to_text(), "");
        let paint = Paint::from_text("layers=3, colour=blue").unwrap();
        assert_eq!(paint.to_text(), "colour=blue,layers=3");
        assert_eq!(Paint::from_text(&paint.to_text()), Ok(paint.clone()));
        assert_eq!(paint.get("layers"), Ok(OptionValue::Int(3)));
        assert_eq!(Paint::describe()[1].about, "Number of layers.");
        assert_eq!(paint.values().len(), 3);
    }

    options! {
        /// Options that need others.
        struct Roof for "roof" {
            /// Its material.
            tiles: Switch = Switch::On, ();
            /// The colour of tiles.
            ..paint: Paint = Paint::default();
            /// Needs tiles, in blue or with more than one layer.
            gloss: u8 = 5, 0..=9, "tiles=on and colour=blue or tiles=on and layers!=1";
            /// Needs one of two values.
            shine: u8 = 5, 0..=9, "layers=3|4";
        }
    }

    #[test]
    fn options_without_effect_are_found() {
        let idle = |text| Roof::from_text(text).unwrap().idle();
        for text in ["", "gloss=1", "gloss=1,colour=blue,layers=1", "shine=2,layers=3", "shine=2,layers=4", "shine=5"] {
            assert_eq!(idle(text), None, "{text}");
        }
        let gloss = "tiles=on and colour=blue or tiles=on and layers!=1";
        for (text, expected) in [
            ("gloss=1,layers=1", ("gloss", gloss)),
            ("gloss=1,tiles=off", ("gloss", gloss)),
            ("shine=2", ("shine", "layers=3|4")),
            ("tiles=off,gloss=1,shine=2", ("gloss", gloss)),
        ] {
            assert_eq!(idle(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn numbers_may_have_underscores_between_digits() {
        assert_eq!(number("1_000_000"), Some(1_000_000));
        assert_eq!(number("-1_0.2_5"), Some(-10.25));
        for text in ["_1", "1_", "1__0", "1_.5", "_", ""] {
            assert_eq!(number::<f64>(text), None, "{text}");
        }
    }

    /// A file that exists.
    #[derive(Clone, PartialEq, Debug)]
    struct File(&'static str);

    impl OptionType for File {
        type Limits = ();
        const HAS_COMMAS: bool = true;

        fn parse(text: &str, (): &()) -> Result<Self, String> {
            let files = ["", "a", "b,c", "d,layers=2,e"];
            files.into_iter().find(|file| *file == text).map(Self).ok_or_else(|| "is no file".to_string())
        }

        fn value(&self) -> OptionValue {
            OptionValue::Name(self.0.to_string())
        }

        fn allowed((): &()) -> Allowed {
            Allowed::Other("a file".to_string())
        }
    }

    options! {
        /// A file and a number.
        struct Picture for "picture" {
            /// Its file.
            file: File = File(""), ();
            /// Its size.
            size: u8 = 5, 0..=9;
        }
    }

    #[test]
    fn values_may_contain_commas_if_they_are_none_without() {
        let read = |text| Picture::from_text(text).map(|picture| (picture.file.0, picture.size));
        assert_eq!(read("file=a,size=1"), Ok(("a", 1)));
        assert_eq!(read("file=b,c,size=1"), Ok(("b,c", 1)));
        assert_eq!(read("size=1,file=d,layers=2,e"), Ok(("d,layers=2,e", 1)));
        let error = |text| read(text).unwrap_err().to_string();
        assert_eq!(error("file=z,size=1"), "picture: file is no file");
        assert_eq!(error("size=z,file=a"), "picture: size must be between 0 and 9, got 'z'");
        assert!(error("file=a,c").contains("'c' is not of the form name=value"));
    }

    #[test]
    fn commas_in_parentheses_do_not_split() {
        let split = |text| parts(text).collect::<Vec<_>>();
        assert_eq!(split("a=1, b=(x:c=1,d=(y,z)),,e"), ["a=1", "b=(x:c=1,d=(y,z))", "e"]);
        assert_eq!(split("a=),b=2"), ["a=)", "b=2"]);
        assert_eq!(split(""), [""; 0]);
    }

    #[test]
    fn errors_name_the_alternatives() {
        let message = |text| Paint::from_text(text).unwrap_err().to_string();
        assert_eq!(message("hue=3"), "paint has no option 'hue'; options: colour, layers, cover");
        assert_eq!(
            message("color=red"),
            "paint has no option 'color'; did you mean 'colour'? Options: colour, layers, cover"
        );
        assert_eq!(message("layers=10"), "paint: layers must be between 1 and 9, got 10");
        assert_eq!(message("layers="), "paint: layers must be between 1 and 9, got ''");
        assert_eq!(message("colour=green"), "paint: colour must be red or blue, got 'green'");
        assert_eq!(message("colour=bleu"), "paint: colour must be red or blue, got 'bleu'; did you mean 'blue'?");
        assert!(message("layers").contains("name=value"));
        assert_eq!(message("layers=1,layers=1"), "paint: option 'layers' is given twice");
        let mut paint = Paint::default();
        assert!(matches!(paint.set("layers", "0"), Err(OptionError::Value { .. })));
        assert_eq!(paint, Paint::default());
    }
}
