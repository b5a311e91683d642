//! Schweins-Galopp: a race of five pigs for two to four players with hidden hands. A player who moves a pig into the
//! lead eats.
//!
//! The rulebook calls a round *manche* and the food *nourriture*. Food taken lies to the player's left until the last
//! card of the round, *at risk*, and to the right once it is safe, *banked*. Rules: Heinz Meister, *Schweins-Galopp*.
//! If the rulebook is silent, [`Rules`] has an option or the code says so.
//!
//! Colours are `a`..`e`. Action ids: 0 to 4 play a card of that colour or place its pig, 5 + s lays food on space s.
//! Chance outcomes are colours.

mod advice;
mod counts;
mod deals;
mod encode;
mod lottery;
mod notation;
mod playout;
mod rules;
mod sampler;
mod state;
mod view;

use crate::actions::{Action, Actions64};
use crate::bits::{self, Cumulated};
use crate::encode::Pen;
use crate::error::RulesError;
use crate::game::key::mix;
use crate::game::{Chance, FromRules, Game, GameInfo, Observer, Outcome, Turn, evenly};
use crate::options::{DynOptions, Switch};
use crate::playout::Playout;
use crate::processor;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};
use crate::symmetry::Symmetry;
use crate::utility::Utility;

use counts::{Colour, Counts, MAX_COLOURS};
use playout::Events;
use rules::KEPT_CLEAR;
pub use rules::{Placement, Rules};
pub use sampler::Sampler;
pub use state::State;
use state::{NOT_PLACED, Phase};
pub use view::View;

/// The first id that lays food; add the space.
const FOOD_IDS: u8 = MAX_COLOURS as u8;

/// Spaces of the longest track.
const MAX_TRACK: u8 = 22;

/// Upper bound on distances, exclusive: a pig starts on space 4 or lower, and each of at most 7 cards moves it at
/// most 5 spaces.
const DISTANCES: usize = 64;

/// Schweins-Galopp under fixed rules.
#[derive(Clone, Debug)]
pub struct SchweinsGalopp {
    rules: Rules,
    /// Spaces on which food may be laid if they are empty, as a set.
    for_food: u32,
    /// All race cards.
    deck: Counts,
    /// `space[distance]`: the space on the track.
    space: [u8; DISTANCES],
    info: GameInfo,
}

/// The spaces with a pig, as a set, counted backwards from the leader in the top bit.
#[derive(Clone, Copy, Debug)]
struct Row {
    spaces: u64,
    track: u8,
}

impl Row {
    /// The number of free spaces between the leader and a pig this many spaces behind. Meaningful only
    /// for pigs at most a lap behind.
    #[inline(always)]
    fn free_before(self, behind: u8) -> u32 {
        let pigs = (self.spaces >> (64 - behind.clamp(1, self.track))).count_ones();
        u32::from(behind) - pigs.min(behind.into())
    }
}

impl SchweinsGalopp {
    /// The row of pigs behind a leader at this distance.
    #[inline(always)]
    fn row(&self, occupied: u32, front: u8) -> Row {
        let track = self.rules.track;
        let twice = u64::from(occupied) | u64::from(occupied) << track;
        Row { spaces: twice << (63 - (self.space(front) + track)), track }
    }

    /// The next seat clockwise.
    #[inline(always)]
    fn left_of(&self, seat: u8) -> u8 {
        if seat + 1 == self.rules.players { 0 } else { seat + 1 }
    }

    /// The space of a pig at this distance.
    #[inline(always)]
    fn space(&self, distance: u8) -> u8 {
        self.space[usize::from(distance) % DISTANCES]
    }

    /// The move of a pig on this space: to the first free space, jumping over occupied ones.
    #[inline(always)]
    fn stride(&self, occupied: u32, space: u8) -> u8 {
        let twice = u64::from(occupied) | u64::from(occupied) << self.rules.track;
        (twice >> (space + 1)).trailing_ones() as u8 + 1
    }

    /// The colours whose pigs would be first after a move: the leader and the pigs directly behind it without a free
    /// space in between. May include colours that are not in the game.
    #[inline(always)]
    fn would_lead(&self, state: &State) -> u64 {
        let twice = u64::from(state.occupied) | u64::from(state.occupied) << self.rules.track;
        let top = self.space(state.front) + self.rules.track;
        let row = (twice << (63 - top)).leading_ones() as u8;
        // A pig that is one or more laps behind does not count, although it is in the row.
        (0..MAX_COLOURS)
            .map(|colour| {
                let distance = u16::from(state.distance[colour]);
                u64::from(distance + u16::from(row) > u16::from(state.front)) << colour
            })
            .sum()
    }

    /// The pigs not on the track yet, as a set of colours.
    #[inline(always)]
    fn unplaced(&self, state: &State) -> u64 {
        (0..usize::from(self.rules.colours))
            .map(|colour| u64::from(state.distance[colour] == NOT_PLACED) << colour)
            .sum()
    }

