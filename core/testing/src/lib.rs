//! A conformance suite for every game.
//!
//! [`conformance`] plays random games and checks the promises of the traits at every node. [`sampling`] compares a
//! sampler with the enumeration of all histories. Both panic with the record of the game that broke a promise.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};

use statrs::distribution::{ChiSquared, ContinuousCDF as _};

use stier_core::actions::{Action, ActionSet as _};
use stier_core::encode::{self, Cell, Tensor, Values};
use stier_core::game::{FullGame, Game, Observer, Outcome, Sampler as _, SeatView as _, Turn};
use stier_core::history::History;
use stier_core::key::{Chain, Learned, UNNOTICED};
use stier_core::log::Seen;
use stier_core::notation::Notation;
use stier_core::record;
use stier_core::rng::Rng;
use stier_core::seats::{BySeat, Seat};
use stier_core::symmetry::Symmetry;

/// Plays `games` random games and checks every node of them.
pub fn conformance<G: FullGame>(game: &G, seed: u64, games: u64) {
    rules_round_trip(game);
    names_are_one_to_one(game);
    let cards = game.cards();
    let mut seen = Distinct::default();
    let mut keys = HashMap::new();
    for index in 0..games {
        let mut rng = Rng::stream(seed, "conformance", index);
        let mut history = History::new(game);
        let (mut decisions, mut chances) = (0, 0);
        loop {
            let turn = game.turn(history.state());
            node(game, &history, &cards, &mut rng);
            for seat in Seat::all(game.num_seats()) {
                view(game, &history, seat, &cards, &mut rng, &mut seen);
            }
            let action = match turn {
                Turn::Over => break,
                Turn::Chance => {
                    chances += 1;
                    game.sample_chance(history.state(), &mut rng)
                }
                Turn::Seat(_) => {
                    decisions += 1;
                    game.legal(history.state()).pick(&mut rng)
                }
            };
            assert_ok(game, &history, game.check(history.state(), action).is_ok(), "drawn events are possible");
            history.push(game, action);
        }
        assert_ok(game, &history, decisions <= game.info().max_decisions, "no more decisions than declared");
        assert_ok(game, &history, chances <= game.info().max_chance_events, "no more random events than declared");
        the_end(game, &history);
        record_round_trip(game, &history);
        keys_tell_views_apart(game, &history, &mut keys);
        playouts(game, &history, &mut rng);
        fast_path(game, &history, &mut rng);
        exchange(game, &history, &mut rng);
    }
}

#[track_caller]
fn assert_ok<G: Notation>(game: &G, history: &History<G>, ok: bool, promise: &str) {
    assert!(ok, "broken promise: {promise}\n{}", record::write(game, history));
}

fn rules_round_trip<G: Game>(game: &G) {
    let text = game.rules().to_text();
    assert!(game.rules().matches(&text), "rules text parses back: {text}");
}

fn names_are_one_to_one<G: Notation>(game: &G) {
    assert!(game.num_actions() <= G::Actions::CAPACITY && game.num_actions() <= 256);
    for id in (0..game.num_actions()).map(|id| Action(id as u8)) {
        assert_eq!(game.parse_action(&game.action_name(id)), Ok(id));
        assert!(!game.action_name(id).contains(char::is_whitespace));
    }
    let cards: HashSet<String> = game.cards().into_iter().collect();
    assert_eq!(cards.len(), game.cards().len(), "every kind of card has a name of its own");
    let faces = game.faces();
    assert_eq!(faces.len(), cards.len(), "every kind of card has a face");
    let prints: HashSet<(&str, &str)> = faces.iter().map(|face| (face.rank.as_str(), face.sign.name())).collect();
    assert_eq!(prints.len(), cards.len(), "cards can be told apart without colours");
    for id in (0..game.info().num_outcomes).map(|id| Action(id as u8)) {
        assert_eq!(game.parse_outcome(&game.outcome_name(id)), Ok(id));
        assert!(!game.outcome_name(id).contains(char::is_whitespace));
    }
}

