/** Milliseconds that a card takes to its place. */
const TIME = 380;
/** Milliseconds between two moves of the others, and after a trick, which has to be looked at. */
const PAUSE = 700;
const TRICK_PAUSE = 1300;
const EASE = "cubic-bezier(0.3, 0.7, 0.3, 1)";

/** The cards of a table before it is drawn anew, by name, and the places that cards come from and go to. */
export interface Before {
  cards: Map<string, { element: HTMLElement | SVGElement; box: DOMRect; slot: string | null }>;
  hands: Map<string, DOMRect>;
}

/** True if the person wants to see nothing move. */
function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Remembers where everything is. */
export function look(table: HTMLElement): Before {
  const before: Before = { cards: new Map(), hands: new Map() };
  if (isStill()) return before;
  for (const element of table.querySelectorAll<HTMLElement | SVGElement>("[data-key]")) {
    const slot = element.closest<HTMLElement>("[data-slot]")?.dataset["slot"] ?? null;
    before.cards.set(nameOf(element), { element, box: element.getBoundingClientRect(), slot });
  }
  for (const place of table.querySelectorAll<HTMLElement>("[data-seat]")) {
    const hand = place.querySelector(".backs .back:last-child, .held") ?? place;
    before.hands.set(place.dataset["seat"] ?? "", hand.getBoundingClientRect());
  }
  return before;
}

/**
 * Lets cards go from where they were to where they are. A card that was not seen before comes from the hand of its seat or
 * from the pile. The cards of a trick that has left the table fly to the tricks of the seat that collects it.
 */
export function follow(before: Before, table: HTMLElement, winner: number | null): void {
  if (isStill() || before.hands.size === 0) return;
  const pile = table.querySelector<HTMLElement>("[data-pile] .card")?.getBoundingClientRect();
  const shown = new Set<string>();
  for (const element of table.querySelectorAll<HTMLElement | SVGElement>("[data-key]")) {
    const name = nameOf(element);
    shown.add(name);
    const old = before.cards.get(name);
    const slot = element.closest<HTMLElement>("[data-slot]")?.dataset["slot"];
    const from = old?.box ?? (slot === undefined ? pile : before.hands.get(slot));
    if (from) move(element, from, element.getBoundingClientRect());
  }
  const goal = table.querySelector(`[data-tricks="${winner}"]`)?.getBoundingClientRect();
  for (const [name, { element, box, slot }] of before.cards) {
    if (goal && slot !== null && !shown.has(name)) fly(element, box, goal, table);
  }
}

function nameOf(element: HTMLElement | SVGElement): string {
  return element.dataset["key"] ?? "";
}

/** Moves an element that stands at `to` there from another place. */
function move(element: HTMLElement | SVGElement, from: DOMRect, to: DOMRect): void {
  // Units of a drawing are not pixels.
  const matrix = element instanceof SVGGraphicsElement ? element.getScreenCTM() : null;
  const unit = matrix ? 1 / Math.hypot(matrix.a, matrix.b) : 1;
  const x = (from.x + from.width / 2 - to.x - to.width / 2) * unit;
  const y = (from.y + from.height / 2 - to.y - to.height / 2) * unit;
  if (Math.hypot(x, y) < 2) return;
  const size = matrix || to.width === 0 ? 1 : from.width / to.width;
  element.animate(
    [
      { translate: `${x}px ${y}px`, scale: String(size), zIndex: 2 },
      { translate: "0 0", scale: "1", zIndex: 2 },
    ],
    { duration: TIME, easing: EASE },
  );
}

/** Lets a picture of an element that is gone fly from its place to another one. */
function fly(element: HTMLElement | SVGElement, from: DOMRect, to: DOMRect, table: HTMLElement): void {
  const ghost = element.cloneNode(true) as HTMLElement;
  ghost.removeAttribute("data-key");
  ghost.classList.add("ghost");
  ghost.setAttribute("aria-hidden", "true");
  const home = table.getBoundingClientRect();
  Object.assign(ghost.style, { left: `${from.x - home.x}px`, top: `${from.y - home.y}px` });
  ghost.style.setProperty("--width", `${from.width}px`);
  table.append(ghost);
  const x = to.x + to.width / 2 - from.x - from.width / 2;
  const y = to.y + to.height / 2 - from.y - from.height / 2;
  ghost
    .animate(
      [
        { translate: "0 0", scale: "1" },
        { translate: `${x}px ${y}px`, scale: "0.3", opacity: 0.6 },
      ],
      { duration: TIME, easing: EASE, fill: "forwards" },
    )
    .finished.finally(() => ghost.remove());
}

/** Lets a person see a move before the next, and longer if it has finished a trick. */
export function pause(signal: AbortSignal, hasTrick: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, hasTrick ? TRICK_PAUSE : PAUSE);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
