//! A rule of thumb grafted onto a player.
//!
//! Games may have an action that binds its player for the rest of a deal ([`Hints::commitment`]; Schwinget's attack). Here a rule
//! says when to take it, and another agent chooses among all other actions: what is measured between two such players with one
//! agent is what the rules are worth. The others' commitments are theirs to decide.
//!
//! Known weakness: a searching agent below plans as though it were free to commit itself later, whatever the rule will say.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{ActionSet as _, Hints, Rng, choice, options};

use crate::agent::lines::Line;
use crate::agent::worlds::Worlds;
use crate::agent::{ActionStats, Agent, Decision};
use crate::catalogue::spec::AgentSpec;

choice! {
    /// When to commit oneself.
    pub enum When {
        /// When the game's rule of thumb says so: [`Hints::commits`].
        Thumb = "thumb",
        /// Never.
        Never = "never",
        /// As soon as one may.
        Always = "always",
        /// With `chance` at every decision at which one may.
        Random = "random",
        /// When the agent that plays the cards would: no rule.
        Cards = "cards",
    }
}

options! {
    /// The options of [`Rule`].
    pub struct RuleOptions for "rule" {
        /// When to take the action that binds for the rest of a deal.
        when: When = When::Thumb, ();
        /// With when=random, how probably at each decision.
        chance: f64 = 0.1, 0.0..=1.0;
        /// Who chooses among the other actions.
        cards: Box<AgentSpec> = Box::new("greedy".parse().expect("an agent")), ();
    }
}

/// The player: see the [module](self) documentation.
pub(crate) struct Rule<G: Hints> {
    when: When,
    chance: f64,
    cards: Box<dyn Agent<G>>,
    rng: Rng,
}

impl<G: Hints> Rule<G> {
    /// A player with the streams of `seed`.
    pub(crate) fn new(options: RuleOptions, seed: u64) -> Self {
        let cards = options.cards.build(cards_seed(seed));
        Self { when: options.when, chance: options.chance, cards, rng: rule_rng(seed) }
    }
}

fn cards_seed(seed: u64) -> u64 {
    Rng::stream(seed, "cards of a rule", 0).bits()
}

fn rule_rng(seed: u64) -> Rng {
    Rng::stream(seed, "rule", 0)
}

impl<G: Hints> Agent<G> for Rule<G> {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let commitment = game.commitment().filter(|&action| legal.contains(action));
        let Some(commitment) = commitment.filter(|_| self.when != When::Cards) else {
            return self.cards.act(game, view, legal);
        };
        let others = legal.without(G::Actions::default().with(commitment));
        let share = match self.when {
            _ if others.is_empty() => 1.0,
            When::Thumb => f64::from(u8::from(game.commits(view))),
            When::Never | When::Cards => 0.0,
            When::Always => 1.0,
            When::Random => self.chance,
        };
        if share >= 1.0 {
            return Decision::certain(commitment, legal.iter());
        }
        let mut decision = self.cards.act(game, view, others);
        let rank = decision.policy.partition_point(|&(action, _)| action < commitment);
        decision.policy.iter_mut().for_each(|(_, probability)| *probability *= 1.0 - share);
        decision.policy.insert(rank, (commitment, share));
        if let Some(search) = &mut decision.search {
            search.actions.iter_mut().for_each(|stats| stats.probability *= 1.0 - share);
            let unsearched =
                ActionStats { action: commitment.0, visits: 0, value: 0.0, availability: 0, probability: share };
            search.actions.insert(rank, unsearched);
        }
        if share > 0.0 && self.rng.unit() < share {
            decision.action = commitment;
        }
        decision
    }

    fn restart(&mut self, seed: u64) {
        self.cards.restart(cards_seed(seed));
        self.rng = rule_rng(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.cards.beliefs(game, view)
    }

    fn note_lines(&mut self, depth: usize) {
        self.cards.note_lines(depth);
    }

    fn lines(&mut self) -> Vec<Line> {
        self.cards.lines()
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.cards.interrupt_with(flag);
    }
}
