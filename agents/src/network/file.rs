//! Files of networks.
//!
//! The format is safetensors. All tensors are single precision, in C order: `hidden.0.weight` (inputs, width),
//! `hidden.0.bias` (width), `hidden.1.weight` and so on; `policy.weight` (width, actions) and `policy.bias`;
//! `value.weight` (width, 1) and `value.bias`, unless the metadata contain `value: none`. A layer is `activation(x @
//! weight + bias)`; policy and value have no activation. A network that reads sorted positions has `classes.inputs`
//! and `classes.actions`, a row for each exchangeable class with its places among inputs and actions, as whole numbers
//! (see [`Symmetry`](stier_core::Symmetry)).
//!
//! In version 2, networks compute in integers. All weights are of type I8; the biases of `hidden.0` are I16 and all others
//! I32. A unit of a hidden layer is its sum, shifted to the right by the layer's number in `shifts` and clipped to 0 to
//! 127. The units of the first half of `hidden.0` are multiplied by those of the second half, and the products, shifted
//! by 7, are the inputs of the next layer. The sums of policy and value are multiplied by the numbers in `scales`.
//!
//! All metadata are text:
//!
//! | key | value |
//! | --- | --- |
//! | `format`, `version` | `stier.network`, `1` or `2` |
//! | `architecture`, `activation` | `mlp`, `relu` or `tanh`; in version 2 `integers`, `products` |
//! | `shifts`, `scales` | only in version 2: a number for each hidden layer; two numbers, for policy and value |
//! | `game`, `rules` | the game's name, and the name with the options that differ from the defaults: `schwinget:suits=2,values=3` |
//! | `observation`, `actions` | the [signatures](stier_core::Game::observation_signature) of the network's inputs and actions |
//! | `value_scale` | a number; the value times this number is a return in the game's utility |
//! | `value` | `return`, or `none` for a network without a value head; the default is `return` |
//! | `training` | free text, which is ignored here |

#[cfg(feature = "files")]
use std::fs::{self, File};
#[cfg(feature = "files")]
use std::io::{self, Read as _};
use std::str::FromStr;

use safetensors::{Dtype, SafeTensors};
use stier_core::Game;
use thiserror::Error;

use super::classes::{Classes, MAX_CLASSES};
use super::forward::{Activation, Layer, Mlp};
use super::integers::Integers;
use super::layers::Layers;

/// An error in a network's file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the network '{path}' {fault}")]
pub struct NetworkError {
    /// The path of the file.
    pub path: String,
    /// The error.
    pub fault: Fault,
}

/// Errors in networks.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("has {0} bytes; at most {MAX_FILE_BYTES} are allowed")]
    TooLarge(u64),
    /// The layers, which are padded, would take more memory than [`MAX_FILE_BYTES`].
    #[error("would take {0} bytes of memory; at most {MAX_FILE_BYTES} are allowed")]
    TooWide(u64),
    /// The file is not in the safetensors format.
    #[error("is not a safetensors file: {0}")]
    NoTensors(String),
    /// Missing metadata.
    #[error("has no '{0}' in its metadata")]
    NoKey(&'static str),
    /// Invalid metadata.
    #[error("has {key}={found} in its metadata, expected {allowed}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// The value found.
        found: String,
        /// The allowed values.
        allowed: &'static str,
    },
    /// A missing tensor.
    #[error("has no tensor '{0}'")]
    NoTensor(String),
    /// A tensor that the architecture does not have.
    #[error("has a tensor '{0}', which a multilayer perceptron does not have")]
    StrangeTensor(String),
    /// A tensor of another type.
    #[error("has '{name}' in {found}, expected {expected}")]
    BadType {
        /// The name of the tensor.
        name: String,
        /// The type found.
        found: String,
        /// The expected type.
        expected: String,
    },
    /// A tensor whose shape does not match its neighbours.
    #[error("has '{name}' with shape {found:?}, expected {expected:?}")]
    BadShape {
        /// The name of the tensor.
        name: String,
        /// The shape found.
        found: Vec<usize>,
        /// The expected shape.
        expected: Vec<usize>,
    },
    /// Places of classes that are missing, doubled or too many.
    #[error(
        "has 'classes.inputs' and 'classes.actions' that do not name places once each, for 2 to {MAX_CLASSES} classes"
    )]
    BadClasses,
    /// A weight that is not finite.
    #[error("has a weight in '{0}' that is not a finite number")]
    NotFinite(String),
    /// Weights in integers that are too large.
    #[error("has weights in layer {0} that are so large that sums may overflow")]
    Overflow(usize),
    /// The network has more inputs than agents provide.
    #[error("reads beliefs about the cards, which agents do not give it")]
    Beliefs,
    /// The network was trained for something else.
    #[error("was trained for {what} '{trained}', not for '{here}'")]
    Mismatch {
        /// The part of a game that differs: game, rules, observation or actions.
        what: &'static str,
        /// The value in the network.
        trained: String,
        /// The value in the game.
        here: String,
    },
}

