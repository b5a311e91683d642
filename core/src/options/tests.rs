use super::{Allowed, OptionError, OptionType, OptionValue, Options, Switch, number, parts};
use crate::{choice, options};

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
    assert_eq!((&wall as &dyn super::DynOptions).all_of::<u8>(), [&4, &2], "values are found by their type, in order");
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
        files.into_iter().find(|file| *file == text).map(Self).ok_or_else(|| "is not a file".to_string())
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
    assert_eq!(error("file=z,size=1"), "picture: file is not a file");
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
