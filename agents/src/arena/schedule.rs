//! The schedule of a match: tables, neighbours and seats. It depends on the entrants' identities, but not on the
//! order in which they are named.

use stier_core::list::Listing as _;
use stier_core::list::sort_few;
use stier_core::{BySeat, Rng, Seat};

use super::Settings;
use crate::agent::order::sorted;

/// At tables with at most this many seats, a deal is played in every cyclic order of the entrants. At larger tables
/// it is played in one order, drawn for each deal.
const MAX_SEATS_IN_EVERY_ORDER: usize = 4;

/// One game: the entrants by seat, the cards, and the random streams.
#[derive(Clone, Debug)]
pub(super) struct Seating {
    /// The number of the entrant at each seat.
    pub(super) agents: BySeat<usize>,
    /// The number of the deal.
    pub(super) deal: u64,
    /// The seed of the agent's random streams at each seat.
    pub(super) seeds: BySeat<u64>,
}

/// Every game of a match.
pub(super) struct Schedule {
    seats: usize,
    deals: u64,
    seed: u64,
    paired: bool,
    /// By entrant. Entrants with the same identity have the same kind.
    kinds: Vec<usize>,
    /// The seed of each entrant's streams.
    streams: Vec<u64>,
    tables: Vec<Table>,
    /// The number of cyclic orders in which a table plays a deal. Tables with fewer orders repeat theirs, so that all
    /// tables have the same weight.
    orders: u64,
}

struct Table {
    /// Ascending by kind; copies in the order in which they were named.
    entrants: Vec<usize>,
    /// The distinct cyclic orders, as places in `entrants`.
    orders: Vec<Vec<usize>>,
}

impl Schedule {
    /// Schedules the games of entrants with these identities. There must be at least as many entrants as seats.
    pub(super) fn new(seats: usize, identities: &[impl AsRef<str>], settings: &Settings) -> Self {
        let kinds = kinds(identities);
        let tables = tables(seats, &kinds);
        let orders = most_orders(&tables);
        let stream = |entrant: usize| {
            let copy = kinds[..entrant].iter().filter(|&&kind| kind == kinds[entrant]).count();
            Rng::stream(settings.seed, &format!("agent {}", identities[entrant].as_ref()), copy as u64).bits()
        };
        let streams = (0..kinds.len()).map(stream).list();
        let Settings { deals, seed, paired, .. } = *settings;
        Self { seats, deals, seed, paired, kinds, streams, tables, orders }
    }

    /// The largest number of deals for which all games, and the seats of each, can be numbered.
    pub(super) fn most_deals(&self) -> u64 {
        u64::MAX / self.games_per_deal() / self.seats as u64
    }

    /// The number of games.
    pub(super) fn games(&self) -> u64 {
        self.games_per_deal().saturating_mul(self.deals)
    }

    /// The number of games of one deal at all tables.
    pub(super) fn games_per_deal(&self) -> u64 {
        games_per_deal(&self.tables, self.seats)
    }

    /// The seating of game `number`. Games are ordered by table, deal, cyclic order and rotation.
    pub(super) fn seating(&self, number: u64) -> Seating {
        let seats = self.seats as u64;
        let (number, rotation) = (number / seats, (number % seats) as usize);
        let (number, order) = (number / self.orders, number % self.orders);
        let (table, deal) = (&self.tables[(number / self.deals) as usize], number % self.deals);
        let sitting = self.sitting(table, deal);
        let places = &table.orders[order as usize % table.orders.len()];
        let agents = BySeat::from_fn(self.seats, |seat| sitting[places[seat.after(rotation, self.seats).index()]]);
        let round = deal * self.orders + order;
        let seed_of = |seat: Seat| {
            let game = round * seats + seat.index() as u64;
            Rng::stream(self.streams[agents[seat]], "game of an agent", game).bits()
        };
        let deal = if self.paired { deal } else { round * seats + rotation as u64 };
        Seating { deal, seeds: BySeat::from_fn(self.seats, seed_of), agents }
    }

    /// The entrants of a table, in the places to which orders refer. The places of copies are drawn for each deal, so
    /// that copies have the same expectation. Two seats need no draw, because both entrants play on both.
    fn sitting(&self, table: &Table, deal: u64) -> Vec<usize> {
        let mut sitting = table.entrants.clone();
        if self.seats > 2 {
            Rng::stream(self.seed, "places", deal).shuffle(&mut sitting);
        }
        if self.seats <= MAX_SEATS_IN_EVERY_ORDER {
            sort_few(&mut sitting, |&one, &other| self.kinds[one] < self.kinds[other]);
        }
        sitting
    }
}