/// The largest number of bytes of a file, and of a network in memory.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// A network and the game that it was trained for.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    path: String,
    game: String,
    rules: String,
    observation: String,
    actions: String,
    /// The factor from the network's value to a return.
    pub(crate) value_scale: f32,
    has_value: bool,
    /// The classes that are sorted before the first layer.
    pub(super) classes: Option<Classes>,
    pub(super) layers: Layers,
}

impl Network {
    /// Reads a network from a file.
    #[cfg(feature = "files")]
    pub fn read(path: &str) -> Result<Self, NetworkError> {
        let of_file = |fault| NetworkError { path: path.to_string(), fault };
        let unreadable = |error: io::Error| of_file(Fault::Unreadable(error.to_string()));
        let size = fs::metadata(path).map_err(unreadable)?;
        if !size.is_file() {
            return Err(of_file(Fault::Unreadable("it is not a file".to_string())));
        }
        if size.len() > MAX_FILE_BYTES {
            return Err(of_file(Fault::TooLarge(size.len())));
        }
        let mut bytes = Vec::with_capacity(size.len() as usize);
        let file = File::open(path).map_err(unreadable)?;
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
        Self::parse(path, &bytes).map_err(of_file)
    }

    /// Parses the bytes of a file. Errors contain the path.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, Fault> {
        let no_tensors = |error: safetensors::SafeTensorError| Fault::NoTensors(error.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(no_tensors)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(no_tensors)?;
        let texts = Texts(header.metadata().clone().unwrap_or_default().into_iter().collect());
        texts.one_of("format", &["stier.network"], "stier.network")?;
        let in_integers = texts.one_of("version", &["1", "2"], "1 or 2")? == "2";
        if in_integers {
            texts.one_of("architecture", &["integers"], "integers in version 2")?;
            texts.one_of("activation", &["products"], "products")?;
        } else {
            texts.one_of("architecture", &["mlp"], "mlp in version 1")?;
        }
        let (observation, actions) = (texts.get("observation")?, texts.get("actions")?);
        let number = actions.split_once(':').and_then(|(_, number)| number.parse().ok());
        let num_actions = number
            .filter(|number| (1..=256).contains(number))
            .ok_or_else(|| bad_value("actions", actions, "version:number of actions, as in 1:37"))?;
        let scale = texts.get("value_scale")?;
        let value_scale = scale.parse().ok().filter(|scale: &f32| scale.is_finite() && *scale > 0.0);
        let value_scale = value_scale.ok_or_else(|| bad_value("value_scale", scale, "a number above 0"))?;
        // Files written before this key existed all have a value head.
        let has_value = match texts.find("value") {
            None | Some("return") => true,
            Some("none") => false,
            Some(found) => return Err(bad_value("value", found, "return or none")),
        };
        let layers = if in_integers {
            let matrices = matrices(&tensors, num_actions, has_value)?;
            let shifts = texts.numbers(
                "shifts",
                matrices.len() - 2,
                |&shift: &u32| shift < 16,
                "a number below 16 for each hidden layer",
            )?;
            let positive = |&scale: &f32| scale.is_finite() && scale > 0.0;
            let scales = texts.numbers("scales", 2, positive, "two numbers above 0")?;
            Layers::Integers(Integers::new(&matrices, &shifts, [scales[0], scales[1]]).map_err(Fault::Overflow)?)
        } else {
            let activation = match texts.one_of("activation", &["relu", "tanh"], "relu or tanh")? {
                "tanh" => Activation::Tanh,
                _ => Activation::Relu,
            };
            Layers::Floats(mlp(&matrices(&tensors, num_actions, has_value)?, activation))
        };
        Ok(Self {
            path: path.to_string(),
            classes: classes(&tensors, [layers.inputs(), num_actions])?,
            game: texts.get("game")?.to_string(),
            rules: texts.get("rules")?.to_string(),
            observation: observation.to_string(),
            actions: actions.to_string(),
            value_scale,
            has_value,
            layers,
        })
    }

