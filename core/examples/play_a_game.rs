//! Plays a random game of Schwinget: `cargo run -p stier-core --example play_a_game`.
//!
//! Before each decision it prints the number of worlds that the player cannot tell apart from the true one.

use std::error::Error;

use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::{
    ActionSet as _, FromRules as _, Game as _, History, Notation as _, Options as _, Rng, Sampler as _, Turn, record,
};

fn main() -> Result<(), Box<dyn Error>> {
    let game = Schwinget::new(Rules::from_text("scoring=schwinger")?)?;
    let mut rng = Rng::stream(7, "example", 0);
    let mut history = History::dealt(&game, &mut rng);
    while let Turn::Seat(seat) = game.turn(history.state()) {
        // A view contains only the knowledge of its seat. A sampler draws states from a view.
        let view = game.view(&history, seat);
        let sampler = game.sampler(&view);
        let world = sampler.sample(&mut rng);
        assert_eq!(game.legal(&world), game.legal(history.state()), "the player knows the legal actions");

        let action = game.legal(history.state()).pick(&mut rng);
        println!("player {seat}: {:8} ({} worlds)", game.action_name(action), sampler.count());
        history.push(&game, action);
        history.settle(&game, &mut rng);
    }
    println!("returns: {:?}\n\n{}", game.returns(history.state()), record::write(&game, &history));
    Ok(())
}