/// Checks a node from no seat's point of view.
fn node<G: FullGame>(game: &G, history: &History<G>, cards: &[String], rng: &mut Rng) {
    let state = history.state();
    let ok = |ok, promise: &str| assert_ok(game, history, ok, promise);
    let turn = game.turn(state);
    let (legal, chance) = (game.legal(state), game.chance(state));
    ok(legal.is_empty() != turn.seat().is_some(), "legal actions if and only if a player is to act");
    ok(chance.is_empty() != (turn == Turn::Chance), "outcomes if and only if chance is to act");
    ok(legal.iter().all(|a| a.index() < game.num_actions()), "action ids are below their number");
    ok(chance.iter().all(|o| o.action.index() < game.info().num_outcomes), "outcome ids are below their number");
    ok(chance.windows(2).all(|pair| pair[0].action < pair[1].action), "outcomes ascend");
    if turn == Turn::Chance {
        let sum: f64 = chance.iter().map(|outcome| outcome.probability).sum();
        ok((sum - 1.0).abs() < 1e-12, "probabilities add up to 1");
        ok(chance.iter().all(|outcome| outcome.probability > 0.0), "outcomes are possible");
    }
    if turn != Turn::Over {
        ok(game.returns(state).iter().all(|&value| value == 0.0), "no returns before the end");
        estimates_are_returns(game, history, &game.evaluate(state));
        if let Some(ending) = game.ending(state) {
            estimates_are_returns(game, history, &ending);
        }
    }
    for id in (0..=u8::MAX).map(Action) {
        let possible = legal.contains(id) || chance.iter().any(|outcome| outcome.action == id);
        ok(game.check(state, id).is_ok() == possible, "check allows what is possible and nothing else");
    }
    for action in game.possible(state) {
        ok(game.parse_event(state, &game.event_name(state, action)) == Ok(action), "names of events read back");
    }
    if turn.seat().is_some() {
        let rollout = game.rollout(state, legal);
        ok(!rollout.is_empty() && rollout.without(legal).is_empty(), "rollouts choose among legal actions");
        let mut next = *state;
        game.step(&mut next, legal.pick(rng), rng);
        ok(game.turn(&next) != Turn::Chance, "a step ends at a decision or at the end");
    }
    ok(!game.text(state, None).is_empty(), "states can be shown");
    let unseen = HashSet::<String>::from_iter(game.unseen(state));
    ok(unseen.iter().all(|card| cards.contains(card)), "unseen cards have their names");
    if game.turn(state) == Turn::Chance && !unseen.is_empty() {
        let dealt = game.possible(state).into_iter().map(|outcome| game.event_name(state, outcome));
        let dealt: HashSet<String> = dealt.filter(|name| cards.contains(name)).collect();
        ok(dealt.is_subset(&unseen), "chance deals unseen cards");
    }
    for perspective in std::iter::once(None).chain(Seat::all(game.num_seats()).map(Some)) {
        scene(game, history, cards, perspective);
    }
}

/// A picture has every card where it belongs: what a seat holds as [`Notation::holdings`] counts it, seen or not.
fn scene<G: FullGame>(game: &G, history: &History<G>, cards: &[String], perspective: Option<Seat>) {
    let state = history.state();
    let ok = |ok, promise: &str| assert_ok(game, history, ok, promise);
    let scene = game.scene(state, perspective);
    let seats: HashSet<Seat> = scene.places.iter().filter_map(|place| place.seat).collect();
    ok(seats.len() == game.num_seats(), "a scene has a place for every seat");
    let named = scene.places.iter().flat_map(|place| place.groups.iter().flat_map(|group| &group.cards).flatten());
    let named = named.chain(scene.places.iter().filter_map(|place| place.suit.as_ref()));
    let named = named.chain(scene.track.iter().filter_map(|space| space.piece.as_ref()));
    ok(named.into_iter().all(|card| cards.contains(card)), "cards in a scene have their names");
    for place in &scene.places {
        let Some(seat) = place.seat else {
            ok(place.groups.iter().all(|group| !group.held), "only seats hold cards");
            continue;
        };
        let (held, counts) = (scene.held(seat).collect::<Vec<_>>(), holdings(game, state, seat, cards.len()));
        ok(held.len() == counts.iter().map(|&count| usize::from(count)).sum::<usize>(), "a scene shows all cards held");
        let seen = |name: &String| held.iter().filter(|card| **card == Some(name)).count();
        let all_seen = held.iter().all(|card| card.is_some());
        ok(all_seen || perspective.is_some_and(|own| own != seat), "everybody sees the own cards");
        if all_seen {
            ok(
                cards.iter().zip(counts).all(|(name, count)| seen(name) == usize::from(count)),
                "a scene shows what is held",
            );
        }
    }
}

