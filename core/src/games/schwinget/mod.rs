//! Schwinget: Swiss wrestling as a trick-taking game for two, with a draw pile that a player may lock.
//!
//! The rulebook calls a bout *Gang*, a trick *Stich*, an attack *Angriff* (played with the bull, *Stier*), winning
//! all tricks after an attack a *Plattwurf* (flat throw), the referee *Kampfrichter*, the counter *Brienzer-Konter*.
//! Rules: Daniel Fehr, *Schwinget*. Where the rulebook is silent, [`Rules`] has an option or the code says so.
//!
//! Cards are `G1`..`Y6` (green, red, blue, yellow), `KR` the referee, `BK` the counter. Action ids: suit * number of
//! values + (value - 1), then `KR`, then `BK`, then `attack`, `lead:self`, `lead:opponent`. Chance outcomes are card
//! ids.

mod advice;
mod cards;
mod encode;
mod last_tricks;
mod notation;
mod play;
mod playout;
mod public;
mod rules;
mod sampler;
mod state;
mod verdict;
mod view;
mod ways;

use std::cmp::Ordering;

use crate::actions::{Action, Actions64};
use crate::bits;
use crate::encode::Pen;
use crate::error::RulesError;
use crate::game::endings::{Endings, Hands, PublicPlay, Tricks};
use crate::game::history::History;
use crate::game::key::mix;
use crate::game::public::{NoPublicForm, Place, PublicForm};
use crate::game::{Chance, FromRules, Game, GameInfo, Observer, SeatView as _, Turn, evenly};
use crate::options::DynOptions;
use crate::playout::Playout;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};
use crate::symmetry::Symmetry;
use crate::utility::Utility;

use cards::{Card, Deck, NO_CARD};
use last_tricks::LastTricks;
use public::Publics;
pub use rules::{Rules, Scoring, Specials};
pub use sampler::Sampler;
pub use state::State;
use state::{NOBODY, Neutral, Phase};
use verdict::Verdicts;
pub use view::View;

/// The most hands of the other player for which beliefs are carried forward.
const MAX_HANDS: u64 = 1 << 18;

/// Schwinget under fixed rules.
#[derive(Clone, Debug)]
pub struct Schwinget {
    rules: Rules,
    deck: Deck,
    verdicts: Verdicts,
    pile: u8,
    info: GameInfo,
}

impl Schwinget {
    /// Plays a card. Then the follower must act or the trick is complete; draws, if any, come first.
    #[inline(always)]
    fn play(&self, state: &mut State, card: Card) {
        let mover = usize::from(state.mover);
        debug_assert!(state.hands[mover] >> card & 1 == 1, "the card must be in hand");
        state.hands[mover] ^= 1 << card;
        state.played[mover] |= 1 << card;
        let draws = !state.attacked() && state.pile > 0;
        if state.phase == Phase::Lead {
            state.led = card;
            state.phase = if draws { Phase::LeaderDraws } else { Phase::Follow };
            state.mover ^= u8::from(!draws);
        } else {
            state.reply = card;
            if draws {
                state.phase = Phase::FollowerDraws;
            } else {
                self.finish_trick(state);
            }
        }
    }

    /// Gives the mover a card from the pile.
    #[inline(always)]
    fn draw(&self, state: &mut State, card: Card) {
        debug_assert!(state.pool >> card & 1 == 1, "the card must be in the pool");
        state.pool ^= 1 << card;
        state.hands[usize::from(state.mover)] |= 1 << card;
        state.pile -= 1;
        if state.phase == Phase::LeaderDraws {
            state.phase = Phase::Follow;
            state.mover ^= 1;
        } else {
            self.finish_trick(state);
        }
    }

