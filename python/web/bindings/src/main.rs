//! Writes what JavaScript needs to call a compiled module: `stier-bindings MODULE.wasm FOLDER`.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: stier-bindings MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindings = Bindgen::new();
    bindings.input_path(module).typescript(true).remove_name_section(true).remove_producers_section(true);
    match bindings.web(true).and_then(|bindings| bindings.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
