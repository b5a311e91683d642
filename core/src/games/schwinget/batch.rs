//! Random play of many matches to their ends, side by side.
//!
//! The same games as those of `playout`, with randomness of its own: bouts lie in lanes, one array for each thing that a trick
//! changes, and every step of a trick is one loop over the lanes without branches, which the compiler turns into vector
//! instructions. What branches in a single bout is made regular first: a random player attacks with the same probability at
//! every lead, whatever happened, so that the number of tricks with draws is drawn beforehand. Bouts with as many of them lie side
//! by side, first all their tricks with draws, then those without.

use std::hint::select_unpredictable;

use multiversion::multiversion;

use crate::actions::ActionSet as _;
use crate::game::{Game as _, Turn};
use crate::hints::Hints as _;
use crate::rng::Rng;

use super::Schwinget;
use super::cards::NO_TRUMP;
use super::lanes::{Dice, LANES, Lane, isolate};
use super::state::{Neutral, Phase, State};
use super::verdict::Verdicts;

/// One trick, in the units of a record: tricks taken in the low byte, those after the attack in the next.
const TRICK: u32 = 1;
/// One trick that counts towards a flat throw.
const AFTER_ATTACK: u32 = 1 << 8;

/// What is the same in all bouts.
#[derive(Clone, Copy)]
struct Cards {
    /// The cards of each suit.
    suits: [u32; 4],
    /// Where each suit ends, and what to change it by for the next one.
    ends: [u32; 4],
    changes: [u32; 4],
    /// The highest card of each suit, and the others.
    highest: u32,
    lower: u32,
    referee: u32,
    counter: u32,
    /// What may be played whatever is led, beside trumps.
    anytime: u32,
}

impl Cards {
    fn new(game: &Schwinget) -> Self {
        let values = u32::from(game.rules.values);
        let suits: [u32; 4] = std::array::from_fn(|suit| game.deck.suit[suit]);
        let ends = std::array::from_fn(|suit| 1 << (values * (suit as u32 + 1)));
        let changes = std::array::from_fn(|suit| suits[suit] ^ suits.get(suit + 1).copied().unwrap_or(0));
        let highest = (0..u32::from(game.rules.suits)).fold(0, |set, suit| set | 1 << (values * (suit + 1) - 1));
        let suited = suits.iter().fold(0, |set, suit| set | suit);
        Self {
            suits,
            ends,
            changes,
            highest,
            lower: suited & !highest,
            referee: game.deck.referee,
            counter: game.deck.counter,
            anytime: game.deck.follow(NO_TRUMP, 0) & (game.deck.referee | game.deck.counter),
        }
    }

    /// The suit of a card, or nothing.
    #[inline(always)]
    fn suit(&self, card: u32) -> u32 {
        // Suits lie one above the other: each one begun beyond the first takes the place of the one before.
        let mut suit = self.suits[0];
        for next in 0..4 {
            let begun = u32::from(card.cast_signed() >= self.ends[next].cast_signed()).wrapping_neg();
            suit ^= begun & self.changes[next];
        }
        suit
    }
}

/// A choice in a lane: by masks, so that loops over lanes have no branches.
#[inline(always)]
fn chosen_if(condition: bool, yes: u32, no: u32) -> u32 {
    let mask = u32::from(condition).wrapping_neg();
    yes & mask | no & !mask
}

