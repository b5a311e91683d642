//! Plain games as public states, found by going through all histories.
//!
//! A hand is everything that a seat knows, with perfect recall. Histories of one public state are those that look alike to
//! a spectator at every step. In a folded form, what is seen is that of [folded](Game::fold) states, so that several things
//! that a seat knows are one hand.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::actions::{Action, ActionSet as _, Actions256};
use crate::game::history::History;
use crate::game::log::{Entry, Log, Seen};
use crate::game::public::{
    Branch, Ending, Gain, HandMove, NoPublicForm, Opening, Place, PublicChoice, PublicDetail, PublicForm, PublicScene,
    PublicState, Score,
};
use crate::game::{Game, Observer, Outcome, Turn, actions_of, observed_values};
use crate::hash::hash_of;
use crate::list::Listing as _;
use crate::plain::{Plain, PlainState};
use crate::seats::Seat;

/// A history of a public state.
#[derive(Clone)]
struct Member {
    state: PlainState,
    seen: [Seen; 2],
    hands: [u16; 2],
    /// The probability of its random events.
    chance: f64,
}

/// A history after one more event.
struct Next {
    member: Member,
    action: Action,
    rank: u8,
    /// The state to look at: the folded one, if it is wanted.
    looks: PlainState,
    /// By seat: the key of what it noticed, and of the same in `looks`; 0 for nothing.
    noticed: [[u64; 2]; 2],
}

/// The returns of both seats, times the probability of chance, and this probability.
type Paid = ([f64; 2], f64);

/// The number of a hand, by its number before and the key of what the seat noticed.
type Arrivals = HashMap<(u16, u64), u16>;

struct Node {
    scene: PublicScene,
    /// By hand of the player to act: its actions.
    legal: Vec<Vec<Action>>,
    /// By branch: the actions or outcomes that look alike to a spectator.
    alike: Vec<Vec<Action>>,
    /// The hands that fit together, with the probability of chance, in the order in which they were met.
    pairs: Vec<([u16; 2], f64)>,
    /// By seat.
    arrivals: [Arrivals; 2],
    /// At the end: by change of the score.
    paid: Vec<Paid>,
}

/// All public states of a plain game. The first is that before the first event.
#[derive(Clone)]
pub(super) struct Publics {
    nodes: Arc<[Node]>,
    is_folded: bool,
}

/// The most events in a game: they are followed by calls within calls.
const MAX_EVENTS: usize = 256;
/// The most pairs of hands in a public state in which the game ends.
const MAX_PAIRS: usize = 1 << 22;

/// The most histories, and the histories and events that may still be met.
struct Left<'a> {
    most: usize,
    fold: bool,
    /// True if a folded state was another one.
    is_folded: bool,
    histories: usize,
    events: usize,
    goes_on: &'a dyn Fn() -> bool,
}

/// The score of a public state, and of one in which the game has ended, by change of the score.
fn score(public: PublicState, ended: Option<Gain>) -> Score {
    Score::from(public) << 32 | ended.map_or(0, |gain| Score::from(gain) + 1)
}

