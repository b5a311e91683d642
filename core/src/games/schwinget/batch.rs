//! Random play of many matches to their ends, side by side.
//!
//! The same games as those of `playout`, with randomness of its own: bouts lie in lanes, one array for each thing that a trick
//! changes, and every step of a trick is one loop over the lanes without branches, which the compiler turns into vector
//! instructions. What branches in a single bout is made regular first: a random player attacks with the same probability at
//! every lead, whatever happened, so that the number of tricks with draws is drawn beforehand. Bouts with as many of them lie side
//! by side, first all their tricks with draws, then those without.

use crate::actions::ActionSet as _;
use crate::game::{Game as _, Turn};
use crate::hints::Hints as _;
use crate::rng::Rng;

use super::Schwinget;
use super::lanes::{Dice, LANES, Lane, isolate};
use super::state::{NOBODY, Neutral, Phase, State};

/// One trick, in the units of a record: tricks taken in the low byte, those after the attack in the next.
const TRICK: u32 = 1;
/// One trick that counts towards a flat throw.
const AFTER_ATTACK: u32 = 1 << 8;

/// What is the same in all bouts.
#[derive(Clone, Copy)]
struct Cards {
    /// The cards of each suit.
    suits: [u32; 4],
    /// The lowest card of the next suit, or what follows the last.
    ends: [u32; 4],
    /// The highest card of each suit, and the others.
    highest: u32,
    lower: u32,
    referee: u32,
    counter: u32,
}

impl Cards {
    fn new(game: &Schwinget) -> Self {
        let values = u32::from(game.rules.values);
        let suits: [u32; 4] = std::array::from_fn(|suit| game.deck.suit[suit]);
        let ends = std::array::from_fn(|suit| 1 << (values * (suit as u32 + 1)).min(31));
        let highest = (0..u32::from(game.rules.suits)).fold(0, |set, suit| set | 1 << (values * (suit + 1) - 1));
        let suited = suits.iter().fold(0, |set, suit| set | suit);
        Self { suits, ends, highest, lower: suited & !highest, referee: game.deck.referee, counter: game.deck.counter }
    }

    /// The suit of a card, or nothing.
    #[inline(always)]
    fn suit(&self, card: u32) -> u32 {
        let mut suit = self.suits[0];
        for next in 0..4 {
            let beyond = if next < 3 { self.suits[next + 1] } else { 0 };
            suit = if card >= self.ends[next] { beyond } else { suit };
        }
        suit
    }
}

/// Bouts between two tricks, one to a lane.
struct Bouts {
    cards: Cards,
    /// What the player on lead holds, has played in this bout, has taken; the same of the other player.
    hands: [Lane; 2],
    played: [Lane; 2],
    records: [Lane; 2],
    /// The seat on lead: 0, or all bits for seat 1.
    seat: Lane,
    pool: Lane,
    unseen: Lane,
    trump: Lane,
    /// What may be played although the suit led could be followed.
    free: Lane,
    /// What the next trick is worth, and the neutral one that waits.
    worth: Lane,
    waiting: Lane,
    /// Whom the referee's player will have lead: all bits for the other player than led.
    coin: Lane,
    /// How many times it has decided.
    verdicts: Lane,
    /// The present trick: all bits where it is played at all, the cards, what may be answered and what wins.
    active: Lane,
    led: Lane,
    legal: Lane,
    winners: Lane,
    drawn: [Lane; 2],
}

impl Bouts {
    fn new(cards: Cards) -> Self {
        let zero = [0; LANES];
        Self {
            cards,
            hands: [zero; 2],
            played: [zero; 2],
            records: [zero; 2],
            seat: zero,
            pool: zero,
            unseen: zero,
            trump: zero,
            free: zero,
            worth: zero,
            waiting: zero,
            coin: zero,
            verdicts: zero,
            active: zero,
            led: zero,
            legal: zero,
            winners: zero,
            drawn: [zero; 2],
        }
    }

