//! The declaration of options: [`options!`](crate::options!) and [`choice!`](crate::choice!), and the types of values.

use std::ops::RangeInclusive;

use super::text::number;
use super::{Allowed, OptionError, OptionInfo, OptionValue, Options};

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

            #[allow(unused_mut, unused_variables)]
            fn describe() -> Vec<$crate::OptionInfo> {
                let mut infos = Vec::new();
                $(
                    let about = concat!($($about,)*);
                    $(
                        let $block: $type = $default;
                        $crate::options::describe_block(&$block, &mut infos);
                    )?
                    $(
                        let (name, needs) = (stringify!($field), concat!($($needs)?));
                        infos.push($crate::options::describe_option::<$type>(name, &$default, &$limits, about, needs));
                    )?
                )*
                infos
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
                Err($crate::options::unknown($owner, name, Self::known()))
            }

            #[allow(unused_variables)]
            fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a dyn ::std::any::Any)) {
                $($($crate::Options::visit(&self.$block, see);)? $(see(&self.$field);)?)*
            }

            #[allow(unused_variables)]
            fn visit_mut<'a>(&'a mut self, see: &mut dyn FnMut(&'a mut dyn ::std::any::Any)) {
                $($(self.$block.visit_mut(see);)? $(see(&mut self.$field);)?)*
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
                Err($crate::options::unknown($owner, name, Self::known()))
            }
        }
    };
}

/// The description of an option of this type.
pub fn describe_option<T: OptionType>(
    name: &'static str,
    default: &T,
    limits: &T::Limits,
    about: &'static str,
    needs: &'static str,
) -> OptionInfo {
    let (allowed, default) = (T::allowed(limits), default.value());
    OptionInfo { name, allowed, default, about: about.trim(), needs, has_commas: T::HAS_COMMAS }
}

/// Adds the options of a block, with the defaults that it has where it is included.
pub fn describe_block<B: Options>(defaults: &B, infos: &mut Vec<OptionInfo>) {
    for (info, (_, default)) in B::describe().into_iter().zip(defaults.values()) {
        infos.push(OptionInfo { default, ..info });
    }
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
        Ok(value) => {
            *option = value;
            Ok(())
        }
        Err(problem) => Err(wrong(owner, name, problem)),
    }
}

fn wrong(owner: &str, name: &str, problem: String) -> OptionError {
    OptionError::Value { owner: owner.to_string(), name: name.to_string(), problem }
}

/// Creates the error for an option that these options do not have.
pub fn unknown(owner: &str, name: &str, known: String) -> OptionError {
    OptionError::Unknown { owner: owner.to_string(), name: name.to_string(), known }
}
