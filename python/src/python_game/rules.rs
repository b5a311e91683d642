//! The options of Python games.

use std::any::Any;

use stier_core::options::parts;
use stier_core::{DynOptions, OptionInfo, OptionValue};

/// The values of a Python game's options.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// The name of the game.
    pub(super) owner: &'static str,
    /// A number for the class.
    pub(super) class: usize,
    /// Every option with its value.
    pub(super) options: Vec<(OptionInfo, OptionValue)>,
}

impl DynOptions for Rules {
    fn owner(&self) -> &'static str {
        self.owner
    }

    fn values(&self) -> Vec<(&'static str, OptionValue)> {
        self.options.iter().map(|(info, value)| (info.name, value.clone())).collect()
    }

    fn to_text(&self) -> String {
        let changed = self.options.iter().filter(|(info, value)| info.default != *value);
        changed.map(|(info, value)| format!("{}={value}", info.name)).collect::<Vec<_>>().join(",")
    }

    fn matches(&self, text: &str) -> bool {
        let given: Vec<_> = parts(text).map(|part| part.split_once('=').unwrap_or((part, ""))).collect();
        let value = |name: &str| self.options.iter().find(|(info, _)| info.name == name).map(|(_, value)| value);
        let holds = |&(name, text): &(&str, &str)| value(name.trim()).is_some_and(|own| own.to_string() == text.trim());
        let is_given = |name: &str| given.iter().any(|(other, _)| other.trim() == name);
        given.iter().all(holds) && self.options.iter().all(|(info, own)| info.default == *own || is_given(info.name))
    }

    fn equals(&self, other: &dyn DynOptions) -> bool {
        let class = (other as &dyn Any).downcast_ref::<Self>().map(|other| other.class);
        class == Some(self.class) && self.owner == other.owner() && self.values() == other.values()
    }
}