    fn load(&mut self, lane: usize, game: &Schwinget, state: &State, attack: bool, coin: bool) {
        let anytime = game.deck.follow(state.trump, 0) & (game.deck.referee | game.deck.counter);
        for (side, seat) in [state.leader, state.leader ^ 1].map(|seat| usize::from(seat & 1)).into_iter().enumerate() {
            self.hands[side][lane] = state.hands[seat];
            self.played[side][lane] = state.played[seat];
            self.records[side][lane] =
                u32::from(state.taken[seat]) * TRICK + u32::from(state.after_attack[seat]) * AFTER_ATTACK;
        }
        self.seat[lane] = u32::from(state.leader).wrapping_neg();
        self.pool[lane] = state.pool;
        self.unseen[lane] = state.pool.count_ones();
        self.trump[lane] = game.deck.suit[usize::from(state.trump)];
        self.free[lane] = self.trump[lane] | anytime;
        self.worth[lane] = if state.attacked() { TRICK + AFTER_ATTACK } else { TRICK };
        self.waiting[lane] = match state.neutral {
            Neutral::None => 0,
            Neutral::BeforeAttack => TRICK,
            Neutral::AfterAttack => TRICK + AFTER_ATTACK,
        };
        self.coin[lane] = u32::from(coin).wrapping_neg();
        self.verdicts[lane] = 0;
        let _ = attack;
    }

    /// Writes a bout played to its end back.
    fn store(&self, lane: usize, state: &mut State) {
        let leader = (self.seat[lane] & 1) as u8;
        for (side, seat) in [leader, leader ^ 1].map(|seat| usize::from(seat & 1)).into_iter().enumerate() {
            state.hands[seat] = self.hands[side][lane];
            state.played[seat] = self.played[side][lane];
            state.taken[seat] = self.records[side][lane] as u8;
            state.after_attack[seat] = (self.records[side][lane] >> 8) as u8;
        }
        state.pool = self.pool[lane];
        state.leader = leader;
        state.mover = leader;
        state.neutral = Neutral::None;
    }

    /// The cards that both players draw in this trick.
    fn draw(&mut self, len: usize, dice: &mut Dice, most: u32) {
        let mut second = [0; LANES];
        for lane in 0..len {
            second[lane] = self.unseen[lane].saturating_sub(1);
        }
        let first = dice.below(&self.unseen, len);
        let second = dice.below(&second, len);
        match most {
            0..=4 => self.draw_these::<3>(len, &first, &second),
            5..=7 => self.draw_these::<6>(len, &first, &second),
            8..=9 => self.draw_these::<8>(len, &first, &second),
            10..=11 => self.draw_these::<10>(len, &first, &second),
            12..=13 => self.draw_these::<12>(len, &first, &second),
            14..=15 => self.draw_these::<14>(len, &first, &second),
            _ => self.draw_these::<23>(len, &first, &second),
        }
    }

    #[inline(never)]
    fn draw_these<const MOST: u32>(&mut self, len: usize, first: &Lane, second: &Lane) {
        let Self { active, pool, unseen, drawn: [own, other], .. } = self;
        for lane in 0..len.min(LANES) {
            let open = pool[lane] & active[lane];
            let one = isolate::<MOST>(open, first[lane]);
            let two = isolate::<MOST>(open ^ one, second[lane]);
            pool[lane] ^= one | two;
            unseen[lane] = unseen[lane].wrapping_sub(active[lane] & 2);
            own[lane] = one;
            other[lane] = two;
        }
    }

    /// A card is led; what may be answered. `chosen` is its rank in the hand.
    #[inline(never)]
    fn lead<const HINTS: bool, const HAND: u32>(&mut self, len: usize, chosen: &Lane, answers: &mut Lane) {
        let Self { cards, active, hands: [lead, follow], trump, free, led, legal, winners, .. } = self;
        for lane in 0..len.min(LANES) {
            let card = isolate::<HAND>(lead[lane] & active[lane], chosen[lane]);
            let hand = follow[lane] & active[lane];
            let suit = cards.suit(card);
            let bound = hand & (suit | free[lane]);
            let may = if hand & suit == 0 { hand } else { bound };
            let higher = suit & (card << 1).wrapping_neg();
            let countered = if card & cards.highest != 0 { cards.counter } else { 0 };
            let wins = higher | trump[lane] & !suit | countered;
            let wins = if card & cards.counter != 0 { cards.lower } else { wins };
            let wins = if card & cards.referee != 0 { !0 } else { wins };
            let winning = may & wins;
            let may = if HINTS && winning != 0 { winning } else { may };
            led[lane] = card;
            legal[lane] = may;
            winners[lane] = wins;
            answers[lane] = may.count_ones();
        }
    }

