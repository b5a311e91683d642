//! Games, agents and solvers for web pages, compiled to WebAssembly.
//!
//! A page asks by name and gets JSON: `page/src/protocol.ts` lists the questions and describes arguments and answers.
//! Everything runs on the caller's thread, a worker of the page. The same arguments give the same bits as natively.

mod analysis;
mod catalogue;
pub mod checksum;
#[cfg(test)]
mod checksums;
mod engine;
mod knowledge;
mod position;
mod progress;
#[cfg(test)]
mod protocol;
mod review;
mod solution;
mod story;

use std::cell::RefCell;

use stier_agents::network::NetworkFile;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

pub use engine::{Engine, Problem};

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
}

/// Answers a question: the name of a method, its arguments as a JSON array, and the answer as JSON.
#[wasm_bindgen]
pub fn call(method: &str, arguments: &str) -> Result<String, JsError> {
    ENGINE.with_borrow_mut(|engine| engine.call(method, arguments)).map_err(JsError::from)
}

/// Makes the network in these bytes the own one of a game.
#[wasm_bindgen]
pub fn provide(game: &str, bytes: &[u8]) -> Result<(), JsError> {
    NetworkFile::provide(game, bytes).map_err(JsError::from)
}

/// The solution that is looked at, in a form that [`restore`] reads.
#[wasm_bindgen]
pub fn solution() -> Result<Vec<u8>, JsError> {
    ENGINE.with_borrow(|engine| Ok(engine.solutions.current()?.bytes())).map_err(|error: Problem| JsError::from(error))
}

/// Makes a solution the one that is looked at.
#[wasm_bindgen]
pub fn restore(game: &str, rules: &str, iterations: u32, bytes: &[u8]) -> Result<(), JsError> {
    let restored =
        |engine: &mut Engine| engine.solutions.restore(game, rules, u64::from(iterations), bytes).map(|_| ());
    ENGINE.with_borrow_mut(restored).map_err(JsError::from)
}

/// Calls a function from now on: with "progress" and a few words about how far a calculation is, at most about ten times
/// a second, and with "panic" and its reason before a call ends in a trap.
#[cfg(target_family = "wasm")]
#[wasm_bindgen]
pub fn listen(tell: js_sys::Function) {
    progress::listen(move |kind, text| {
        let _ = tell.call2(&wasm_bindgen::JsValue::NULL, &kind.into(), &text.into());
    });
    progress::tell_panics();
}
