//! Small networks with random weights, written to files.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};
use stier_core::{Game, Rng, encode};

/// A network that can be changed before it is saved.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) metadata: HashMap<String, String>,
    /// The name, shape and values of each tensor.
    pub(crate) tensors: Vec<(String, Vec<usize>, Vec<f32>)>,
}

impl Draft {
    /// Creates random weights for a game, with hidden layers of these widths.
    pub(crate) fn new<G: Game>(game: &G, hidden: &[usize], seed: u64) -> Self {
        let mut rng = Rng::stream(seed, "weights", 0);
        let mut numbers = |count: usize, inputs: usize| -> Vec<f32> {
            let scale = 4.0 / (inputs as f32).sqrt();
            (0..count).map(|_| (rng.unit() as f32 - 0.5) * scale).collect()
        };
        let mut tensors = Vec::new();
        let mut inputs = encode::size(&game.observation_layout());
        let heads = [("policy".to_string(), game.num_actions()), ("value".to_string(), 1)];
        let hidden = hidden.iter().enumerate().map(|(index, &width)| (format!("hidden.{index}"), width));
        for (name, width) in hidden.chain(heads) {
            tensors.push((format!("{name}.weight"), vec![inputs, width], numbers(inputs * width, inputs)));
            tensors.push((format!("{name}.bias"), vec![width], numbers(width, 16)));
            if name.starts_with("hidden") {
                inputs = width;
            }
        }
        let options = game.rules().to_text();
        let colon = if options.is_empty() { "" } else { ":" };
        let metadata = [
            ("format", "stier.network".to_string()),
            ("version", "1".to_string()),
            ("architecture", "mlp".to_string()),
            ("activation", "relu".to_string()),
            ("game", game.name().to_string()),
            ("rules", format!("{}{colon}{options}", game.name())),
            ("observation", game.observation_signature()),
            ("actions", game.action_signature()),
            ("value_scale", "1.5".to_string()),
            ("training", "{}".to_string()),
        ];
        Self { metadata: metadata.map(|(key, value)| (key.to_string(), value)).into(), tensors }
    }

    /// Changes the metadata.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        self.metadata.insert(key.to_string(), value.to_string());
        self
    }

    /// The values of a tensor.
    pub(crate) fn values(&mut self, name: &str) -> &mut Vec<f32> {
        &mut self.tensors.iter_mut().find(|(own, ..)| own == name).expect("a tensor").2
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let data: Vec<Vec<u8>> = self
            .tensors
            .iter()
            .map(|(_, _, values)| values.iter().flat_map(|value| value.to_le_bytes()).collect())
            .collect();
        let views = self.tensors.iter().zip(&data).map(|((name, shape, _), data)| {
            (name.clone(), TensorView::new(Dtype::F32, shape.clone(), data).expect("a tensor"))
        });
        serialize(views, Some(self.metadata.clone().into_iter().collect())).expect("a file")
    }

    /// Saves the network in its own file.
    pub(crate) fn saved(&self) -> Saved {
        Saved::new("", &self.bytes())
    }
}

/// A file that exists as long as a test needs it.
pub(crate) struct Saved(pub(crate) PathBuf);

impl Saved {
    /// Writes a file with these bytes; the mark is part of its name.
    pub(crate) fn new(mark: &str, bytes: &[u8]) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("stier-network-{}-{number}{mark}.safetensors", process::id()));
        fs::write(&path, bytes).expect("a file is written");
        Self(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