    /// The path of the file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Checks that the network can play this game. The name, observations and actions must match, and so must the
    /// rules unless `any_rules` is set.
    pub fn fits<G: Game>(&self, game: &G, any_rules: bool) -> Result<(), NetworkError> {
        let name = game.name();
        let options = self.rules.strip_prefix(name).unwrap_or(&self.rules);
        let options = options.strip_prefix(':').unwrap_or(options);
        let fits = any_rules || game.rules().matches(options);
        let signatures = [game.observation_signature(), game.action_signature()];
        let inputs = stier_core::encode::size(&game.observation_layout());
        self.compare(name, (fits, &game.rules().to_text()), signatures, inputs)
    }

    /// Checks that the network fits a game of this name, with these rules, which fit or not, with these signatures of
    /// observations and actions, and with so many values in an observation.
    fn compare(
        &self,
        name: &str,
        (rules_fit, own): (bool, &str),
        [observation, actions]: [String; 2],
        expected: usize,
    ) -> Result<(), NetworkError> {
        let rules = if own.is_empty() { name.to_string() } else { format!("{name}:{own}") };
        let inputs = self.layers.inputs();
        let values = |count: usize| format!("{count} values");
        let parts = [
            (self.game == name, "the game", self.game.clone(), name.to_string()),
            (rules_fit, "the rules", self.rules.clone(), rules),
            (self.observation == observation, "the observation", self.observation.clone(), observation),
            (self.actions == actions, "the actions", self.actions.clone(), actions),
            (inputs == expected, "an observation of", values(inputs), values(expected)),
        ];
        let wrong = parts.into_iter().find(|&(fits, ..)| !fits);
        wrong.map_or(Ok(()), |(_, what, trained, here)| {
            let reads_beliefs = trained.strip_prefix(&here).is_some_and(|rest| rest.starts_with(",beliefs:"));
            let fault = if reads_beliefs { Fault::Beliefs } else { Fault::Mismatch { what, trained, here } };
            Err(NetworkError { path: self.path.clone(), fault })
        })
    }

    /// The number of actions, each with a logit.
    pub fn num_actions(&self) -> usize {
        self.layers.outputs() - 1
    }

    /// The number of values in an observation.
    pub fn num_inputs(&self) -> usize {
        self.layers.inputs()
    }

    /// Returns true if the network has a value head. Networks trained by deep Monte Carlo do not.
    pub fn has_value(&self) -> bool {
        self.has_value
    }
}

/// The metadata.
struct Texts(Vec<(String, String)>);

impl Texts {
    fn find(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, text)| &**text)
    }

    fn get(&self, key: &'static str) -> Result<&str, Fault> {
        self.find(key).ok_or(Fault::NoKey(key))
    }

    fn one_of(&self, key: &'static str, values: &[&str], allowed: &'static str) -> Result<&str, Fault> {
        let found = self.get(key)?;
        if values.contains(&found) { Ok(found) } else { Err(bad_value(key, found, allowed)) }
    }

    /// Numbers with commas between them.
    fn numbers<T: FromStr>(
        &self,
        key: &'static str,
        count: usize,
        fits: impl Fn(&T) -> bool,
        allowed: &'static str,
    ) -> Result<Vec<T>, Fault> {
        let text = self.get(key)?;
        let numbers = text.split(',').map(|number| number.parse().ok().filter(&fits)).collect::<Option<Vec<T>>>();
        numbers.filter(|numbers| numbers.len() == count).ok_or_else(|| bad_value(key, text, allowed))
    }
}