/// The number of games that [`pit`](super::pit) plays. Entrants are given by their
/// [identities](super::Entrant::identity); a deal takes fewer games if some of them are copies. Returns `u64::MAX` if
/// the games cannot be numbered.
pub fn number_of_games(seats: usize, identities: &[impl AsRef<str>], deals: u64) -> u64 {
    games_per_deal(&tables(seats, &kinds(identities)), seats).saturating_mul(deals)
}

fn games_per_deal(tables: &[Table], seats: usize) -> u64 {
    tables.len() as u64 * most_orders(tables) * seats as u64
}

/// The largest number of orders of any table. It is a multiple of the number of orders of every other table.
fn most_orders(tables: &[Table]) -> u64 {
    tables.iter().map(|table| table.orders.len() as u64).max().unwrap_or(0)
}

/// Numbers the identities, ascending with the text.
fn kinds(identities: &[impl AsRef<str>]) -> Vec<usize> {
    let texts: Vec<&str> = identities.iter().map(AsRef::as_ref).list();
    texts.iter().map(|text| texts.iter().filter(|&other| other < text).count()).list()
}

/// Every set of entrants that fills the seats.
fn tables(seats: usize, kinds: &[usize]) -> Vec<Table> {
    let sorted = sorted(kinds.len(), &mut |one, other| kinds[one].cmp(&kinds[other]));
    let table = |places: Vec<usize>| {
        let entrants: Vec<usize> = places.into_iter().map(|place| sorted[place]).list();
        let sitting: Vec<usize> = entrants.iter().map(|&entrant| kinds[entrant]).list();
        let in_every_order = seats <= MAX_SEATS_IN_EVERY_ORDER;
        let orders = if in_every_order { cyclic_orders(&sitting) } else { vec![(0..seats).list()] };
        Table { entrants, orders }
    };
    combinations(kinds.len(), seats).into_iter().map(table).list()
}

/// The cyclic orders in which places of these kinds can sit, ascending. Orders that differ only by an exchange of
/// copies count once. All orders of the kinds are then equally frequent, even if an order and its rotation both
/// count.
fn cyclic_orders(kinds: &[usize]) -> Vec<Vec<usize>> {
    let copies = |place: usize| kinds.iter().filter(|&&kind| kind == kinds[place]).count();
    // Starting with the rarest kind leaves the fewest orders that are rotations of each other.
    let first = (0..kinds.len()).min_by_key(|&place| copies(place)).expect("tables have seats");
    let mut orders = vec![vec![first]];
    for _ in 1..kinds.len() {
        let longer = |order: Vec<usize>| {
            let free: Vec<usize> = (0..kinds.len()).filter(|place| !order.contains(place)).list();
            // Copies are adjacent in `free`; only the first of them is a new order.
            let next = (0..free.len()).filter(|&i| i == 0 || kinds[free[i]] != kinds[free[i - 1]]);
            next.map(|i| [&order[..], &[free[i]]].concat()).list()
        };
        orders = orders.into_iter().flat_map(longer).list();
    }
    orders
}

