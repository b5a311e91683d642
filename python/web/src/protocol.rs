//! Questions and answers in TypeScript.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ts_rs::{Config, TS, TypeVisitor};

use crate::engine;

/// Questions and answers as the page knows them: `page/src/protocol.ts`.
fn protocol() -> String {
    let mut questions = Questions {
        types: Types { config: Config::new().with_large_int("number"), ..Types::default() },
        arguments: String::new(),
        signatures: String::new(),
    };
    engine::describe(&mut questions);
    let Questions { types, arguments, signatures } = questions;
    let declared: Vec<String> = types.declared.into_values().collect();
    format!(
        "// Generated from python/web/src and tested: STIER_UPDATE=1 cargo test -p stier-web protocol writes it anew.\n\n\
        {}\n\
        /** The questions by name: arguments and answer. */\nexport interface Engine {{\n{signatures}}}\n\n\
        /** The names of the arguments of each question. */\n\
        export const ARGUMENTS: Record<keyof Engine, string[]> = {{\n{arguments}}};\n",
        declared.join("\n"),
    )
}

/// The questions, as far as they have been described.
pub(crate) struct Questions {
    types: Types,
    arguments: String,
    signatures: String,
}

impl Questions {
    /// One more question.
    pub(crate) fn add<A: TS + 'static>(&mut self, doc: &[&str], name: &str, arguments: &[(&str, String)]) {
        let answer = self.name_of::<A>();
        let typed: Vec<String> = arguments.iter().map(|(name, of)| format!("{name}: {of}")).collect();
        let names: Vec<String> = arguments.iter().map(|(name, _)| format!("{name:?}")).collect();
        let doc = doc.concat();
        let _ = writeln!(self.signatures, "  /**{doc} */\n  {name}({}): {answer};", typed.join(", "));
        let _ = writeln!(self.arguments, "  {name}: [{}],", names.join(", "));
    }

    /// The name of a type, which is declared with all that it consists of.
    pub(crate) fn name_of<T: TS + 'static>(&mut self) -> String {
        self.types.visit::<T>();
        T::name(&self.types.config)
    }
}

/// The declarations by name.
#[derive(Default)]
struct Types {
    config: Config,
    seen: HashSet<TypeId>,
    declared: BTreeMap<String, String>,
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // Types of the standard library have no file of their own.
        if T::output_path().is_some() {
            let declared = T::decl(&self.config).replace(" \n", "\n").replace('\n', "\n  ");
            let declaration = format!("{}export {declared}\n", T::docs().unwrap_or_default());
            let declaration = declaration.replace("/**\n * ", "/** ").replace("/**\n   * ", "/** ");
            let declaration = declaration.replace("\n */", " */").replace("\n   */", " */").replace("`None`", "null");
            let other = self.declared.insert(T::ident(&self.config), declaration);
            assert!(other.is_none(), "two types are called {}", T::ident(&self.config));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

#[test]
fn the_page_knows_the_questions_and_answers_as_they_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/src/protocol.ts");
    let found = protocol();
    if std::env::var_os("STIER_UPDATE").is_some() {
        fs::write(&path, &found).expect("the file can be written");
    }
    let kept = fs::read_to_string(&path).expect("the kept types");
    for (found, kept) in found.lines().zip(kept.lines()) {
        assert_eq!(found, kept, "STIER_UPDATE=1 writes python/web/page/src/protocol.ts anew");
    }
    assert_eq!(found.len(), kept.len());
}