/// Bouts between two tricks, one to a lane.
struct Bouts {
    cards: Cards,
    /// What the player on lead holds, then the other one.
    hands: [Lane; 2],
    /// By seat: what it has played in this bout, what it has taken.
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
    attacker: Lane,
    /// The present trick: all bits where it is played at all, the cards, what may be answered and what wins.
    active: Lane,
    led: Lane,
    legal: Lane,
    winners: Lane,
    drawn: [Lane; 2],
    /// How many can be chosen from, and which is.
    options: Lane,
    chosen: [Lane; 2],
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
            attacker: zero,
            active: zero,
            led: zero,
            legal: zero,
            winners: zero,
            drawn: [zero; 2],
            options: zero,
            chosen: [zero; 2],
        }
    }

    /// Puts a bout into a lane.
    #[inline(always)]
    fn load(&mut self, lane: usize, game: &Schwinget, state: &State, coin: bool) {
        let leader = usize::from(state.leader & 1);
        self.hands[0][lane] = state.hands[leader];
        self.hands[1][lane] = state.hands[leader ^ 1];
        for seat in 0..2 {
            self.played[seat][lane] = state.played[seat];
            self.records[seat][lane] =
                u32::from(state.taken[seat]) * TRICK + u32::from(state.after_attack[seat]) * AFTER_ATTACK;
        }
        self.seat[lane] = u32::from(state.leader).wrapping_neg();
        self.pool[lane] = state.pool;
        self.unseen[lane] = state.pool.count_ones();
        self.trump[lane] = game.deck.suit[usize::from(state.trump)];
        self.free[lane] = self.trump[lane] | self.cards.anytime;
        self.worth[lane] = TRICK + AFTER_ATTACK * u32::from(state.attacked());
        let [waits, counts] = [state.neutral != Neutral::None, state.neutral == Neutral::AfterAttack].map(u32::from);
        self.waiting[lane] = TRICK * waits + AFTER_ATTACK * counts;
        self.coin[lane] = u32::from(coin).wrapping_neg();
        self.verdicts[lane] = 0;
        self.attacker[lane] = u32::from(state.attacker);
    }

    /// All bouts are over: from now on `records` has in its bytes the tricks of seat 0 and of seat 1, then those of them after the
    /// attack, and `chosen` the place of the verdict.
    #[inline(always)]
    fn count(&mut self, len: usize, verdicts: &Verdicts) {
        let Self { records: [own, other], attacker, chosen: [places, _], .. } = self;
        for lane in 0..len.min(LANES) {
            let records = [own[lane], other[lane]];
            let [taken, after] = [records.map(|record| record & 0xff), records.map(|record| record >> 8 & 0xff)];
            own[lane] = taken[0] | taken[1] << 8 | after[0] << 16 | after[1] << 24;
            places[lane] = verdicts.place(attacker[lane], taken, after);
        }
    }

    /// Writes a bout that has been [counted](Self::count) back and scores it.
    #[inline(always)]
    fn finish(&self, lane: usize, game: &Schwinget, state: &mut State) {
        let [first, second, first_after, second_after] = self.records[0][lane].to_le_bytes();
        let seat = (self.seat[lane] & 1) as u8;
        state.hands = [0; 2];
        state.played = [self.played[0][lane], self.played[1][lane]];
        state.pool = self.pool[lane];
        state.taken = [first, second];
        state.after_attack = [first_after, second_after];
        state.attacker = self.attacker[lane] as u8;
        state.leader = seat;
        state.mover = seat;
        state.neutral = Neutral::None;
        game.finish_with(state, game.verdicts.at(self.chosen[0][lane]));
    }

    /// The cards that both players draw in this trick.
    #[inline(always)]
    fn draw(&mut self, len: usize, dice: &mut Dice, most: u32) {
        for lane in 0..len.min(LANES) {
            self.options[lane] = self.unseen[lane].saturating_sub(1);
        }
        let [first, second] = &mut self.chosen;
        dice.below::<true>(&self.unseen, len, first);
        dice.below::<false>(&self.options, len, second);
        match most {
            0..=4 => self.draw_these::<3>(len),
            5..=7 => self.draw_these::<6>(len),
            8..=9 => self.draw_these::<8>(len),
            10..=11 => self.draw_these::<10>(len),
            12..=13 => self.draw_these::<12>(len),
            14..=15 => self.draw_these::<14>(len),
            _ => self.draw_these::<23>(len),
        }
    }

    #[inline(always)]
    fn draw_these<const MOST: u32>(&mut self, len: usize) {
        let Self { active, pool, unseen, drawn: [own, other], chosen: [first, second], .. } = self;
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

    /// A card is led; what may be answered.
    #[inline(always)]
    fn lead<const HINTS: bool, const HAND: u32>(&mut self, len: usize) {
        let Self { cards, active, hands: [lead, follow], trump, free, led, legal, winners, options, chosen, .. } = self;
        let chosen = &chosen[0];
        let cards = *cards;
        for lane in 0..len.min(LANES) {
            let card = isolate::<HAND>(lead[lane] & active[lane], chosen[lane]);
            let hand = follow[lane] & active[lane];
            let suit = cards.suit(card);
            let bound = hand & (suit | free[lane]);
            let may = chosen_if(hand & suit == 0, hand, bound);
            let higher = suit & (card << 1).wrapping_neg();
            let wins = higher | trump[lane] & !suit | chosen_if(card & cards.highest != 0, cards.counter, 0);
            let wins = chosen_if(card & cards.counter != 0, cards.lower, wins);
            let wins = chosen_if(card & cards.referee != 0, !0, wins);
            let may = if HINTS { chosen_if(may & wins != 0, may & wins, may) } else { may };
            led[lane] = card;
            legal[lane] = may;
            winners[lane] = wins;
            options[lane] = may.count_ones();
        }
    }

    /// It is answered, both players draw, and the trick is settled.
    #[inline(always)]
    fn answer<const HAND: u32>(&mut self, len: usize, last: bool) {
        let referee = if last { 0 } else { self.cards.referee };
        let Self {
            active,
            hands,
            played,
            records,
            seat,
            worth,
            waiting,
            coin,
            verdicts,
            led,
            legal,
            winners,
            drawn,
            chosen,
            ..
        } = self;
        let chosen = &chosen[0];
        let ([lead, follow], [played, other_played], [record, other_record]) = (hands, played, records);
        for lane in 0..len.min(LANES) {
            let card = led[lane];
            let reply = isolate::<HAND>(legal[lane], chosen[lane]);
            let neutral = u32::from((card | reply) & referee != 0).wrapping_neg();
            let won = u32::from(reply & winners[lane] != 0).wrapping_neg();
            let gain = (worth[lane] + waiting[lane]) & active[lane] & !neutral;
            let change = (won & !neutral | coin[lane] & neutral) & active[lane];
            let (own, other) = (lead[lane] ^ card | drawn[0][lane], follow[lane] ^ reply | drawn[1][lane]);
            let by_second = (card ^ reply) & seat[lane];
            played[lane] |= card ^ by_second;
            other_played[lane] |= reply ^ by_second;
            let winner = seat[lane] ^ won;
            record[lane] += gain & !winner;
            other_record[lane] += gain & winner;
            waiting[lane] = waiting[lane] & !active[lane] | worth[lane] & neutral;
            verdicts[lane] += neutral & 1;
            seat[lane] ^= change;
            let swap = (own ^ other) & change;
            lead[lane] = own ^ swap;
            follow[lane] = other ^ swap;
        }
    }

    /// One trick of the lanes that are active, from hands of up to `most` cards.
    #[inline(always)]
    fn trick<const HINTS: bool>(&mut self, len: usize, dice: &mut Dice, cards: &Lane, most: u32, last: bool) {
        match most {
            0..=1 => self.trick_of::<HINTS, 0>(len, dice, cards, last),
            2 => self.trick_of::<HINTS, 1>(len, dice, cards, last),
            3 => self.trick_of::<HINTS, 2>(len, dice, cards, last),
            4 => self.trick_of::<HINTS, 3>(len, dice, cards, last),
            5 => self.trick_of::<HINTS, 4>(len, dice, cards, last),
            _ => self.trick_of::<HINTS, 11>(len, dice, cards, last),
        }
    }

    /// The same from hands of up to `HAND` cards and one more.
    #[inline(always)]
    fn trick_of<const HINTS: bool, const HAND: u32>(&mut self, len: usize, dice: &mut Dice, cards: &Lane, last: bool) {
        // A single card needs no dice.
        if HAND > 0 {
            dice.below::<true>(cards, len, &mut self.chosen[0]);
        }
        self.lead::<HINTS, HAND>(len);
        if HAND > 0 {
            dice.below::<false>(&self.options, len, &mut self.chosen[0]);
        }
        self.answer::<HAND>(len, last);
    }
}