    /// Places a pig behind those placed before.
    #[inline(always)]
    fn place(&self, state: &mut State, colour: Colour) {
        debug_assert_eq!(state.distance[usize::from(colour)], NOT_PLACED, "the pig must not be on the track yet");
        let space = self.rules.colours - 1 - state.count;
        state.distance[usize::from(colour)] = space;
        state.occupied |= 1 << space;
        state.count += 1;
        if space == 0 {
            state.front = self.rules.colours - 1;
            state.count = 0;
            let food = self.rules.track_food == Switch::On && state.supply > 0;
            state.phase = if food { Phase::Food } else { Phase::Deal };
        }
    }

    /// Lays food on a space.
    fn lay(&self, state: &mut State, space: u8) {
        debug_assert!((self.for_food & !state.track_food) >> space & 1 == 1, "the space must be free for food");
        state.track_food |= 1 << space;
        state.supply -= 1;
        state.count += 1;
        state.mover = self.left_of(state.mover);
        // With an empty supply, players have nothing to lay.
        if state.count == self.rules.players || state.supply == 0 {
            state.phase = Phase::Deal;
            state.count = 0;
            state.mover = state.first;
        }
    }

    /// Deals the mover a card.
    #[inline(always)]
    fn deal(&self, state: &mut State, colour: Colour) {
        state.hands[usize::from(state.mover)] += Counts::one(colour);
        state.count += 1;
        state.mover = self.left_of(state.mover);
        if state.count == self.rules.plays() {
            self.begin_race(state);
        }
    }

    /// Starts the race once all cards are dealt.
    #[inline(always)]
    fn begin_race(&self, state: &mut State) {
        state.phase = Phase::Play;
        state.count = 0;
        state.mover = state.first;
    }

    /// Moves a pig; the mover takes the food earned by it. Returns true if the pig now leads.
    #[inline(always)]
    fn run(&self, state: &mut State, colour: Colour) -> bool {
        let distance = &mut state.distance[usize::from(colour)];
        let from = self.space(*distance);
        *distance += self.stride(state.occupied, from);
        let to = self.space(*distance);
        let leads = *distance > state.front;
        state.front = state.front.max(*distance);
        state.occupied ^= 1 << from | 1 << to;

        let found = (state.track_food >> to & 1) as u8;
        state.track_food &= !(1 << to);
        // Nothing can be taken from an empty supply.
        let taken = u8::from(leads && state.supply > 0);
        state.supply -= taken;
        state.risk[usize::from(state.mover)] += taken + found;
        leads
    }

    /// Plays a card: the pig runs and the mover eats. The last card banks or loses the food at risk.
    #[inline(always)]
    fn play(&self, state: &mut State, colour: Colour) {
        let mover = usize::from(state.mover);
        let card = Counts::one(colour);
        debug_assert!(state.hands[mover].get(usize::from(colour)) > 0, "the card must be in hand");
        state.hands[mover] -= card;
        state.played[mover] += card;

        let leads = self.run(state, colour);
        if state.hands[mover] == Counts::NONE {
            let risk = state.risk[mover];
            if leads {
                state.banked[mover] += risk;
            } else {
                state.supply += risk;
            }
            state.risk[mover] = 0;
        }
        state.mover = self.left_of(state.mover);
        state.count += 1;
        if state.count == self.rules.plays() {
            self.finish_round(state);
        }
    }

    /// Ends a round: food left on the track returns to the supply, then the next round begins or the game ends.
    #[inline(always)]
    fn finish_round(&self, state: &mut State) {
        state.supply += state.track_food.count_ones() as u8;
        state.track_food = 0;
        state.round += 1;
        if state.round == self.rules.rounds {
            state.phase = Phase::Over;
            return;
        }
        let first = self.left_of(state.first);
        *state = State { banked: state.banked, round: state.round, first, mover: first, ..State::new(state.supply) };
    }

    /// The number of race cards not dealt yet, during the deal: one byte per colour.
    #[inline(always)]
    fn pool(&self, state: &State) -> u64 {
        let dealt = state.hands.iter().fold(Counts::NONE, |sum, &hand| sum + hand);
        (self.deck - dealt).bytes()
    }

    /// The number of cards in a seat's hand, found without looking at the hand.
    #[inline]
    fn cards_held(&self, state: &State, seat: u8) -> u8 {
        let players = self.rules.players;
        let dealt = match state.phase {
            Phase::Place | Phase::Food => 0,
            Phase::Play | Phase::Over => self.rules.hand_size,
            Phase::Deal => {
                let place = (seat + players - state.first) % players;
                state.count / players + u8::from(place < state.count % players)
            }
        };
        dealt - state.played[usize::from(seat)].sum()
    }

