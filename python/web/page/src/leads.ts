import { SPECIAL } from "./count";
import { h } from "./dom";
import type { Face, Held, PublicNode, Rules } from "./protocol";
import { drawShare } from "./shares";
import { counted, measured, percent } from "./words";

/** A hand in words, by what matters for an attack, such as "1 trump, single cards". */
function kindOf({ cards }: Held, opening: string | null, { faces }: Rules): string {
  const hand: Face[] = cards.flatMap((card) => faces[card] ?? []);
  const turned = faces[opening ?? ""];
  // Referee and counter belong to no suit.
  const suits = hand.map(({ sign }) => sign).filter((sign) => !SPECIAL.has(sign));
  const trump = turned && !SPECIAL.has(turned.sign) ? turned.sign : null;
  const trumps = suits.filter((suit) => suit === trump).length;
  const others = suits.filter((suit) => suit !== trump);
  const longest = Math.max(0, ...others.map((suit) => others.filter((other) => other === suit).length));
  const parts = [
    trump !== null && (trumps === 0 ? "no trump in hand" : counted(trumps, "trump")),
    longest === 1 && "single cards",
    longest === 2 && "a pair in suit",
    longest > 2 && `${longest} cards of a suit`,
    ...hand.map(({ sign }) => SPECIAL.get(sign)),
  ];
  return `${trump === null ? "no trump suit: " : ""}${parts.filter(Boolean).join(", ")}`;
}

interface Lead {
  kind: string;
  reach: number;
  attacks: number;
  worth: number;
}

/** The first leads by kind of hand: sums weighted by the probability of each hand. */
function byKind(openings: PublicNode[], rules: Rules): Lead[] {
  const kinds = new Map<string, Lead>();
  for (const { opening, hands, reach, seat } of openings) {
    for (const held of hands[seat ?? 0] ?? []) {
      const attack = held.actions.find(({ name }) => name === "attack");
      if (!attack) continue;
      const kind = kindOf(held, opening, rules);
      const lead = kinds.get(kind) ?? { kind, reach: 0, attacks: 0, worth: 0 };
      const other = Math.max(...held.actions.filter((action) => action !== attack).map(({ value }) => value ?? 0));
      const weight = reach * held.share;
      kinds.set(kind, {
        kind,
        reach: lead.reach + weight,
        attacks: lead.attacks + weight * attack.probability,
        worth: lead.worth + weight * ((attack.value ?? 0) - other),
      });
    }
  }
  return [...kinds.values()].sort((one, other) => other.attacks / other.reach - one.attacks / one.reach);
}

/** The share of attacks at the first lead, by kind of hand. */
export function drawLeads(openings: PublicNode[], rules: Rules): HTMLElement {
  const leads = byKind(openings, rules);
  const attacks = leads.reduce((sum, lead) => sum + lead.attacks, 0);
  return h(
    "section",
    {},
    h("h3", {}, "When does the equilibrium attack?"),
    h(
      "p",
      {},
      "At the first lead it attacks in ",
      h("strong", {}, percent(attacks)),
      " of all deals. An attack locks the draw pile. It is worth its value minus that of the best other action.",
    ),
    h(
      "div",
      { class: "scroll", tabindex: 0 },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h("tr", {}, ...["Hand", "Deals", "Attacks", "Worth"].map((name) => h("th", { scope: "col" }, name))),
        ),
        h(
          "tbody",
          {},
          ...leads.map(({ kind, reach, attacks, worth }) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, kind),
              h("td", {}, percent(reach)),
              h("td", {}, drawShare(attacks / reach)),
              h("td", {}, measured(worth / reach)),
            ),
          ),
        ),
      ),
    ),
  );
}