/// Checks that estimates lie where returns lie.
fn estimates_are_returns<G: FullGame>(game: &G, history: &History<G>, values: &BySeat<f32>) {
    let (low, high) = game.info().utility_range;
    let ok = |ok, promise: &str| assert_ok(game, history, ok, promise);
    ok(values.len() == game.num_seats(), "an estimate for each seat");
    let near = |value: &f32| (low - 1e-4..=high + 1e-4).contains(&f64::from(*value));
    ok(values.iter().all(near), "estimates lie in the range of returns");
    if let Some(sum) = game.info().utility_sum {
        ok((f64::from(values.iter().sum::<f32>()) - sum).abs() < 1e-3, "estimates add up as returns do");
    }
}

/// Maps between views and their strings and tensors, which must be one to one. Strings and tensors of long games are
/// large: their fingerprints stand for them.
struct Distinct<G: Game> {
    strings: HashMap<u128, G::View>,
    tensors: HashMap<u128, G::View>,
    /// From what a seat sees to what everybody sees.
    public: HashMap<(Seat, u128), u128>,
}

impl<G: Game> Default for Distinct<G> {
    fn default() -> Self {
        Self { strings: HashMap::new(), tensors: HashMap::new(), public: HashMap::new() }
    }
}

/// 128 bits that differ for different values.
fn fingerprint(value: impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, &value).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// Checks what a seat knows, and that it knows no more.
fn view<G: FullGame>(
    game: &G,
    history: &History<G>,
    seat: Seat,
    cards: &[String],
    rng: &mut Rng,
    seen: &mut Distinct<G>,
) {
    let state = history.state();
    let ok = |ok, promise: &str| assert_ok(game, history, ok, promise);
    let view = game.view(history, seat);
    ok(view.seat() == seat, "a view knows its seat");
    let (own, public) = (observation(game, state, seat), observation_by(game, state, Observer::Public));
    let [own_print, public] =
        [&own, &public].map(|values| fingerprint(values.iter().map(|x| x.to_bits()).collect::<Vec<_>>()));
    let same = *seen.public.entry((seat, own_print)).or_insert(public) == public;
    ok(same, "the public observation follows from that of each seat");
    let mut of_view = vec![f32::NAN; own.len()];
    view.observation(game, &mut of_view);
    ok(of_view == own, "a view knows what its seat sees");
    ok(view.past().sight() == game.sight(state, seat), "a view knows the sight of its seat");
    let tensor = information_state(game, &view);
    ok(tensor.iter().all(|value| (0.0..=1.0).contains(value)), "tensors lie between 0 and 1");
    let bits: Vec<u32> = tensor.iter().map(|value| value.to_bits()).collect();
    let same = seen.tensors.entry(fingerprint(bits)).or_insert_with(|| view.clone());
    ok(*same == view, "equal information-state tensors, equal views");
    let same = seen.strings.entry(fingerprint(game.knowledge(&view))).or_insert_with(|| view.clone());
    ok(*same == view, "equal information-state strings, equal views");
    if game.turn(state) == Turn::Seat(seat) {
        let finite = game.legal(state).iter().all(|action| game.appeal(&view, action).is_finite());
        ok(finite, "every legal action has an appeal");
        let advised = game.rule_of_thumb(&view).is_none_or(|rule| rule.action.index() < game.num_actions());
        ok(advised, "a rule of thumb is about an action");
    }
    let policy = logits(game, history, state, seat);

    let sampler = game.sampler(&view);
    let sampled = sampler.sample_history(game, rng);
    replay(game, history, &sampled);
    ok(game.view(&sampled, seat) == view, "a sampled history gives the same view");
    // A view for every action costs more than all the rest: now and then is often enough.
    if game.turn(state).seat().is_some() && rng.below(4) == 0 {
        observations_agree(game, history, &sampled, seat);
        ok(
            seen_at_decisions(game, history, seat) == seen_at_decisions(game, &sampled, seat),
            "a view has all that was seen",
        );
    }
    for other in [*sampled.state(), sampler.sample(rng)] {
        let same = Seen::new(game, &other, seat) == Seen::new(game, state, seat);
        ok(same, "in a sampled state the seat sees the same and is to act if it was");
        let same = game.turn(&other) == game.turn(state) || game.info().hidden_moves;
        ok(same, "in a sampled state the same player is to act");
        ok(game.sight(&other, seat) == game.sight(state, seat), "what a seat sees does not leak");
        if game.turn(state) == Turn::Seat(seat) {
            ok(game.legal(&other) == game.legal(state), "the mover has the same options in a sampled state");
        }
        ok(logits(game, history, &other, seat) == policy, "the policy reads nothing hidden from the mover");
        ok(game.text(&other, Some(seat)) == game.text(state, Some(seat)), "text does not leak");
        ok(game.scene(&other, Some(seat)) == game.scene(state, Some(seat)), "scenes do not leak");
        let held = |state, player| holdings(game, state, player, cards.len());
        ok(held(&other, seat) == held(state, seat), "a seat knows what it holds");
        for player in Seat::all(game.num_seats()) {
            let size = |state| held(state, player).into_iter().map(u32::from).sum::<u32>();
            ok(size(&other) == size(state), "the number of cards in each hand is public");
        }
    }
    if sampler.worlds_fix_views() && rng.below(8) == 0 {
        let twin = sampler.sample_history_of(game, sampled.state(), rng);
        ok(views_at_decisions(game, &twin) == views_at_decisions(game, &sampled), "worlds fix views");
    }
    ok(sampler.count() > 0, "at least one world is possible");
    if sampler.count() <= 64 {
        let worlds: Vec<_> = sampler.worlds().collect();
        ok(worlds.len() as u128 == sampler.count(), "the number of worlds is the count");
        let world = worlds[rng.below(worlds.len() as u32) as usize].state;
        let of_world = sampler.sample_history_of(game, &world, rng);
        ok(*of_world.state() == world, "a history of a world ends in it");
        ok(game.view(&of_world, seat) == view, "a history of a world gives the same view");
        for state in [*state, *sampled.state(), sampler.sample(rng)] {
            let times = worlds.iter().filter(|world| world.state == state && world.weight > 0).count();
            ok(times == 1, "the true state and every sample is among the worlds, once");
        }
    }
}