/// Room for the tricks with draws of one bout.
const MOST_DRAWS: usize = 16;

/// A bout to be played on from a lead.
#[derive(Clone, Copy, Default)]
struct Job {
    index: u32,
    /// Tricks with draws, and after them.
    draws: u8,
    cards: u8,
    attacks: bool,
}

/// When a random player attacks: as likely as leading each of the cards, at every lead.
struct Attacks {
    /// A power of the cards in hand and one more.
    range: u32,
    /// `without[i]`: how many of the range leave the first `i + 1` leads without an attack.
    without: [u32; MOST_DRAWS],
}

impl Attacks {
    fn new(game: &Schwinget) -> Self {
        let (cards, leads) = (u32::from(game.rules.hand_size), u32::from(game.pile / 2));
        let mut without = [0; MOST_DRAWS];
        for (lead, without) in (1..=leads).zip(&mut without) {
            *without = cards.pow(lead) * (cards + 1).pow(leads - lead);
        }
        Self { range: (cards + 1).pow(leads), without }
    }

    /// How many of `leads` pass before one with an attack.
    #[inline(always)]
    fn leads_without(&self, leads: u8, rng: &mut Rng) -> u8 {
        let drawn = rng.below(self.range);
        let passed = self.without.iter().fold(0, |passed, &without| passed + u32::from(drawn < without));
        leads.min(passed as u8)
    }
}