/// All sets of `size` numbers below `count`, each ascending, in lexicographic order.
fn combinations(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut chosen: Vec<usize> = (0..size).list();
    loop {
        all.push(chosen.clone());
        let Some(place) = (0..size).rev().find(|&place| chosen[place] < count - size + place) else {
            return all;
        };
        chosen[place] += 1;
        for next in place + 1..size {
            chosen[next] = chosen[next - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use stier_core::Seat;

    use super::{Schedule, combinations, cyclic_orders, number_of_games};
    use crate::arena::Settings;

    #[test]
    fn tables_are_all_combinations() {
        assert_eq!(combinations(2, 2), [[0, 1]]);
        assert_eq!(combinations(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(combinations(5, 3).len(), 10);
    }

    #[test]
    fn one_against_copies_has_one_order() {
        for (kinds, orders) in [
            (&[0, 1][..], 1),
            (&[0, 0], 1),
            (&[0, 1, 2], 2),
            (&[0, 1, 1], 1),
            (&[0, 0, 2], 1),
            (&[0, 0, 0, 0], 1),
            (&[0, 0, 0, 3], 1),
            (&[0, 1, 1, 3], 3),
            (&[0, 0, 2, 2], 3),
            (&[0, 1, 2, 3], 6),
        ] {
            assert_eq!(cyclic_orders(kinds).len(), orders, "{kinds:?}");
        }
        assert_eq!(number_of_games(4, &["a", "b", "b", "b"], 10), 40);
        assert_eq!(number_of_games(4, &["a", "b", "c", "d"], 10), 240);
        assert_eq!(number_of_games(3, &["a", "b", "a", "c"], 10), 4 * 60);
        assert_eq!(number_of_games(5, &["a", "b", "c", "d", "e"], 10), 50);
    }

    /// In each deal every kind has every kind as its left neighbour as often as if all orders of all entrants were
    /// played. Every entrant has every seat equally often.
    #[test]
    fn neighbours_and_seats_are_balanced_in_every_deal() {
        for identities in [
            &["c", "a", "b"][..],
            &["b", "a", "a"],
            &["d", "b", "c", "a"],
            &["a", "b", "a", "b"],
            &["b", "b", "c", "a"],
        ] {
            let seats = identities.len();
            let settings = Settings { deals: 1, ..Settings::default() };
            let schedule = Schedule::new(seats, identities, &settings);
            let mut neighbours: BTreeMap<(&str, &str), usize> = BTreeMap::new();
            let mut places = vec![vec![0; seats]; seats];
            for seating in (0..schedule.games()).map(|number| schedule.seating(number)) {
                for seat in (0..seats).map(|seat| Seat(seat as u8)) {
                    let pair = (seating.agents[seat], seating.agents[seat.after(1, seats)]);
                    *neighbours.entry((identities[pair.0], identities[pair.1])).or_default() += 1;
                    places[pair.0][seat.index()] += 1;
                }
            }
            let games = schedule.games() as usize;
            assert!(places.iter().flatten().all(|&times| times * seats == games), "{identities:?}: {places:?}");
            let count = |kind: &str| identities.iter().filter(|&&other| other == kind).count();
            for (&(one, other), &times) in &neighbours {
                let pairs = count(one) * (count(other) - usize::from(one == other));
                assert_eq!(times * (seats - 1), games * pairs, "{identities:?}: {one} before {other}");
            }
        }
    }

    #[test]
    fn larger_tables_draw_one_order_for_each_deal() {
        let identities = ["a", "b", "c", "d", "e"];
        let settings = Settings { deals: 600, ..Settings::default() };
        let schedule = Schedule::new(5, &identities, &settings);
        let seatings: Vec<_> = (0..schedule.games()).map(|number| schedule.seating(number)).collect();
        let mut orders = BTreeSet::new();
        for deal in seatings.chunks(5) {
            let from_a = |agents: &[usize]| {
                let first = agents.iter().position(|&agent| agent == 0).expect("every agent has a seat");
                [&agents[first..], &agents[..first]].concat()
            };
            let found: BTreeSet<_> = deal.iter().map(|seating| from_a(seating.agents.as_slice())).collect();
            assert_eq!(found.len(), 1, "one cyclic order");
            assert_eq!(deal.iter().map(|seating| seating.agents[Seat(0)]).collect::<BTreeSet<_>>().len(), 5);
            orders.extend(found);
        }
        assert_eq!(orders.len(), 24, "all cyclic orders occur");
    }

    /// Copies trade places between deals. Otherwise one of them would always sit next to the same other agent.
    #[test]
    fn copies_trade_places() {
        let settings = Settings { deals: 400, ..Settings::default() };
        let schedule = Schedule::new(3, &["x", "copy", "copy"], &settings);
        let follows = |number: u64| {
            let agents = schedule.seating(number).agents;
            let seat = agents.iter().position(|&agent| agent == 0).expect("the agent has a seat");
            agents[Seat(seat as u8).after(1, 3)]
        };
        let first = (0..schedule.games()).filter(|&number| follows(number) == 1).count();
        // As in 400 tosses of a coin with three games each, four standard deviations are 40 deals.
        assert!((160..=240).contains(&(first / 3)), "{first}");
    }

    #[test]
    fn streams_are_all_different_and_follow_the_text() {
        let settings = Settings { deals: 5, ..Settings::default() };
        let seeds = |identities: &[&str], paired| {
            let schedule = Schedule::new(3, identities, &Settings { paired, ..settings.clone() });
            let seatings = (0..schedule.games()).map(|number| schedule.seating(number));
            seatings.flat_map(|seating| seating.seeds.as_slice().to_vec()).collect::<Vec<u64>>()
        };
        for paired in [true, false] {
            let found = seeds(&["b", "a", "b"], paired);
            assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
            let cross_table = seeds(&["b", "a", "b", "c"], paired);
            assert_eq!(cross_table.len(), 4 * 5 * 6 * 3);
            assert_eq!(found, seeds(&["a", "b", "b"], paired));
            assert_ne!(found, seeds(&["a", "b", "c"], paired));
        }
    }
}