/// The logit of each legal action in the game's policy if it is the seat's turn. Checks that they are finite.
fn logits<G: FullGame>(game: &G, history: &History<G>, state: &G::State, seat: Seat) -> Vec<f32> {
    if game.turn(state) != Turn::Seat(seat) {
        return Vec::new();
    }
    let ok = |ok, promise: &str| assert_ok(game, history, ok, promise);
    let legal = game.legal(state);
    for action in legal.iter() {
        let mut named = HashSet::new();
        game.features(state, action, &mut |feature, value| {
            ok(
                feature < game.weights().len() && named.insert(feature),
                "features are below their number, each named once",
            );
            ok(value.is_finite(), "features are finite");
        });
    }
    let logits: Vec<f32> = legal.iter().map(|action| game.logit(state, action)).collect();
    ok(logits.iter().all(|logit| logit.is_finite()), "every legal action has a finite logit");
    let mut at_once = Vec::new();
    game.logits(state, legal, &mut |logit| at_once.push(logit));
    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * (1.0 + a.abs());
    ok(
        at_once.len() == logits.len() && logits.iter().zip(&at_once).all(close),
        "all logits at once are the single ones",
    );
    logits
}

/// The holdings of a seat by kind of card, in a poisoned buffer that shows places not written.
fn holdings<G: Notation>(game: &G, state: &G::State, seat: Seat, kinds: usize) -> Vec<u8> {
    let mut counts = vec![u8::MAX; kinds];
    game.holdings(state, seat, &mut counts);
    assert!(!counts.contains(&u8::MAX), "every card is counted");
    counts
}

/// The view of the player to act at every decision.
fn views_at_decisions<G: Game>(game: &G, history: &History<G>) -> Vec<G::View> {
    let movers = history.events().iter().enumerate().filter_map(|(count, event)| Some((count, event.turn.seat()?)));
    movers.map(|(count, mover)| game.view(&history.prefix(game, count), mover)).collect()
}