    /// Ends a trick after both cards and both draws: awards it and determines the next leader.
    #[inline(always)]
    fn finish_trick(&self, state: &mut State) {
        let (led, reply) = (state.led, state.reply);
        let last = state.hands[0] | state.hands[1] == 0;
        state.led = NO_CARD;
        state.reply = NO_CARD;
        state.tricks += 1;
        if (1_u32 << led | 1 << reply) & self.deck.referee != 0 && !last {
            state.neutral = if state.attacked() { Neutral::AfterAttack } else { Neutral::BeforeAttack };
            state.phase = Phase::Decide;
            state.mover = state.leader ^ u8::from(self.deck.referee >> led & 1 == 0);
            return;
        }
        let winner = state.leader ^ u8::from(self.deck.beats(state.trump, led, reply));
        let index = usize::from(winner);
        state.taken[index] += 1 + u8::from(state.neutral != Neutral::None);
        state.after_attack[index] += u8::from(state.attacked()) + u8::from(state.neutral == Neutral::AfterAttack);
        state.neutral = Neutral::None;
        state.leader = winner;
        state.mover = winner;
        state.phase = Phase::Lead;
        if last {
            self.finish_bout(state);
        }
    }

    /// Scores the bout once both hands are empty, then starts the next one or ends the match.
    #[inline(always)]
    fn finish_bout(&self, state: &mut State) {
        let verdict = self.verdicts.of(state);
        state.scores[0] += verdict.scores[0];
        state.scores[1] += verdict.scores[1];
        if state.bout + 1 == self.rules.bouts {
            state.bout += 1;
            state.phase = Phase::Over;
            return;
        }
        // The loser opens the next bout. After a draw it is the player with fewer points or, if equal, the one who
        // did not open this bout.
        let opener = match (verdict.winner, state.scores[0].cmp(&state.scores[1])) {
            (NOBODY, Ordering::Less) => 0,
            (NOBODY, Ordering::Greater) => 1,
            (NOBODY, Ordering::Equal) => state.opener ^ 1,
            (winner, _) => winner ^ 1,
        };
        *state = state.next_bout(self.deck.all, self.pile, opener);
    }

    /// The utility of these scores, in hundredths, to each seat at the end of a match.
    #[inline(always)]
    fn utility_of(&self, scores: [u16; 2]) -> [f64; 2] {
        let [a, b] = scores.map(i32::from);
        match self.rules.utility {
            Utility::Margin => [a - b, b - a].map(|hundredths| f64::from(hundredths) / 100.0),
            Utility::Score => [a, b].map(|hundredths| f64::from(hundredths) / 100.0),
            Utility::Win => [(a - b).signum(), (b - a).signum()].map(f64::from),
        }
    }

    /// The same in single precision, which represents quarter points exactly.
    #[inline(always)]
    fn rounded_utility_of(&self, scores: [u16; 2]) -> [f32; 2] {
        self.utility_of(scores).map(|utility| utility as f32)
    }

    /// Deals a whole bout at once.
    #[inline(never)]
    fn deal(&self, state: &mut State, rng: &mut Rng) {
        while matches!(state.phase, Phase::Deal | Phase::TurnUp) {
            let card = bits::random_bit(state.pool, rng) as Card;
            self.apply(state, Action(card));
        }
    }

    /// The facts that hold in every state.
    fn facts(&self) -> GameInfo {
        let (bouts, hand) = (usize::from(self.rules.bouts), usize::from(self.rules.hand_size));
        let (deck, pile) = (usize::from(self.deck.size), usize::from(self.pile));
        let attack = usize::from(pile > 0);
        let decision = usize::from(self.deck.referee != 0);
        let (low, high) = match self.rules.scoring {
            Scoring::Points => (0.0, 7.0),
            Scoring::Schwinger => (8.5, 10.0),
        };
        GameInfo {
            num_seats: 2,
            num_actions: deck + 3,
            num_outcomes: deck,
            max_decisions: bouts * (2 * hand + pile + attack + decision),
            max_chance_events: bouts * (2 * hand + 1 + pile),
            utility_range: self.rules.utility.range(2, low * bouts as f64, high * bouts as f64),
            utility_sum: self.rules.utility.sum(),
            ..GameInfo::default()
        }
    }
}