    /// It is answered by the card of this rank among the legal ones, both players draw, and the trick is settled.
    #[inline(never)]
    fn answer<const HAND: u32>(&mut self, len: usize, chosen: &Lane, last: bool) {
        let referee = if last { 0 } else { self.cards.referee };
        let Self { active, hands, played, records, seat, worth, waiting, coin, verdicts, led, legal, winners, drawn, .. } =
            self;
        let ([lead, follow], [lead_played, follow_played], [lead_record, follow_record]) = (hands, played, records);
        for lane in 0..len.min(LANES) {
            let card = led[lane];
            let reply = isolate::<HAND>(legal[lane], chosen[lane]);
            let neutral = u32::from((card | reply) & referee != 0).wrapping_neg();
            let won = u32::from(reply & winners[lane] != 0).wrapping_neg();
            let gain = (worth[lane] + waiting[lane]) & active[lane] & !neutral;
            let change = (won & !neutral | coin[lane] & neutral) & active[lane];
            let (own, other) = (lead[lane] ^ card | drawn[0][lane], follow[lane] ^ reply | drawn[1][lane]);
            let (own_played, other_played) = (lead_played[lane] | card, follow_played[lane] | reply);
            let (own_record, other_record) = (lead_record[lane] + (gain & !won), follow_record[lane] + (gain & won));
            waiting[lane] = waiting[lane] & !active[lane] | worth[lane] & neutral;
            verdicts[lane] += neutral & 1;
            seat[lane] ^= change;
            let swap = (own ^ other) & change;
            lead[lane] = own ^ swap;
            follow[lane] = other ^ swap;
            let swap = (own_played ^ other_played) & change;
            lead_played[lane] = own_played ^ swap;
            follow_played[lane] = other_played ^ swap;
            let swap = (own_record ^ other_record) & change;
            lead_record[lane] = own_record ^ swap;
            follow_record[lane] = other_record ^ swap;
        }
    }

    /// One trick of the lanes that are active, from hands of up to `most` cards.
    fn trick<const HINTS: bool>(&mut self, len: usize, dice: &mut Dice, cards: &Lane, most: u32, last: bool) {
        let chosen = dice.below(cards, len);
        let mut answers = [0; LANES];
        if most <= 5 {
            self.lead::<HINTS, 4>(len, &chosen, &mut answers);
            let chosen = dice.below(&answers, len);
            self.answer::<4>(len, &chosen, last);
        } else {
            self.lead::<HINTS, 11>(len, &chosen, &mut answers);
            let chosen = dice.below(&answers, len);
            self.answer::<11>(len, &chosen, last);
        }
    }
}

/// A bout to be played on from a lead.
#[derive(Clone, Copy)]
struct Job {
    index: u32,
    /// Tricks with draws, and after them.
    draws: u8,
    cards: u8,
    attacks: bool,
}

/// Plays every match to its end, every action uniformly random among the legal ones or, with `HINTS`, among those that
/// [`Hints::rollout`](crate::Hints::rollout) leaves. Returns the number of decisions.
pub(super) fn to_the_end<const HINTS: bool>(game: &Schwinget, states: &mut [State], rng: &mut Rng) -> u64 {
    let mut decisions = 0;
    let mut dice = Dice::new(rng);
    let mut bouts = Bouts::new(Cards::new(game));
    let mut jobs = Vec::with_capacity(states.len());
    loop {
        jobs.clear();
        for (index, state) in states.iter_mut().enumerate() {
            decisions += to_a_lead::<HINTS>(game, state, rng);
            if state.phase == Phase::Lead {
                jobs.push(job::<HINTS>(game, state, index as u32, rng));
            }
        }
        if jobs.is_empty() {
            return decisions;
        }
        jobs.sort_unstable_by_key(|job| std::cmp::Reverse((job.draws, job.cards)));
        for block in jobs.chunks(LANES) {
            decisions += play::<HINTS>(game, &mut bouts, block, states, &mut dice, rng);
        }
    }
}