/// Checks the observations of each action in two worlds that the seat cannot tell apart: equal numbers if and only if
/// equal views.
fn observations_agree<G: FullGame>(game: &G, history: &History<G>, twin: &History<G>, seat: Seat) {
    let mut seen: Vec<(u64, G::View)> = vec![(UNNOTICED, game.view(history, seat))];
    for world in [history, twin] {
        for action in game.legal(world.state()).iter() {
            let observed = game.observed(world.state(), action, seat);
            let plain = observed >= 256 || observed == u64::from(action.0);
            assert_ok(game, world, plain, "observations below 256 are the action");
            let mut next = world.clone();
            next.push(game, action);
            let view = game.view(&next, seat);
            for (other, other_view) in &seen {
                let promise = "observations are equal if and only if the views are";
                assert_ok(game, world, (observed == *other) == (view == *other_view), promise);
            }
            seen.push((observed, view));
        }
    }
}

/// Everything that a seat sees at decisions and now, its own actions among it, without what goes unnoticed.
fn seen_at_decisions<G: Game>(game: &G, history: &History<G>, seat: Seat) -> Vec<(Option<Action>, Seen)> {
    let mut found: Vec<(Option<Action>, Seen)> = Vec::new();
    let mut did = None;
    let mut look = |state: &G::State, did: Option<Action>| {
        let seen = Seen::new(game, state, seat);
        if did.is_some() || found.last().is_none_or(|(_, before)| *before != seen) {
            found.push((did, seen));
        }
    };
    for (state, event) in history.steps(game).filter(|(_, event)| event.turn != Turn::Chance) {
        look(&state, did);
        did = (event.turn == Turn::Seat(seat)).then_some(event.action);
    }
    look(history.state(), did);
    found
}

/// Checks that what a seat saw at each decision and observed of each action stands for its view: equal keys, equal
/// views, but for the order of words. The view knows what is in the key.
fn keys_tell_views_apart<G: FullGame>(game: &G, history: &History<G>, keys: &mut HashMap<u64, G::View>) {
    let mut chains = BySeat::from_fn(game.num_seats(), |seat| Chain::new(u64::from(seat.0)));
    let mut part = History::new(game);
    for (state, event) in history.steps(game) {
        if let Turn::Seat(mover) = event.turn {
            for seat in Seat::all(game.num_seats()) {
                chains[seat].look(game.sight(&state, seat));
            }
            let view = game.view(&part, mover);
            let mut chain = Chain::new(u64::from(mover.0));
            view.past().learned().iter().for_each(|learned| match *learned {
                Learned::Action(observed) => chain.notice(observed),
                Learned::Sight(sight) => chain.look(sight),
            });
            assert_ok(game, history, chain == chains[mover], "a view knows what its seat has learned");
            let same = keys.entry(chain.key()).or_insert_with(|| view.clone());
            let words = |view| {
                let mut words: Vec<String> = game.knowledge(view).split_whitespace().map(str::to_string).collect();
                words.sort_unstable();
                words
            };
            let alike = *same == view || words(same) == words(&view);
            assert_ok(game, history, alike, &format!("equal keys, equal views: {}", game.knowledge(same)));
            for seat in Seat::all(game.num_seats()) {
                let observed = game.observed(&state, event.action, seat);
                let hidden = observed != UNNOTICED || game.info().hidden_moves;
                assert_ok(game, history, hidden, "only games with hidden moves have actions that go unnoticed");
                chains[seat].notice(observed);
            }
        }
        part.push(game, event.action);
    }
}

/// Checks that a sampled history is legal from the first event on and as long as the true one.
fn replay<G: FullGame>(game: &G, truth: &History<G>, sampled: &History<G>) {
    let actors = |history: &History<G>| history.events().iter().map(|event| event.turn).collect::<Vec<_>>();
    let alike = actors(truth) == actors(sampled) || game.info().hidden_moves;
    assert_ok(game, truth, alike, "a sampled history has the same length and actors as the true one");
    let mut state = game.root();
    for event in sampled.events() {
        assert_ok(game, sampled, event.turn == game.turn(&state), "events name the actor");
        assert_ok(game, sampled, game.check(&state, event.action).is_ok(), "sampled events are possible");
        game.apply(&mut state, event.action);
    }
    assert_ok(game, sampled, state == *sampled.state(), "a history's state is what its events lead to");
}