impl Publics {
    /// Goes through all histories of a game, if there are at most so many.
    /// `goes_on` is asked now and then, and may stop it.
    pub(super) fn new(
        game: &Plain,
        max_histories: usize,
        fold: bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Self, NoPublicForm> {
        if game.num_seats() != 2 {
            return Err(NoPublicForm::Seats(game.num_seats()));
        }
        if game.info().hidden_moves {
            return Err(NoPublicForm::HiddenMoves);
        }
        let mut nodes = Vec::new();
        let (most, histories, events) = (max_histories, max_histories, MAX_EVENTS);
        let mut left = Left { most, fold, is_folded: false, histories, events, goes_on };
        add(&mut nodes, game, vec![root(game)], Default::default(), &mut left)?;
        Ok(Self { nodes: nodes.into(), is_folded: left.is_folded })
    }

    /// The place of what a seat knows.
    pub(super) fn place(&self, view: &Log) -> Option<Place> {
        let seat = view.seat();
        let (mut number, mut hand, mut events) = (0, 0, Vec::new());
        let mut entries = view.entries().iter().skip(1).map(Entry::key).peekable();
        loop {
            let node = &self.nodes[number as usize];
            let PublicScene::Choice(choice) = &node.scene else { return None };
            if entries.peek().is_none() && choice.turn == Turn::Seat(seat) {
                let actions = node.legal[usize::from(hand)].clone();
                return Some(Place { opening: 0, events, hand: u64::from(hand), actions });
            }
            let arrive = |noticed: u64| {
                choice.branches.iter().enumerate().find_map(|(event, branch)| {
                    let to = self.nodes[branch.public as usize].arrivals[seat.index()].get(&(hand, noticed))?;
                    Some((event, branch.public, *to))
                })
            };
            let noticed = entries.peek().and_then(|&key| arrive(key));
            let is_noticed = noticed.is_some();
            let (event, next, to) = noticed.or_else(|| arrive(0))?;
            if is_noticed {
                entries.next();
            }
            events.push(Action(event as u8));
            (number, hand) = (next, to);
        }
    }

    fn paid(&self, score: Score) -> Paid {
        self.nodes[(score >> 32) as usize].paid[(score & u64::from(u32::MAX)) as usize - 1]
    }

    /// A history of a place of a seat.
    pub(super) fn history(&self, game: &Plain, seat: Seat, place: &Place) -> Option<History<Plain>> {
        let (mut number, mut path) = (0, Vec::with_capacity(place.events.len()));
        for event in &place.events {
            let PublicScene::Choice(choice) = &self.nodes[number as usize].scene else { return None };
            let branch = choice.branches.get(event.index())?;
            path.push((choice.mover().index(), branch));
            number = branch.public;
        }
        let hand = u16::try_from(place.hand).ok()?;
        let mut pairs = self.nodes[number as usize].pairs.iter().map(|(pair, _)| *pair);
        let mut hands = pairs.find(|pair| pair[seat.index()] == hand)?;
        // From the last event to the first: the hands after it, and the rank of its action.
        let mut goals = Vec::with_capacity(path.len());
        for &(mover, branch) in path.iter().rev() {
            let step = branch.moves[usize::from(hands[mover])];
            goals.push((hands, step.rank));
            hands[mover ^ 1] = branch.kept[usize::from(hands[mover ^ 1])];
            hands[mover] = step.from;
        }
        // An event that nobody has noticed may show only later.
        let mut found = vec![(root(game), Vec::with_capacity(path.len()))];
        for ((_, branch), (hands, rank)) in path.into_iter().zip(goals.into_iter().rev()) {
            let arrivals = &self.nodes[branch.public as usize].arrivals;
            let mut next = Vec::new();
            for (member, events) in &found {
                let actions: Vec<Action> = match game.turn(&member.state) {
                    Turn::Chance => actions_of(&game.chance(&member.state)),
                    _ => vec![game.legal(&member.state).nth(usize::from(rank))],
                };
                for action in actions {
                    let Next { mut member, noticed, .. } = after(game, member, action, 1.0, 0, false);
                    let arrives = |seat: usize| arrivals[seat].get(&(member.hands[seat], noticed[seat][0]));
                    if [arrives(0), arrives(1)] == [Some(&hands[0]), Some(&hands[1])] {
                        member.hands = hands;
                        next.push((member, [&events[..], &[action]].concat()));
                    }
                }
            }
            found = next;
        }
        let (_, events) = found.into_iter().next()?;
        Some(History::of(game, events))
    }
}

/// Adds the public state of these histories and all that follow it.
fn add(
    nodes: &mut Vec<Node>,
    game: &Plain,
    members: Vec<Member>,
    arrivals: [Arrivals; 2],
    left: &mut Left<'_>,
) -> Result<PublicState, NoPublicForm> {
    left.histories = left.histories.checked_sub(members.len()).ok_or(NoPublicForm::TooMany(left.most))?;
    left.events = left.events.checked_sub(1).ok_or(NoPublicForm::TooLong)?;
    if !(left.goes_on)() {
        return Err(NoPublicForm::Stopped);
    }
    let number = nodes.len() as PublicState;
    let turn = game.turn(&members[0].state);
    if members.iter().any(|member| game.turn(&member.state) != turn) {
        return Err(NoPublicForm::HiddenMoves);
    }
    let hands = [0, 1].map(|seat| arrivals[seat].values().max().map_or(1, |&last| usize::from(last) + 1));
    let (scene, paid) = match turn {
        Turn::Over => ended(game, &members, hands)?,
        // Until the public states that follow are known.
        _ => (PublicScene::Leaf { turn, hands }, Vec::new()),
    };
    nodes.push(Node { scene, legal: Vec::new(), alike: Vec::new(), pairs: pairs(&members), arrivals, paid });
    if turn == Turn::Over {
        left.events += 1;
        return Ok(number);
    }
    let mover = turn.seat().unwrap_or(Seat(0));
    let mut legal = vec![Vec::new(); hands[mover.index()]];
    // The histories that follow, by what a spectator sees, in the order in which they are met.
    let mut groups: Vec<(u64, Vec<Next>)> = Vec::new();
    for member in members {
        let certain = |action| Outcome { action, probability: 1.0 };
        let outcomes = match turn {
            Turn::Seat(_) => game.legal(&member.state).iter().map(certain).list(),
            _ => game.chance(&member.state),
        };
        if turn != Turn::Chance {
            let actions = actions_of(&outcomes);
            let known = &mut legal[usize::from(member.hands[mover.index()])];
            if known.is_empty() {
                *known = actions;
            } else if *known != actions {
                return Err(NoPublicForm::OtherActions(mover.0));
            }
        }
        for (rank, &Outcome { action, probability }) in outcomes.iter().enumerate() {
            if probability <= 0.0 {
                continue;
            }
            let rank = if turn == Turn::Chance { 0 } else { rank as u8 };
            let next = after(game, &member, action, probability, rank, left.fold);
            left.is_folded |= next.looks != next.member.state;
            let turn = game.turn(&next.member.state);
            let public = hash_of(&(observed_values(game, &next.looks, Observer::Public), turn));
            match groups.iter_mut().find(|(key, _)| *key == public) {
                Some((_, group)) => group.push(next),
                None => groups.push((public, vec![next])),
            }
        }
    }
    let count = u8::try_from(groups.len()).map_err(|_| NoPublicForm::Branches)?;
    let (mut branches, mut alike) = (Vec::with_capacity(groups.len()), Vec::with_capacity(groups.len()));
    let mut known: [HashSet<(u16, u64)>; 2] = Default::default();
    for (event, (_, group)) in (0..count).zip(groups) {
        let (mut members, mut arrivals, mut hands) =
            (Vec::new(), <[Arrivals; 2]>::default(), <[Arrivals; 2]>::default());
        let mut moves = Vec::new();
        let mut kept = Vec::new();
        let mut actions = Actions256::default();
        for next in &group {
            actions = actions.with(next.action);
        }
        alike.push(actions.iter().list());
        for Next { mut member, rank, noticed, .. } in group {
            for seat in 0..2 {
                let (before, [key, folded], hands) = (member.hands[seat], noticed[seat], &mut hands[seat]);
                let next = u16::try_from(hands.len()).map_err(|_| NoPublicForm::Hands)?;
                let hand = || *hands.entry((before, folded)).or_insert(next);
                let to = *arrivals[seat].entry((before, key)).or_insert_with(hand);
                let is_new = usize::from(to) == if seat == mover.index() { moves.len() } else { kept.len() };
                match (is_new, seat == mover.index()) {
                    (true, true) => moves.push(HandMove { from: before, to, rank }),
                    (true, false) => kept.push(before),
                    _ => {}
                }
                member.hands[seat] = to;
            }
            members.push(member);
        }
        // A player must not have to guess which of several public events it was.
        for (known, arrivals) in known.iter_mut().zip(&arrivals) {
            if arrivals.keys().any(|&arrival| !known.insert(arrival)) {
                return Err(NoPublicForm::HiddenMoves);
            }
        }
        let public = add(nodes, game, members, arrivals, left)?;
        let (event, gain) = (Action(event), Gain::from(event));
        branches.push(Branch { event, public, gain, weight: 1.0, copies: 1, moves, kept });
    }
    let mut widths = Vec::with_capacity(legal.len());
    for legal in &legal {
        widths.push(u8::try_from(legal.len().max(1)).map_err(|_| NoPublicForm::Branches)?);
    }
    left.events += 1;
    let node = &mut nodes[number as usize];
    node.scene = PublicScene::Choice(PublicChoice { turn, hands, widths, twins: Vec::new(), branches });
    node.alike = alike;
    node.legal = if turn == Turn::Chance { Vec::new() } else { legal };
    Ok(number)
}

/// The history without events.
fn root(game: &Plain) -> Member {
    let state = game.root();
    let seen = [0, 1].map(|seat| Seen::new(game, &state, Seat(seat)));
    Member { state, seen, hands: [0; 2], chance: 1.0 }
}

/// The history after an event.
fn after(game: &Plain, member: &Member, action: Action, chance: f64, rank: u8, fold: bool) -> Next {
    let turn = game.turn(&member.state);
    let mut next = Member { chance: member.chance * chance, ..member.clone() };
    game.apply(&mut next.state, action);
    let mut looks = next.state;
    if fold {
        game.fold(&mut looks);
    }
    let noticed = [0, 1].map(|number: u8| {
        let (seat, seen) = (Seat(number), &mut next.seen[usize::from(number)]);
        let own = (turn == Turn::Seat(seat)).then_some(action);
        let Some(mut entry) = Entry::new(game, seen, own, &next.state, seat) else { return [0; 2] };
        let key = entry.key();
        *seen = entry.seen.clone();
        if fold {
            entry.seen.values = observed_values(game, &looks, Observer::Seat(seat));
        }
        [key, entry.key()]
    });
    Next { member: next, action, rank, looks, noticed }
}

/// The pairs of hands of histories, each once, with the probability of chance.
fn pairs(members: &[Member]) -> Vec<([u16; 2], f64)> {
    let (mut pairs, mut numbers) = (Vec::new(), HashMap::new());
    for member in members {
        let number = *numbers.entry(member.hands).or_insert(pairs.len());
        if number == pairs.len() {
            pairs.push((member.hands, 0.0));
        }
        pairs[number].1 += member.chance;
    }
    pairs
}

/// The pairs of hands of histories that have ended, with the returns by change of the score.
fn ended(game: &Plain, members: &[Member], hands: [usize; 2]) -> Result<(PublicScene, Vec<Paid>), NoPublicForm> {
    if hands[0] * hands[1] > MAX_PAIRS {
        return Err(NoPublicForm::Hands);
    }
    let mut sums: Vec<Option<[f64; 3]>> = vec![None; hands[0] * hands[1]];
    for member in members {
        let returns = game.returns(&member.state);
        let pair = usize::from(member.hands[0]) * hands[1] + usize::from(member.hands[1]);
        let sum = sums[pair].get_or_insert([0.0; 3]);
        (0..2).for_each(|seat| sum[seat] += member.chance * returns[Seat(seat as u8)]);
        sum[2] += member.chance;
    }
    let (mut paid, mut numbers) = (Vec::new(), HashMap::new());
    let mut outcomes = Vec::with_capacity(sums.len());
    for sum in sums {
        let Some(sum) = sum else {
            outcomes.push(None);
            continue;
        };
        let next = u16::try_from(paid.len()).map_err(|_| NoPublicForm::Hands)?;
        let number = *numbers.entry(sum.map(f64::to_bits)).or_insert(next);
        if number == next {
            paid.push(([sum[0], sum[1]], sum[2]));
        }
        outcomes.push(Some(number));
    }
    Ok((PublicScene::Ending(Ending { hands, gains: (0..paid.len() as Gain).list(), outcomes }), paid))
}

impl PublicForm for Publics {
    fn openings(&mut self) -> Vec<Opening> {
        vec![Opening { public: 0, score: score(0, None), weight: 1.0, event: None }]
    }