fn bad_value(key: &'static str, found: &str, allowed: &'static str) -> Fault {
    Fault::BadValue { key, found: found.to_string(), allowed }
}

/// The tensors of classes.
const CLASSES: [&str; 2] = ["classes.inputs", "classes.actions"];

/// Returns the classes that are sorted, if there are any, among so many inputs and actions.
fn classes(tensors: &SafeTensors<'_>, sizes: [usize; 2]) -> Result<Option<Classes>, Fault> {
    let read = |name: &str| -> Result<Vec<Vec<u32>>, Fault> {
        let (shape, places) = tensor::<f32>(tensors, name, Dtype::F32)?;
        let [_, width] = shape[..] else { return Err(Fault::BadClasses) };
        let whole = places.iter().all(|&place| place >= 0.0 && place.fract() == 0.0);
        let rows = places.chunks_exact(width.max(1)).map(|row| row.iter().map(|&place| place as u32).collect());
        whole.then(|| rows.collect()).ok_or(Fault::BadClasses)
    };
    if CLASSES.iter().all(|name| tensors.tensor(name).is_err()) {
        return Ok(None);
    }
    let [inputs, actions] = CLASSES;
    Classes::new(&read(inputs)?, read(actions)?, sizes).map(Some).ok_or(Fault::BadClasses)
}

/// Weights by input, biases, and the number of inputs.
type Matrix<T> = (Vec<T>, Vec<T>, usize);

/// A number of a network.
trait Number: Copy + Default {
    /// The types of weights and biases in the first layer and in others.
    const TYPES: [[Dtype; 2]; 2];
    /// The number of units of the first layer that make one input of the next.
    const FIRST_UNITS: usize;

    /// The numbers in the bytes of a tensor of one of these types; `None` if one is not finite.
    fn read(bytes: &[u8], kind: Dtype) -> Option<Vec<Self>>;
}

impl Number for f32 {
    const TYPES: [[Dtype; 2]; 2] = [[Dtype::F32; 2]; 2];
    const FIRST_UNITS: usize = 1;

    fn read(bytes: &[u8], _kind: Dtype) -> Option<Vec<Self>> {
        let numbers = bytes.as_chunks().0.iter().map(|&bytes| Self::from_le_bytes(bytes));
        numbers.map(|number| number.is_finite().then_some(number)).collect()
    }
}

impl Number for i32 {
    const TYPES: [[Dtype; 2]; 2] = [[Dtype::I8, Dtype::I16], [Dtype::I8, Dtype::I32]];
    const FIRST_UNITS: usize = 2;

    fn read(bytes: &[u8], kind: Dtype) -> Option<Vec<Self>> {
        Some(match kind {
            Dtype::I8 => bytes.iter().map(|&byte| Self::from(byte as i8)).collect(),
            Dtype::I16 => bytes.as_chunks().0.iter().map(|&bytes| Self::from(i16::from_le_bytes(bytes))).collect(),
            _ => bytes.as_chunks().0.iter().map(|&bytes| Self::from_le_bytes(bytes)).collect(),
        })
    }
}