fn the_end<G: FullGame>(game: &G, history: &History<G>) {
    let returns = game.returns(history.state());
    let (low, high) = game.info().utility_range;
    let ok = |ok, promise: &str| assert_ok(game, history, ok, promise);
    ok(returns.len() == game.num_seats(), "a return for each seat");
    ok(returns.iter().all(|value| (low..=high).contains(value)), "returns lie in their range");
    if let Some(sum) = game.info().utility_sum {
        // Every return is exact to the last place, so the sum is off by a few of these at most.
        let last_place = f64::EPSILON * low.abs().max(high.abs());
        ok((returns.iter().sum::<f64>() - sum).abs() <= 4.0 * last_place, "returns add up as declared");
    }
}

/// Checks that the game goes on in the same way if the classes of its [`Symmetry`] exchange their places.
fn exchange<G: FullGame>(game: &G, history: &History<G>, rng: &mut Rng) {
    let Some(symmetry) = game.symmetry() else { return };
    let Symmetry { inputs, actions } = &symmetry;
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    rng.shuffle(&mut order);
    let own = |action: Action| {
        (0..actions.len()).find_map(|class| Some((class, actions[class].iter().position(|&a| a == action)?)))
    };
    let exchanged_action = |action| own(action).map_or(action, |(class, index)| actions[order[class]][index]);
    let observed = |state: &G::State| Seat::all(game.num_seats()).map(|seat| observation(game, state, seat)).collect();
    let exchanged = |state: &G::State| -> Vec<Vec<f32>> {
        let mut found: Vec<Vec<f32>> = observed(state);
        for row in &mut found {
            let before = row.clone();
            for (places, &class) in inputs.iter().zip(&order) {
                places.iter().zip(&inputs[class]).for_each(|(&from, &to)| row[to] = before[from]);
            }
        }
        found
    };
    let ok = |ok, promise: &str| assert_ok(game, history, ok, promise);
    let mut twin = game.root();
    for (before, event) in history.steps(game) {
        let mut after = before;
        game.apply(&mut after, event.action);
        let action = exchanged_action(event.action);
        if event.turn == Turn::Chance {
            let share = |state: &G::State, action: Action| {
                game.chance(state).iter().find(|outcome| outcome.action == action).map(|outcome| outcome.probability)
            };
            let (own, others) = (share(&before, event.action), share(&twin, action));
            let alike = own.zip(others).is_some_and(|(own, others)| (own - others).abs() < 1e-12);
            ok(alike, "an exchange of classes maps random events to each other");
        } else {
            let legal = game.legal(&before).iter();
            let legal = legal.fold(G::Actions::default(), |all, action| all.with(exchanged_action(action)));
            ok(legal == game.legal(&twin), "an exchange of classes maps legal actions to each other");
        }
        game.apply(&mut twin, action);
        ok(observed(&twin) == exchanged(&after), "an exchange of classes maps observations to each other");
    }
    ok(game.returns(&twin) == game.returns(history.state()), "an exchange of classes does not change the returns");
}

fn record_round_trip<G: FullGame>(game: &G, history: &History<G>) {
    for length in [0, history.events().len() / 2, history.events().len()] {
        let part = history.prefix(game, length);
        let text = record::write(game, &part);
        let (name, rules) = record::game(&text).expect("a record reads back");
        assert_ok(game, &part, name == game.name() && game.rules().matches(rules), "a record names its game");
        let read = record::replay(game, &text).expect("a record reads back");
        assert_ok(game, &part, read == part, "a record replays to the same history");
    }
}

/// Checks that the fast path agrees with the slow one bit for bit.
fn fast_path<G: FullGame>(game: &G, history: &History<G>, rng: &mut Rng) {
    let (mut state, mut slow) = (game.root(), game.root());
    let settle_slowly = |slow: &mut G::State, rng: &mut Rng| {
        while game.turn(slow) == Turn::Chance {
            let outcome = game.sample_chance(slow, rng);
            game.apply(slow, outcome);
        }
    };
    game.settle(&mut state, &mut rng.clone());
    settle_slowly(&mut slow, &mut rng.clone());
    assert_ok(game, history, state == slow, "settling equals drawing one event at a time");
    while game.turn(&state) != Turn::Over {
        let action = game.legal(&state).pick(rng);
        let mut twin = rng.clone();
        game.step(&mut state, action, rng);
        game.apply(&mut slow, action);
        settle_slowly(&mut slow, &mut twin);
        assert_ok(game, history, state == slow, "a step equals its parts");
    }
}

