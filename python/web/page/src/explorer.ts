import { actionInWords, drawAction } from "./cards";
import { CopyLink } from "./copy";
import { errorInWords, h } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { drawCards, drawTurned } from "./grid";
import { drawBeliefs } from "./heat";
import { playerName } from "./names";
import type { Beliefs, Face, Held, PublicNode, Rules } from "./protocol";
import { drawMix, rarity } from "./shares";
import { Suits } from "./suits";
import { drawTable } from "./table";
import { measured, percent } from "./words";

/** The hands of a public state that are listed at first. */
const FIRST = 30;

/** The public states of a solution: a tree that unfolds, and beside it the hands and ranges of the one that is chosen. */
export class Explorer {
  readonly #engine: EngineClient;
  readonly #rules: Rules;
  readonly #signal: AbortSignal;
  /** Hears which public state is shown, and with which hand. */
  readonly #onMove: (path: number[], hand: number | null) => void;
  readonly #tree = h("div", { class: "tree" });
  readonly #share = new CopyLink();
  readonly #state = h("div", { class: "state", "aria-live": "polite" });
  readonly #chosen = h(
    "div",
    { class: "chosen", tabindex: -1 },
    this.#state,
    h("p", { class: "actions" }, this.#share.element),
  );
  readonly element: HTMLElement;
  #current: HTMLElement | null = null;
  /** The branches that the page itself unfolds on the way to a public state. */
  readonly #unfolded = new Set<HTMLElement>();
  #asked = 0;