/// Plays on, decision by decision, until a player leads or the match is over.
#[inline(always)]
fn to_a_lead<const HINTS: bool>(game: &Schwinget, state: &mut State, rng: &mut Rng) -> u64 {
    let mut decisions = 0;
    while state.phase != Phase::Lead {
        match game.turn(state) {
            Turn::Over => break,
            Turn::Chance => game.settle(state, rng),
            Turn::Seat(_) => {
                let legal = game.legal(state);
                let options = if HINTS { game.rollout(state, legal) } else { legal };
                game.step(state, options.pick(rng), rng);
                decisions += 1;
            }
        }
    }
    decisions
}

/// How long the bout will be: an attack is as likely as each of the cards at every lead.
#[inline(always)]
fn job<const HINTS: bool>(game: &Schwinget, state: &State, index: u32, rng: &mut Rng) -> Job {
    let cards = state.hands[0].count_ones();
    let most = if state.attacked() { 0 } else { state.pile / 2 };
    let mut draws = most;
    if !HINTS && most > 0 {
        // One number for all leads: below the power of `cards` over that of `cards + 1` there are that many without attack.
        let mut range = (cards + 1).pow(u32::from(most));
        let drawn = rng.below(range);
        draws = 0;
        for _ in 0..most {
            range = range / (cards + 1) * cards;
            draws += u8::from(drawn < range);
        }
    }
    let _ = game;
    Job { index, draws, cards: cards as u8, attacks: draws < most }
}

/// Plays one bout to a lane.
fn play<const HINTS: bool>(
    game: &Schwinget,
    bouts: &mut Bouts,
    jobs: &[Job],
    states: &mut [State],
    dice: &mut Dice,
    rng: &mut Rng,
) -> u64 {
    let coins = rng.bits();
    for (lane, job) in jobs.iter().enumerate() {
        bouts.load(lane, game, &states[job.index as usize], job.attacks, coins >> lane & 1 == 1);
    }
    let round = |lanes: usize| lanes.next_multiple_of(8).min(LANES);
    let mut cards = [0; LANES];
    let (mut most_draws, mut most_cards) = (0, 0);
    for (lane, job) in jobs.iter().enumerate() {
        cards[lane] = u32::from(job.cards);
        most_draws = most_draws.max(job.draws);
        most_cards = most_cards.max(job.cards);
    }
    for left in (1..=most_draws).rev() {
        // Lanes with more draws come first.
        let playing = jobs.iter().take_while(|job| job.draws >= left).count();
        for lane in 0..LANES {
            bouts.active[lane] = u32::from(lane < playing).wrapping_neg();
        }
        let len = round(playing);
        let most = bouts.unseen[..playing].iter().copied().max().unwrap_or(0);
        bouts.draw(len, dice, most);
        bouts.trick::<HINTS>(len, dice, &cards, u32::from(most_cards), false);
    }
    bouts.drawn = [[0; LANES]; 2];
    for (lane, job) in jobs.iter().enumerate() {
        if job.attacks {
            bouts.worth[lane] = TRICK + AFTER_ATTACK;
            states[job.index as usize].attacker = (bouts.seat[lane] & 1) as u8;
        }
    }
    let len = round(jobs.len());
    for left in (1..=most_cards).rev() {
        for lane in 0..LANES {
            let playing = jobs.get(lane).is_some_and(|job| job.cards >= left);
            bouts.active[lane] = u32::from(playing).wrapping_neg();
            cards[lane] = u32::from(left);
        }
        bouts.trick::<HINTS>(len, dice, &cards, u32::from(left), left == 1);
    }
    let mut decisions = 0;
    for (lane, job) in jobs.iter().enumerate() {
        let state = &mut states[job.index as usize];
        bouts.store(lane, state);
        state.pile -= 2 * job.draws;
        state.tricks += job.draws + job.cards;
        decisions += 2 * u64::from(job.draws + job.cards) + u64::from(job.attacks) + u64::from(bouts.verdicts[lane]);
        debug_assert!(!job.attacks || state.attacker != NOBODY);
        game.finish_bout(state);
    }
    decisions
}