    /// The facts that hold in every state.
    fn facts(&self) -> GameInfo {
        let rules = &self.rules;
        let (num_seats, rounds) = (usize::from(rules.players), usize::from(rules.rounds));
        let placed = |placement| if rules.placement == placement { rules.colours } else { 0 };
        let (low, high) = rules.utility.range(num_seats, 0.0, f64::from(rules.most_banked()));
        // The others share what there is.
        let shared = -f64::from(rules.food) / f64::from(rules.players - 1);
        GameInfo {
            num_seats,
            num_actions: usize::from(FOOD_IDS + MAX_TRACK),
            num_outcomes: MAX_COLOURS,
            max_decisions: rounds * usize::from(rules.plays() + rules.laid() + placed(Placement::Choice)),
            max_chance_events: rounds * usize::from(rules.plays() + placed(Placement::Random)),
            utility_range: (if rules.utility == Utility::Margin { low.max(shared) } else { low }, high),
            utility_sum: rules.utility.sum(),
            ..GameInfo::default()
        }
    }
}

impl FromRules for SchweinsGalopp {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        rules.check()?;
        let clear = u32::from(rules.colours + KEPT_CLEAR);
        let for_food = if rules.track_food == Switch::On { (1 << rules.track) - (1 << clear) } else { 0 };
        let space = std::array::from_fn(|distance| (distance % usize::from(rules.track)) as u8);
        let colours = 0..usize::from(rules.colours);
        let deck =
            colours.fold(Counts::NONE, |deck, colour| deck + Counts::of(colour, u32::from(rules.cards_per_colour)));
        let mut game = Self { rules, for_food, deck, space, info: GameInfo::default() };
        game.info = game.facts();
        Ok(game)
    }
}

impl Game for SchweinsGalopp {
    type State = State;
    type View = View;
    type Sampler = Sampler;
    type Actions = Actions64;

    fn rules(&self) -> &dyn DynOptions {
        &self.rules
    }

    fn info(&self) -> &GameInfo {
        &self.info
    }

    fn root(&self) -> State {
        State::new(self.rules.food)
    }

    #[inline(always)]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Play | Phase::Food => Turn::Seat(Seat(state.mover)),
            Phase::Place if self.rules.placement == Placement::Choice => Turn::Seat(Seat(state.mover)),
            Phase::Place | Phase::Deal => Turn::Chance,
            Phase::Over => Turn::Over,
        }
    }

    #[inline(always)]
    fn legal(&self, state: &State) -> Actions64 {
        Actions64(match state.phase {
            Phase::Play => state.hands[usize::from(state.mover)].held(),
            Phase::Food => u64::from(self.for_food & !state.track_food) << FOOD_IDS,
            Phase::Place if self.rules.placement == Placement::Choice => self.unplaced(state),
            Phase::Place | Phase::Deal | Phase::Over => 0,
        })
    }

    #[inline(always)]
    fn apply(&self, state: &mut State, action: Action) {
        match state.phase {
            Phase::Play => self.play(state, action.0),
            Phase::Deal => self.deal(state, action.0),
            Phase::Place => self.place(state, action.0),
            Phase::Food => self.lay(state, action.0 - FOOD_IDS),
            Phase::Over => debug_assert!(false, "the game is over"),
        }
    }

    fn chance(&self, state: &State) -> Chance {
        if self.turn(state) != Turn::Chance {
            return Chance::new();
        }
        if state.phase == Phase::Place {
            return evenly(bits::members(self.unplaced(state) as u32));
        }
        let (pool, mut chance) = (self.pool(state), Chance::new());
        let all = f64::from(Cumulated::<u64>::new(pool).total());
        for (colour, ways) in (0..).zip(pool.to_le_bytes()) {
            if ways > 0 {
                chance.push(Outcome { action: Action(colour), probability: f64::from(ways) / all });
            }
        }
        chance
    }

    #[inline]
    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        if state.phase == Phase::Place {
            let unplaced = self.unplaced(state);
            Action(bits::random_bit(unplaced, rng) as u8)
        } else {
            let pool = Cumulated::<u64>::new(self.pool(state));
            Action((pool.place_of(rng.below(pool.total())) / 8) as u8)
        }
    }

    /// All actions are public.
    #[inline(always)]
    fn observed(&self, _before: &State, action: Action, _observer: Seat) -> u64 {
        u64::from(action.0)
    }

    #[inline]
    fn sight(&self, state: &State, seat: Seat) -> u64 {
        let [a, b, c, d, e] = state.distance;
        let track = u64::from_le_bytes([a, b, c, d, e, state.first, state.round, 0]);
        mix(track, state.hands[seat.index()].word())
    }

    fn deal_number(&self, state: &State) -> u32 {
        u32::from(state.round)
    }

    #[inline]
    fn playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        Playout::<Self, false>::run(self, state, rng)
    }

    #[inline]
    fn settle(&self, state: &mut State, rng: &mut Rng) {
        if state.phase > Phase::Food && self.turn(state) == Turn::Chance {
            processor::run(Events { game: self, state, rng });
        }
    }

    #[inline]
    fn returns(&self, state: &State) -> BySeat<f64> {
        let seats = self.num_seats();
        if state.phase != Phase::Over {
            return BySeat::filled(seats, 0.0);
        }
        self.rules.utility.of(&BySeat::from_fn(seats, |seat| f64::from(state.banked[seat.index()])))
    }

    #[inline]
    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        self.write_observation(state, observer, pen);
    }

    fn symmetry(&self) -> Option<Symmetry> {
        self.colours()
    }
}