/// Plays every match to its end, every action uniformly random among the legal ones or, with `HINTS`, among those that
/// [`Hints::rollout`](crate::Hints::rollout) leaves. Returns the number of decisions.
pub(super) fn to_the_end<const HINTS: bool>(game: &Schwinget, states: &mut [State], rng: &mut Rng) -> u64 {
    let mut decisions = 0;
    let mut dice = Dice::new(rng);
    let mut bouts = Bouts::new(Cards::new(game));
    let attacks = Attacks::new(game);
    let (mut jobs, mut sorted) = (Vec::with_capacity(states.len()), Vec::new());
    loop {
        jobs.clear();
        for (index, state) in states.iter_mut().enumerate() {
            if state.phase != Phase::Lead {
                decisions += to_a_lead::<HINTS>(game, state, rng);
                if state.phase == Phase::Over {
                    continue;
                }
            }
            let most = if state.attacked() { 0 } else { state.pile / 2 };
            let draws = if HINTS { most } else { attacks.leads_without(most, rng) };
            let cards = state.hands[0].count_ones() as u8;
            jobs.push(Job { index: index as u32, draws, cards, attacks: draws < most });
        }
        sort(&mut jobs, &mut sorted);
        let mut unfinished = false;
        for block in jobs.chunks(LANES) {
            decisions += play::<HINTS>(game, &mut bouts, block, states, &mut dice, rng);
            unfinished |= game.rules.bouts > 1;
        }
        if !unfinished {
            return decisions;
        }
    }
}

/// Brings those with most draws to the front.
fn sort(jobs: &mut Vec<Job>, sorted: &mut Vec<Job>) {
    if jobs.windows(2).all(|pair| pair[0].draws >= pair[1].draws) {
        return;
    }
    let mut starts = [0_u32; MOST_DRAWS];
    for job in jobs.iter() {
        starts[usize::from(job.draws) % MOST_DRAWS] += 1;
    }
    let mut before = 0;
    for start in starts.iter_mut().rev() {
        before += *start;
        *start = before - *start;
    }
    sorted.clear();
    sorted.resize(jobs.len(), Job::default());
    for &job in jobs.iter() {
        let start = &mut starts[usize::from(job.draws) % MOST_DRAWS];
        sorted[*start as usize] = job;
        *start += 1;
    }
    std::mem::swap(jobs, sorted);
}

/// Plays on, decision by decision, until a player leads or the match is over.
#[inline(never)]
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

/// Plays one bout to a lane: the longest draws first. With 512-bit instructions where the processor has them.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq"))]
fn play<const HINTS: bool>(
    game: &Schwinget,
    bouts: &mut Bouts,
    jobs: &[Job],
    states: &mut [State],
    dice: &mut Dice,
    rng: &mut Rng,
) -> u64 {
    let coins = rng.bits();
    let (mut draws, mut cards) = ([0; LANES], [0; LANES]);
    for (lane, job) in jobs.iter().enumerate() {
        let lane = lane % LANES;
        bouts.load(lane, game, &states[job.index as usize], coins >> lane & 1 == 1);
        draws[lane] = u32::from(job.draws);
        cards[lane] = u32::from(job.cards);
    }
    let most_cards = cards.iter().copied().max().unwrap_or(0);
    let mut unseen = bouts.unseen[..jobs.len()].iter().copied().max().unwrap_or(0);
    for trick in 0..draws[0] {
        let mut playing = 0;
        for (active, &draws) in bouts.active.iter_mut().zip(&draws) {
            *active = u32::from(draws > trick).wrapping_neg();
            playing += *active & 1;
        }
        let len = (playing as usize).next_multiple_of(8);
        bouts.draw(len, dice, unseen);
        bouts.trick::<HINTS>(len, dice, &cards, most_cards, false);
        unseen -= 2;
    }
    bouts.drawn = [[0; LANES]; 2];
    for (lane, job) in jobs.iter().enumerate().filter(|_| !HINTS) {
        let lane = lane % LANES;
        bouts.worth[lane] += AFTER_ATTACK * u32::from(job.attacks);
        bouts.attacker[lane] = select_unpredictable(job.attacks, bouts.seat[lane] & 1, bouts.attacker[lane]);
    }
    let len = jobs.len().next_multiple_of(8);
    for left in (1..=most_cards).rev() {
        for (active, &cards) in bouts.active.iter_mut().zip(&cards) {
            *active = u32::from(cards >= left).wrapping_neg();
        }
        bouts.trick::<HINTS>(len, dice, &[left; LANES], left, left == 1);
    }
    bouts.count(jobs.len(), &game.verdicts);
    let mut decisions = 0;
    for (lane, job) in jobs.iter().enumerate() {
        let (lane, state) = (lane % LANES, &mut states[job.index as usize]);
        state.pile -= 2 * job.draws;
        state.tricks += job.draws + job.cards;
        decisions += 2 * u64::from(job.draws + job.cards) + u64::from(job.attacks) + u64::from(bouts.verdicts[lane]);
        bouts.finish(lane, game, state);
    }
    decisions
}