/// Checks that playouts from every node equal repeated steps bit for bit.
fn playouts<G: FullGame>(game: &G, history: &History<G>, rng: &mut Rng) {
    for (start, _) in history.steps(game).filter(|(_, event)| event.turn != Turn::Chance) {
        for hints in [false, true] {
            let (mut fast, mut slow, mut twin, mut decisions) = (start, start, rng.clone(), 0);
            while game.turn(&slow) != Turn::Over {
                let legal = game.legal(&slow);
                let action = if hints { game.rollout(&slow, legal) } else { legal }.pick(&mut twin);
                game.step(&mut slow, action, &mut twin);
                decisions += 1;
            }
            let counted = if hints { game.hinted_playout(&mut fast, rng) } else { game.playout(&mut fast, rng) };
            assert_ok(game, history, (fast, counted) == (slow, decisions), "a playout equals its steps");
            assert_ok(game, history, *rng == twin, "a playout draws what its steps draw");
        }
    }
}

/// The observation tensor, in a buffer of its own.
pub fn observation<G: Game>(game: &G, state: &G::State, seat: Seat) -> Vec<f32> {
    observation_by(game, state, Observer::Seat(seat))
}

/// The rows of a field of the observation tensor, along its last axis.
pub fn observed_rows<G: Game>(game: &G, state: &G::State, seat: Seat, name: &str) -> Vec<Vec<f32>> {
    let mut rest = observation(game, state, seat);
    for field in game.observation_layout() {
        let values: Vec<f32> = rest.drain(..field.size()).collect();
        if field.name == name {
            let row = *field.shape.last().expect("a field has a shape");
            return values.chunks(row).map(<[f32]>::to_vec).collect();
        }
    }
    panic!("the observation has no {name}");
}

fn observation_by<G: Game>(game: &G, state: &G::State, observer: Observer) -> Vec<f32> {
    // A poisoned buffer reveals values that are not written.
    let layout = game.observation_layout();
    let mut out = vec![f32::NAN; encode::size(&layout)];
    observe(game, state, observer, &mut out);
    assert!(out.iter().all(|&value| value == 0.0 || value == 1.0), "observations are zeros and ones");
    let mut bytes = vec![u8::MAX; out.len()];
    observe(game, state, observer, &mut bytes);
    assert!(bytes.iter().zip(&out).all(|(&byte, &value)| f32::from(byte) == value), "bytes and floats agree");
    let mut tensor = Tensor::default();
    game.observe(state, observer, &mut tensor);
    assert_eq!(tensor.fields, layout, "the fields are the same in every state and for every observer");
    assert_eq!(tensor.values, out, "a tensor has the values of the observation");
    out
}

fn observe<G: Game, T: Cell>(game: &G, state: &G::State, observer: Observer, out: &mut [T]) {
    let mut pen = Values::new(out);
    game.observe(state, observer, &mut pen);
    pen.finish();
}

/// The information-state tensor, in a buffer of its own.
pub fn information_state<G: Game>(game: &G, view: &G::View) -> Vec<f32> {
    let layout = game.information_state_layout();
    let mut out = vec![f32::NAN; encode::size(&layout)];
    game.information_state(view, &mut out);
    let mut tensor = Tensor::default();
    view.write(game, &mut tensor);
    assert_eq!(tensor.fields, layout, "the fields are the same in every view");
    out
}

/// All states that `seat` cannot tell apart from the true one, with their chance reach probabilities. Tries every
/// history event by event and drops it at the first event after which the seat's view differs. For small games.
pub fn enumerate<G: Game>(game: &G, truth: &History<G>, seat: Seat) -> HashMap<G::State, f64> {
    let mut views: Vec<G::View> =
        (0..=truth.events().len()).map(|count| game.view(&truth.prefix(game, count), seat)).collect();
    views.dedup();
    let mut found = HashMap::new();
    extend(game, &views, seat, &History::new(game), 1.0, &mut found);
    found
}