/// Returns the hidden layers, the policy and the value, which is 0 without a value head.
fn matrices<T: Number>(
    tensors: &SafeTensors<'_>,
    num_actions: usize,
    has_value: bool,
) -> Result<Vec<Matrix<T>>, Fault> {
    let hidden = (0..).take_while(|index| tensors.tensor(&format!("hidden.{index}.weight")).is_ok()).count();
    let known = |name: &str| {
        let (start, kind) = name.rsplit_once('.').unwrap_or_default();
        let is_hidden = || (0..hidden).any(|index| start == format!("hidden.{index}"));
        matches!(kind, "weight" | "bias") && (start == "policy" || (has_value && start == "value") || is_hidden())
    };
    let strange = |name: &&str| !CLASSES.contains(name) && !known(name);
    if let Some(strange) = tensors.names().into_iter().filter(strange).min() {
        return Err(Fault::StrangeTensor(strange.to_string()));
    }
    let sizes = tensors.iter().map(|(_, tensor)| match *tensor.shape() {
        [rows, columns] => Layer::bytes(rows, columns),
        _ => 0,
    });
    let bytes = sizes.fold(0, u64::saturating_add);
    if bytes > MAX_FILE_BYTES {
        return Err(Fault::TooWide(bytes));
    }
    let mut matrices: Vec<Matrix<T>> = Vec::new();
    let mut inputs = None;
    for index in 0..hidden {
        let name = format!("hidden.{index}");
        let own = matrix(tensors, &name, T::TYPES[index.min(1)], inputs, None)?;
        let (width, units) = (own.1.len(), if index == 0 { T::FIRST_UNITS } else { 1 });
        if width % units != 0 {
            let expected = vec![own.2, width.next_multiple_of(units)];
            return Err(Fault::BadShape { name: format!("{name}.weight"), found: vec![own.2, width], expected });
        }
        inputs = Some(width / units);
        matrices.push(own);
    }
    if hidden == 0 && T::FIRST_UNITS > 1 {
        return Err(Fault::NoTensor("hidden.0.weight".to_string()));
    }
    let policy = matrix(tensors, "policy", T::TYPES[1], inputs, Some(num_actions))?;
    let value = if has_value {
        matrix(tensors, "value", T::TYPES[1], Some(policy.2), Some(1))?
    } else {
        (vec![T::default(); policy.2], vec![T::default()], policy.2)
    };
    matrices.extend([policy, value]);
    Ok(matrices)
}

/// Returns a perceptron; logits and value are one layer.
fn mlp(matrices: &[Matrix<f32>], activation: Activation) -> Mlp {
    let [hidden @ .., policy, value] = matrices else { unreachable!("there are two heads") };
    let layer = |parts: &[&Matrix<f32>]| {
        let sides: Vec<_> = parts.iter().map(|(weights, bias, _)| (&weights[..], &bias[..])).collect();
        Layer::new(parts[0].2, &sides)
    };
    let layers = hidden.iter().map(|own| layer(&[own])).chain([layer(&[policy, value])]).collect();
    Mlp { layers, activation }
}

/// Returns the weights and biases of a layer, of these types, and the number of its inputs. Sizes that are given must
/// match.
fn matrix<T: Number>(
    tensors: &SafeTensors<'_>,
    name: &str,
    types: [Dtype; 2],
    inputs: Option<usize>,
    outputs: Option<usize>,
) -> Result<Matrix<T>, Fault> {
    let (weight_name, bias_name) = (format!("{name}.weight"), format!("{name}.bias"));
    let (shape, weight) = tensor(tensors, &weight_name, types[0])?;
    let [rows, columns] = shape[..] else {
        let expected = vec![inputs.unwrap_or(1), outputs.unwrap_or(1)];
        return Err(Fault::BadShape { name: weight_name, found: shape, expected });
    };
    let expected = [inputs.unwrap_or(rows.max(1)), outputs.unwrap_or(columns.max(1))];
    if [rows, columns] != expected {
        return Err(Fault::BadShape { name: weight_name, found: shape, expected: expected.to_vec() });
    }
    let (shape, bias) = tensor(tensors, &bias_name, types[1])?;
    if shape != [columns] {
        return Err(Fault::BadShape { name: bias_name, found: shape, expected: vec![columns] });
    }
    Ok((weight, bias, rows))
}

/// Returns the shape and values of a tensor of this type.
fn tensor<T: Number>(tensors: &SafeTensors<'_>, name: &str, kind: Dtype) -> Result<(Vec<usize>, Vec<T>), Fault> {
    let found = tensors.tensor(name).map_err(|_| Fault::NoTensor(name.to_string()))?;
    if found.dtype() != kind {
        let [found, expected] = [found.dtype(), kind].map(|kind| format!("{kind:?}"));
        return Err(Fault::BadType { name: name.to_string(), found, expected });
    }
    let values = T::read(found.data(), kind).ok_or_else(|| Fault::NotFinite(name.to_string()))?;
    Ok((found.shape().to_vec(), values))
}