  constructor(
    engine: EngineClient,
    rules: Rules,
    openings: PublicNode[],
    signal: AbortSignal,
    onMove: (path: number[], hand: number | null) => void,
  ) {
    this.#engine = engine;
    this.#rules = rules;
    this.#signal = signal;
    this.#onMove = onMove;
    const suits = new Suits(openings, rules.faces);
    this.#tree.append(
      ...openings.map((node) => this.#branch(node.path, openingInWords(node, rules.faces, suits), node.reach)),
    );
    this.element = h(
      "section",
      { class: "explorer" },
      h("h3", {}, "The game, event by event"),
      h(
        "p",
        { class: "muted" },
        "Open an event to see what may follow, and which hands each player is likely to hold, as seen by a spectator ",
        "who knows the equilibrium.",
      ),
      h("div", { class: "columns" }, this.#tree, this.#chosen),
    );
  }

  /** Unfolds the tree to a public state, shows it with a hand, and moves the focus there. */
  async open(path: number[], hand: number | null = null): Promise<void> {
    // An error if there is none.
    const whole = (await this.#engine.ask(this.#signal, "node", path)).path;
    let list: Element = this.#tree;
    let last: HTMLDetailsElement | null = null;
    for (let length = 1; length <= whole.length; length++) {
      const key = whole.slice(0, length).join(".");
      const found: HTMLDetailsElement | undefined = [
        ...list.querySelectorAll<HTMLDetailsElement>(":scope > details"),
      ].find((details) => details.dataset["path"] === key);
      // The tree leaves out public states in which chance deals in secret.
      if (!found) continue;
      await this.#unfold(found);
      if (!found.open) this.#unfolded.add(found);
      found.open = true;
      last = found;
      list = found.querySelector(".branches") ?? list;
    }
    if (!last) return;
    await this.#choose(last, hand);
    last.scrollIntoView({ block: "nearest" });
    this.#chosen.scrollIntoView({ block: "start" });
    this.#chosen.focus({ preventScroll: true });
  }

  #branch(path: number[], words: HTMLElement | string, share: number): HTMLElement {
    const details: HTMLDetailsElement = h(
      "details",
      {
        "data-path": path.join("."),
        toggle: (event) => {
          const isByPage = this.#unfolded.delete(details);
          if (event.target === details && details.open && !isByPage) this.#visit(details);
        },
      },
      h(
        "summary",
        {
          click: (event) => {
            // An unfolded branch is shown before it is folded.
            if (!details.open || details === this.#current) return;
            event.preventDefault();
            this.#visit(details);
          },
        },
        words,
        h("span", { class: "muted" }, percent(share)),
      ),
    );
    details.style.setProperty("--share", share.toFixed(3));
    return details;
  }

  #visit(details: HTMLDetailsElement): void {
    if (details === this.#current) return;
    this.#unfold(details)
      .then(() => this.#choose(details, null))
      .catch((error: unknown) => this.#fail(error));
  }

  #ask(details: HTMLDetailsElement): Promise<PublicNode> {
    return this.#engine.ask(this.#signal, "node", pathOf(details));
  }

  /** Adds what may follow. */
  async #unfold(details: HTMLDetailsElement): Promise<void> {
    if (details.querySelector(".branches")) return;
    const branches = h("div", { class: "branches" });
    details.append(branches);
    const node = await this.#ask(details);
    const { faces } = this.#rules;
    const events = [...node.events].sort((one, other) => other.share - one.share);
    branches.append(
      ...events.map(({ name, share, path }) =>
        this.#branch(path, h("span", { class: "stier" }, `${moverInWords(node)}: `, drawAction(name, faces)), share),
      ),
    );
    if (node.is_over) branches.append(h("p", { class: "muted" }, "Nobody has a choice any more."));
  }

  async #choose(details: HTMLDetailsElement, hand: number | null): Promise<void> {
    this.#current?.removeAttribute("data-current");
    details.dataset["current"] = "";
    this.#current = details;
    const asked = ++this.#asked;
    const node = await this.#ask(details);
    if (asked !== this.#asked) return;
    this.#moved(node, hand);
    this.#state.replaceChildren(...this.#drawState(node, hand));
    if (hand !== null) await this.#showTable(node, hand);
  }

  #moved({ path }: PublicNode, hand: number | null): void {
    this.#onMove(path, hand);
    this.#share.forget();
  }

  #drawState(node: PublicNode, hand: number | null): HTMLElement[] {
    const { seat, values, reach } = node;
    const summary = h(
      "p",
      {},
      node.is_over ? "Nobody has a choice any more. " : `${moverInWords(node)} to act. `,
      `Chance of getting here: ${rarity(reach)}. `,
      values && `Expected returns: ${values.map((value, of) => `${playerName(of)} ${measured(value)}`).join(", ")}.`,
    );
    if (seat === null) return [summary, ...this.#drawRanges(node)];
    const all = [...(node.hands[seat] ?? []).entries()]
      .filter(([, held]) => held.cards.length > 0)
      .sort(([one, a], [other, b]) => Number(other === hand) - Number(one === hand) || b.share - a.share);
    const body = h(
      "tbody",
      {},
      ...all.slice(0, FIRST).map(([index, held]) => this.#drawHand(node, index, held, index === hand)),
    );
    const rest =
      all.length > FIRST &&
      h(
        "button",
        {
          type: "button",
          click: (event) => {
            body.append(...all.slice(FIRST).map(([index, held]) => this.#drawHand(node, index, held, false)));
            (event.target as HTMLElement).remove();
          },
        },
        `All ${all.length} hands`,
      );
    return [
      summary,
      h("div", { class: "seen" }),
      h(
        "div",
        { class: "scroll tall", tabindex: 0 },
        h(
          "table",
          { class: "hands" },
          h("caption", { class: "unseen" }, `The hands of ${playerName(seat)}, with the choices`),
          h(
            "thead",
            {},
            h("tr", {}, ...["Hand", "Chance", "Does", "Value"].map((name) => h("th", { scope: "col" }, name))),
          ),
          body,
        ),
      ),
      ...(rest ? [h("p", { class: "actions" }, rest)] : []),
      ...this.#drawRanges(node),
    ];
  }

  #drawHand(node: PublicNode, hand: number, held: Held, isShown: boolean): HTMLElement {
    const { faces } = this.#rules;
    const likely = held.actions
      .filter(({ probability }) => probability >= 0.005)
      .sort((one, other) => other.probability - one.probability);
    return h(
      "tr",
      { "data-hand": hand, class: isShown && "shown" },
      h(
        "th",
        { scope: "row" },
        h(
          "button",
          { type: "button", class: "hand", title: "Show the table", click: () => this.#look(node, hand) },
          drawCards(held.cards, faces),
        ),
      ),
      h("td", {}, percent(held.share)),
      h(
        "td",
        {},
        drawMix(held.actions, faces),
        h(
          "span",
          { class: "stier does" },
          ...likely.map(({ name, probability, value }) =>
            h(
              "span",
              { title: value === null ? null : `${actionInWords(name, faces)}: value ${measured(value)}` },
              drawAction(name, faces),
              ` ${percent(probability)}`,
            ),
          ),
        ),
      ),
      h("td", {}, held.value === null ? "–" : measured(held.value)),
    );
  }

  #look(node: PublicNode, hand: number): void {
    for (const row of this.#state.querySelectorAll("[data-hand]")) {
      row.classList.toggle("shown", row.getAttribute("data-hand") === String(hand));
    }
    this.#moved(node, hand);
    this.#showTable(node, hand)
      .then(() => this.#chosen.scrollIntoView({ block: "start" }))
      .catch((error: unknown) => this.#fail(error));
  }

  /** The table as the player sees it with a hand. */
  async #showTable(node: PublicNode, hand: number): Promise<void> {
    const { seat } = node;
    const place = this.#state.querySelector(".seen");
    if (seat === null || !place) return;
    const table = await this.#engine.ask(this.#signal, "held_table", node.path, seat, hand);
    const values = node.hands[seat]?.[hand]?.actions ?? [];
    place.replaceChildren(
      drawTable(table, this.#rules.faces, { eyes: seat, you: seat, next: false, title: "The table with this hand" }),
      h(
        "ul",
        { class: "values" },
        ...values.map(({ name, probability, value }) =>
          h(
            "li",
            { class: "stier" },
            drawAction(name, this.#rules.faces),
            ` ${percent(probability)}`,
            value !== null && `, value ${measured(value)}`,
          ),
        ),
      ),
    );
  }

  /** The chance of each card in both hands. */
  #drawRanges({ hands, reach }: PublicNode): HTMLElement[] {
    const beliefs = rangesOf(hands, this.#rules);
    if (reach === 0 || beliefs.cards.length === 0) return [];
    return [
      h("h4", {}, "Ranges"),
      drawBeliefs(beliefs, this.#rules.faces, {
        seats: [0, 1],
        labels: [0, 1].map((seat) => `${playerName(seat)} holds`),
        caption: "Ranges",
      }),
      h("p", { class: "muted" }, "The chance of each card in percent, for a spectator."),
    ];
  }

  #fail(error: unknown): void {
    if (isAbort(error)) return;
    this.#state.replaceChildren(h("p", { class: "error", role: "alert" }, errorInWords(error)));
  }
}

function pathOf(details: HTMLDetailsElement): number[] {
  return (details.dataset["path"] ?? "").split(".").map(Number);
}

function moverInWords({ seat }: PublicNode): string {
  return seat === null ? "Chance" : playerName(seat);
}

function openingInWords({ opening }: PublicNode, faces: Record<string, Face>, suits: Suits): HTMLElement | string {
  return opening === null ? "The beginning" : h("span", {}, "Turned up ", drawTurned(opening, faces, suits));
}

/** The expected number of each card in the hands of both seats. */
function rangesOf(hands: Held[][], { faces }: Rules): Beliefs {
  const cards = Object.keys(faces);
  const expected = cards.flatMap((card) =>
    hands.map((held) =>
      held.reduce((sum, { cards, share }) => sum + share * cards.filter((other) => other === card).length, 0),
    ),
  );
  const isKnown = expected.some((number) => number > 0);
  return { cards: isKnown ? cards : [], seats: hands.length, expected, basis: "enumerated", worlds: 0 };
}