/// Adds all continuations of a history that leads to the first of the views.
fn extend<G: Game>(
    game: &G,
    views: &[G::View],
    seat: Seat,
    history: &History<G>,
    reach: f64,
    found: &mut HashMap<G::State, f64>,
) {
    if views.len() == 1 {
        *found.entry(*history.state()).or_default() += reach;
    }
    let options: Vec<Outcome> = match game.turn(history.state()) {
        Turn::Chance => game.chance(history.state()),
        _ => game.legal(history.state()).iter().map(|action| Outcome { action, probability: 1.0 }).collect(),
    };
    for Outcome { action, probability } in options {
        let mut next = history.clone();
        next.push(game, action);
        let view = game.view(&next, seat);
        if let Some(place) = views[..views.len().min(2)].iter().position(|other| *other == view) {
            extend(game, &views[place..], seat, &next, reach * probability, found);
        }
    }
}

/// Compares the sampler of `seat`'s view with [`enumerate`]: the worlds and their weights exactly, samples and the last
/// states of sampled histories by chi-square. Returns the number of worlds and the two p-values.
pub fn sampling<G: Notation>(
    game: &G,
    truth: &History<G>,
    seat: Seat,
    samples: usize,
    rng: &mut Rng,
) -> (usize, [f64; 2]) {
    let exact = enumerate(game, truth, seat);
    let total: f64 = exact.values().sum();
    let sampler = game.sampler(&game.view(truth, seat));
    assert_ok(game, truth, sampler.count() == exact.len() as u128, "the number of worlds is that of the enumeration");
    let weights: HashMap<G::State, u64> = sampler.worlds().map(|world| (world.state, world.weight)).collect();
    let weight: u64 = weights.values().sum();
    for (state, reach) in &exact {
        let claimed = weights.get(state).map_or(0.0, |&w| w as f64 / weight as f64);
        assert_ok(game, truth, (claimed - reach / total).abs() < 1e-9, "worlds weigh their chance reach");
    }
    let mut drawn = HashMap::new();
    let mut last = HashMap::new();
    for _ in 0..samples {
        *drawn.entry(sampler.sample(rng)).or_default() += 1;
        *last.entry(*sampler.sample_history(game, rng).state()).or_default() += 1;
    }
    (exact.len(), [chi_square(&drawn, &exact), chi_square(&last, &exact)])
}

/// The p-value of Pearson's chi-square test that `observed` counts follow the distribution proportional to `expected`.
/// It is 0 if an observed cell has expectation 0. Cells with an expectation below five are pooled.
pub fn chi_square<K: Eq + Hash>(observed: &HashMap<K, u64>, expected: &HashMap<K, f64>) -> f64 {
    if observed.keys().any(|key| !expected.contains_key(key)) {
        return 0.0;
    }
    let samples: u64 = observed.values().sum();
    let total: f64 = expected.values().sum();
    let (mut statistic, mut cells) = (0.0, 0_u32);
    let (mut rare_seen, mut rare_expected) = (0.0, 0.0);
    let mut add = |seen: f64, expected: f64| {
        statistic += (seen - expected) * (seen - expected) / expected;
        cells += 1;
    };
    for (key, weight) in expected {
        let expected = weight / total * samples as f64;
        let seen = observed.get(key).copied().unwrap_or(0) as f64;
        if expected < 5.0 {
            rare_seen += seen;
            rare_expected += expected;
        } else {
            add(seen, expected);
        }
    }
    if rare_expected > 0.0 {
        add(rare_seen, rare_expected);
    }
    if cells < 2 {
        return 1.0;
    }
    let distribution = ChiSquared::new(f64::from(cells - 1)).expect("at least one degree of freedom");
    distribution.sf(statistic)
}

/// The p-values of chi-square tests that [`Game::sample_chance`] follows [`Game::chance`], at every chance node of a
/// random game.
pub fn chance_sampling<G: Game>(game: &G, seed: u64, samples: usize) -> Vec<f64> {
    let mut rng = Rng::stream(seed, "chance sampling", 0);
    let mut history = History::new(game);
    let mut p_values = Vec::new();
    loop {
        let action = match game.turn(history.state()) {
            Turn::Over => return p_values,
            Turn::Seat(_) => game.legal(history.state()).pick(&mut rng),
            Turn::Chance => {
                let expected = game.chance(history.state()).iter().map(|o| (o.action, o.probability)).collect();
                let mut observed = HashMap::new();
                for _ in 0..samples {
                    *observed.entry(game.sample_chance(history.state(), &mut rng)).or_default() += 1;
                }
                p_values.push(chi_square(&observed, &expected));
                game.sample_chance(history.state(), &mut rng)
            }
        };
        history.push(game, action);
    }
}
