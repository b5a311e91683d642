//! A deal by the hands that players may hold: to carry beliefs forward, and to solve its last part for all of them.

use crate::actions::Action;
use crate::game::Game;
use crate::seats::Seat;

/// The hands of a game for two, which can be listed.
pub trait Hands<G: Game> {
    /// The present deal up to now, as the seat of the view knows it: the other player has had none of the cards that this
    /// seat has held. `None` while cards are being dealt.
    fn known_play(&self, view: &G::View) -> Option<PublicPlay<G::State>>;

    /// This public state as a seat with this hand sees it.
    fn with_hand(&self, state: &G::State, seat: Seat, hand: u64) -> G::State;

    /// The present state, if the other player than that of the view has this hand.
    fn world(&self, view: &G::View, hand: u64) -> G::State;

    /// The hand of the seat of a view.
    fn held(&self, view: &G::View) -> u64;
}

/// The endings of deals of a game for two, which can be solved for all hands.
pub trait Endings<G: Game>: Hands<G> {
    /// The present deal as everybody knows it, up to its ending: the first trick with no draws any more that begins with at
    /// most so many left, in general and once an action has bound both players for the rest of the deal (Schwinget's
    /// attack). `None` before it.
    fn public_play(&self, view: &G::View, most: [u8; 2]) -> Option<PublicPlay<G::State>>;

    /// The tricks of an ending.
    fn tricks<'a>(&'a self, root: &'a G::State) -> Box<dyn Tricks + 'a>;
}

/// The tricks that are left in an ending, for two players who hold as many cards as there are tricks. In each trick the leader
/// plays a card, then the other player; nobody draws; the winner leads the next one. Sets of cards are bits, of cards 0 to 31.
/// All methods speak of the root of the ending, whatever has been played since.
pub trait Tricks {
    /// The cards that either player may hold, those set aside included.
    fn cards(&self) -> u64;

    /// The number of tricks, at least 1.
    fn count(&self) -> u32;

    /// The player that leads the first trick.
    fn leader(&self) -> Seat;

    /// Two sets of cards: if the hand of the player that replies has one of the first, it must play one of the second.
    fn binding(&self, led: u8) -> [u64; 2];

    /// The replies that win against `led`, legal or not. The neutral card counts as in the last trick.
    fn winners(&self, led: u8) -> u64;

    /// The card, if it is among the [cards](Self::cards), with which nobody wins a trick, unless it is the last one: its player
    /// decides who leads the next one.
    fn neutral(&self) -> Option<u8>;

    /// These decisions, in this order: to lead, and to let the other player lead.
    fn decisions(&self) -> [Action; 2];

    /// The returns of both seats, with the tricks before the ending, given the winners of all tricks in their order. `None`
    /// stands for a neutral trick, which is never the last one.
    fn returns(&self, winners: &[Option<Seat>]) -> [f64; 2];
}

/// The present deal as everybody knows it, up to a public state from which on it is looked at on its own: its *ending*.
///
/// A hand is a set of cards, as bits. Every hand of one player fits those of the other with which it shares no card.
#[derive(Clone, PartialEq, Debug)]
pub struct PublicPlay<S> {
    /// By seat: the cards of which all hands of [`hand_size`](Self::hand_size) may have been dealt to it, equally likely.
    pub cards: [u64; 2],
    /// The number of cards that were dealt to a player.
    pub hand_size: u32,
    /// The actions of both players before the ending.
    pub actions: Vec<PublicAction<S>>,
    /// The public state in which the ending begins. Hands do not count.
    pub root: S,
    /// The public events before the ending, which tell it apart from others.
    pub before: Vec<Action>,
    /// The public events since then.
    pub since: Vec<Action>,
}

/// An action of a player as everybody sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PublicAction<S> {
    /// The player.
    pub seat: Seat,
    /// The public state. Hands do not count.
    pub state: S,
    /// The action.
    pub action: Action,
    /// The cards that leave the hand.
    pub played: u64,
    /// The cards that the player cannot hold, because the action was legal.
    pub lacking: u64,
    /// The cards of which the player then draws one that it does not hold; none if it draws none.
    pub drawn: u64,
}
