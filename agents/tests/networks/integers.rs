//! Networks in integers from files.

use std::sync::Arc;

use stier_agents::network::{Evaluator, Fault, Network};

/// A small network with random weights for Kuhn poker, written by `stier.network`.
const FILE: &[u8] = include_bytes!("integers.safetensors");
/// Its logits and its value, times 1024, by NumPy, for the inputs of the binary digits of 1, 10, 19 and so on:
/// `python/tests/test_networks_integers.py` computes them.
const OUTPUTS: [[f32; 3]; 7] = [
    [-7174.0, 1760.0, 11188.0],
    [-15348.0, -1470.0, 10968.0],
    [-7930.0, 1964.0, 11596.0],
    [-15620.0, -1674.0, 10816.0],
    [-7300.0, 1794.0, 11256.0],
    [-18925.0, -3119.0, 10312.0],
    [-8721.0, 2704.0, 12600.0],
];

/// The file with a part of its metadata replaced.
fn with(old: &str, new: &str) -> Vec<u8> {
    let length = u64::from_le_bytes(*FILE.first_chunk().unwrap()) as usize;
    let header = std::str::from_utf8(&FILE[8..8 + length]).unwrap();
    assert!(header.contains(old), "{header}");
    let header = header.replace(old, new);
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &FILE[8 + length..]].concat()
}

#[test]
fn outputs_have_the_bits_of_numpy() {
    let mut asked = Evaluator::new(Arc::new(Network::parse("file", FILE).unwrap()));
    let inputs: Vec<f32> =
        (1..64).step_by(9).flat_map(|row: u32| (0..11).map(move |place| (row >> place & 1) as f32)).collect();
    let expected = OUTPUTS.map(|row| row.map(|output| output / 1024.0));
    assert_eq!(asked.forward(&inputs), expected.as_flattened());
    for (row, expected) in inputs.chunks(11).zip(expected) {
        assert_eq!(asked.forward(row), expected);
    }
}

#[test]
fn every_defect_is_named() {
    let fault = |old: &str, new: &str| Network::parse("file", &with(old, new)).unwrap_err().to_string();
    let shifts = "expected a number below 16 for each hidden layer";
    let scales = "expected two numbers above 0";
    for (old, new, message) in [
        ("\"version\":\"2\"", "\"version\":\"3\"", "has version=3 in its metadata, expected 1 or 2"),
        ("integers", "mlp", "has architecture=mlp in its metadata, expected integers in version 2"),
        ("products", "relu", "has activation=relu in its metadata, expected products"),
        ("\"1,6\"", "\"1\"", &format!("has shifts=1 in its metadata, {shifts}")),
        ("\"1,6\"", "\"1,16\"", &format!("has shifts=1,16 in its metadata, {shifts}")),
        ("\"1,6\"", "\"1,-1\"", &format!("has shifts=1,-1 in its metadata, {shifts}")),
        ("0.0009765625,", "0,", &format!("has scales=0,0.001953125 in its metadata, {scales}")),
        ("0.0009765625,", "nan,", &format!("has scales=nan,0.001953125 in its metadata, {scales}")),
        ("I16", "F16", "has 'hidden.0.bias' in F16, expected I16"),
        ("hidden.0", "hidden.2", "has a tensor 'hidden.1.bias', which a multilayer perceptron does not have"),
    ] {
        assert_eq!(fault(old, new), message);
    }
    assert!(matches!(Network::parse("file", &FILE[..FILE.len() - 1]), Err(Fault::NoTensors(_))));
}
