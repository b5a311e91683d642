//! A rule of thumb, or one agent's timing, combined with another agent's cards.
//!
//! Games may have an action that binds its player for the rest of a deal (Schwinget's attack).
//! Here a rule or an agent decides when to take it, and another agent chooses among all other actions. Two such players
//! with the same agent for the cards measure the value of their timing. The others' commitments are their own decisions.
//!
//! Known weakness: an agent that searches assumes that the decisions of the other one are its own, too.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{ActionSet as _, Hints, Rng, RuleOfThumb, choice, options};

use crate::agent::lines::Line;
use crate::agent::worlds::Worlds;
use crate::agent::{ActionStats, Agent, Decision};
use crate::search::ucb::ActionRecord;

choice! {
    /// The rule for the binding action.
    pub(crate) enum When {
        /// By the game's [`Hints::rule_of_thumb`].
        Thumb = "thumb",
        /// Never.
        Never = "never",
        /// As soon as possible.
        Always = "always",
        /// With probability `chance` at every decision at which it is legal.
        Random = "random",
        /// By the agent that plays the cards, without a rule.
        Cards = "cards",
        /// By the agent `timing`: whenever it would choose the action.
        Timing = "timing",
    }
}

options! {
    /// The rule of a [`Rule`].
    pub(crate) struct RuleSettings for "rules" {
        /// The rule for the action that binds for the rest of a deal.
        when: When = When::Thumb, ();
        /// With when=random, the probability at each decision.
        chance: f64 = 0.1, 0.0..=1.0, "when=random";
    }
}

/// The player: see the [module](self) documentation.
pub(crate) struct Rule<G: Hints> {
    settings: RuleSettings,
    timing: Box<dyn Agent<G>>,
    cards: Box<dyn Agent<G>>,
    rng: Rng,
}

impl<G: Hints> Rule<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(settings: RuleSettings, timing: Box<dyn Agent<G>>, cards: Box<dyn Agent<G>>, seed: u64) -> Self {
        let mut rule = Self { settings, timing, cards, rng: Rng::stream(seed, "rule", 0) };
        rule.restart(seed);
        rule
    }
}

impl<G: Hints> Agent<G> for Rule<G> {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        // Drops the lines of an earlier decision: the other agent may not be asked now.
        self.cards.lines();
        let rule = game.rule_of_thumb(view).filter(|rule| legal.contains(rule.action));
        let Some(RuleOfThumb { action, takes }) = rule.filter(|_| self.settings.when != When::Cards) else {
            return self.cards.act(game, view, legal);
        };
        let others = legal.without(G::Actions::default().with(action));
        let (share, chosen) = match self.settings.when {
            _ if others.is_empty() => (1.0, None),
            When::Thumb => (f64::from(takes), None),
            When::Never | When::Cards => (0.0, None),
            When::Always => (1.0, None),
            When::Random => (self.settings.chance, None),
            When::Timing => {
                let decision = self.timing.act(game, view, legal);
                let own = decision.policy.iter().find(|&&(other, _)| other == action);
                (own.map_or(0.0, |&(_, share)| share), Some(decision.action == action))
            }
        };
        if share >= 1.0 {
            return Decision::certain(action, legal.iter());
        }
        let mut decision = self.cards.act(game, view, others);
        let rank = decision.policy.partition_point(|&(other, _)| other < action);
        decision.policy.iter_mut().for_each(|(_, probability)| *probability *= 1.0 - share);
        decision.policy.insert(rank, (action, share));
        if let Some(search) = &mut decision.search {
            search.actions.iter_mut().for_each(|stats| stats.probability *= 1.0 - share);
            search.actions.insert(rank, ActionStats { probability: share, ..ActionRecord::new(action).stats(0.0) });
        }
        if chosen.unwrap_or_else(|| share > 0.0 && self.rng.unit() < share) {
            decision.action = action;
        }
        decision
    }

    fn restart(&mut self, seed: u64) {
        self.timing.restart(Rng::stream(seed, "timing of a rule", 0).bits());
        self.cards.restart(Rng::stream(seed, "cards of a rule", 0).bits());
        self.rng = Rng::stream(seed, "rule", 0);
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
        self.timing.interrupt_with(flag.clone());
        self.cards.interrupt_with(flag);
    }
}