impl FromRules for Schwinget {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let pile = rules.pile_size()?;
        let deck = Deck::new(&rules);
        let verdicts = Verdicts::new(&rules);
        let mut game = Self { rules, deck, verdicts, pile, info: GameInfo::default() };
        game.info = game.facts();
        Ok(game)
    }
}

impl Game for Schwinget {
    const COMPILES_SEARCH_TWICE: bool = true;
    const HAS_ENDINGS: bool = true;
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

    #[inline(always)]
    fn num_seats(&self) -> usize {
        2
    }

    fn root(&self) -> State {
        State::new(self.deck.all, self.pile)
    }

    #[inline(always)]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Lead | Phase::Follow | Phase::Decide => Turn::Seat(Seat(state.mover)),
            Phase::Over => Turn::Over,
            Phase::Deal | Phase::TurnUp | Phase::LeaderDraws | Phase::FollowerDraws => Turn::Chance,
        }
    }

    #[inline(always)]
    fn legal(&self, state: &State) -> Actions64 {
        let hand = state.hands[usize::from(state.mover)];
        Actions64(match state.phase {
            Phase::Lead => {
                let may_attack = !state.attacked() && state.pile > 0;
                u64::from(hand) | u64::from(may_attack) << self.deck.size
            }
            Phase::Follow => u64::from(self.deck.replies(state.trump, state.led, hand)),
            Phase::Decide => 0b110 << self.deck.size,
            Phase::Deal | Phase::TurnUp | Phase::LeaderDraws | Phase::FollowerDraws | Phase::Over => 0,
        })
    }

    #[inline(always)]
    fn apply(&self, state: &mut State, action: Action) {
        let card = action.0;
        match state.phase {
            Phase::Lead if card == self.deck.size => state.attacker = state.mover,
            Phase::Lead | Phase::Follow => self.play(state, card),
            Phase::LeaderDraws | Phase::FollowerDraws => self.draw(state, card),
            Phase::Decide => {
                let other = card == self.deck.decisions()[1].0;
                state.leader = state.mover ^ u8::from(other);
                state.mover = state.leader;
                state.phase = Phase::Lead;
            }
            Phase::Deal => {
                debug_assert!(state.pool >> card & 1 == 1, "the card must be in the pool");
                state.pool ^= 1 << card;
                state.hands[usize::from(state.mover)] |= 1 << card;
                state.mover ^= 1;
                if state.hands[1].count_ones() == u32::from(self.rules.hand_size) {
                    state.phase = Phase::TurnUp;
                }
            }
            Phase::TurnUp => {
                state.pool ^= 1 << card;
                state.turned = card;
                state.trump = self.deck.trump_when_turned(card);
                state.mover = state.leader;
                state.phase = Phase::Lead;
            }
            Phase::Over => debug_assert!(false, "the match is over"),
        }
    }

    fn chance(&self, state: &State) -> Chance {
        if self.turn(state) == Turn::Chance { evenly(bits::members(state.pool)) } else { Chance::new() }
    }

    #[inline(always)]
    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        Action(bits::random_bit(state.pool, rng) as Card)
    }

    /// All actions are public.
    #[inline(always)]
    fn observed(&self, _before: &State, action: Action, _observer: Seat) -> u64 {
        u64::from(action.0)
    }

    #[inline]
    fn sight(&self, state: &State, seat: Seat) -> u64 {
        let turned = u64::from(state.turned) | u64::from(state.bout) << 8;
        mix(turned, u64::from(state.hands[seat.index()]))
    }

    fn deal_number(&self, state: &State) -> u32 {
        u32::from(state.bout)
    }

    #[inline(always)]
    fn step(&self, state: &mut State, action: Action, rng: &mut Rng) {
        match state.phase {
            Phase::Lead | Phase::Follow if action.0 < self.deck.size => {
                let mover = usize::from(state.mover);
                let card = 1 << action.0;
                let mut hand = state.hands[mover] ^ card;
                state.played[mover] |= card;
                if !state.attacked() && state.pile > 0 {
                    let drawn = 1 << bits::random_bit(state.pool, rng) as Card;
                    state.pool ^= drawn;
                    hand |= drawn;
                    state.pile -= 1;
                }
                state.hands[mover] = hand;
                if state.phase == Phase::Lead {
                    state.led = action.0;
                    state.phase = Phase::Follow;
                    state.mover ^= 1;
                } else {
                    state.reply = action.0;
                    self.finish_trick(state);
                    if state.phase == Phase::Deal {
                        self.deal(state, rng);
                    }
                }
            }
            _ => self.apply(state, action),
        }
    }

    #[inline]
    fn playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        Playout::<Self, false>::run(self, state, rng)
    }

    #[inline(always)]
    fn settle(&self, state: &mut State, rng: &mut Rng) {
        if matches!(state.phase, Phase::LeaderDraws | Phase::FollowerDraws) {
            let card = bits::random_bit(state.pool, rng) as Card;
            self.draw(state, card);
        }
        if state.phase == Phase::Deal || state.phase == Phase::TurnUp {
            self.deal(state, rng);
        }
    }

    #[inline]
    fn returns(&self, state: &State) -> BySeat<f64> {
        if state.phase != Phase::Over {
            return BySeat::from([0.0; 2]);
        }
        BySeat::from(self.utility_of(state.scores))
    }

    #[inline]
    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        self.write_observation(state, observer, pen);
    }

    fn symmetry(&self) -> Option<Symmetry> {
        self.suits()
    }

    fn hands(&self) -> Option<&dyn Hands<Self>> {
        let hand = u32::from(self.rules.hand_size);
        let count = bits::binomial(u32::from(self.deck.size) - 1 - hand, hand);
        (count <= MAX_HANDS).then_some(self as _)
    }

    fn endings(&self) -> Option<&dyn Endings<Self>> {
        (self.rules.bouts == 1).then_some(self as _)
    }

    fn public_form(&self, _: usize, fold: bool, _: &dyn Fn() -> bool) -> Result<Box<dyn PublicForm>, NoPublicForm> {
        // With two suits little is left to fold, and names that are kept can be looked up faster.
        let fold = fold && self.rules.suits > 2;
        match self.rules.bouts {
            1 => Ok(Box::new(Publics::new(self.clone(), fold))),
            _ => Err(NoPublicForm::Rules("a single bout has: set bouts=1")),
        }
    }

    fn public_place(&self, form: &dyn PublicForm, view: &View) -> Option<Place> {
        if self.rules.bouts == 1 { self.place_of(view, form.is_folded()) } else { None }
    }

    fn public_history(&self, _form: &dyn PublicForm, seat: Seat, place: &Place) -> Option<History<Self>> {
        if self.rules.bouts == 1 { self.history_at(seat, place) } else { None }
    }
}

impl Hands<Self> for Schwinget {
    fn known_play(&self, view: &View) -> Option<PublicPlay<State>> {
        self.play_of(view, None)
    }

    fn with_hand(&self, state: &State, seat: Seat, hand: u64) -> State {
        let mut state = State { hands: [0; 2], ..*state };
        state.hands[seat.index()] = hand as u32;
        state.pool = self.deck.all & !(1 << state.turned | state.played[0] | state.played[1] | hand as u32);
        state
    }

    fn world(&self, view: &View, hand: u64) -> State {
        let mut state = view.seen;
        state.hands[view.seat().index() ^ 1] = hand as u32;
        state.pool ^= hand as u32;
        state
    }

    fn held(&self, view: &View) -> u64 {
        view.seen.hands[view.seat().index()].into()
    }
}

impl Endings<Self> for Schwinget {
    fn public_play(&self, view: &View, most: [u8; 2]) -> Option<PublicPlay<State>> {
        self.play_of(view, Some(most))
    }

    fn tricks<'a>(&'a self, root: &'a State) -> Box<dyn Tricks + 'a> {
        Box::new(LastTricks { game: self, root })
    }
}