    fn scene(&mut self, public: PublicState) -> PublicScene {
        self.nodes[public as usize].scene.clone()
    }

    fn gain(&self, before: Score, gain: Gain) -> Score {
        let public = (before >> 32) as PublicState;
        match &self.nodes[public as usize].scene {
            PublicScene::Choice(choice) => score(choice.branches[gain as usize].public, None),
            _ => score(public, Some(gain)),
        }
    }

    fn returns(&self, score: Score) -> [f64; 2] {
        self.paid(score).0
    }

    fn weight(&self, score: Score) -> f64 {
        self.paid(score).1
    }

    fn hand(&self, _public: PublicState, _seat: Seat, key: u64) -> Option<usize> {
        usize::try_from(key).ok()
    }

    fn detail(&self, public: PublicState) -> PublicDetail {
        let node = &self.nodes[public as usize];
        PublicDetail { legal: node.legal.clone(), alike: node.alike.clone() }
    }

    fn each_pair(&self, public: PublicState, visit: &mut dyn FnMut([usize; 2], f64)) {
        self.nodes[public as usize].pairs.iter().for_each(|&(hands, weight)| visit(hands.map(usize::from), weight));
    }

    fn is_folded(&self) -> bool {
        self.is_folded
    }

    fn fresh(&self) -> Box<dyn PublicForm> {
        Box::new(self.clone())
    }

    fn key(&self, _public: PublicState, _seat: Seat, hand: usize) -> u64 {
        hand as u64
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
