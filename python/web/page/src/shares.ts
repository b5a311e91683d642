import { cardOf } from "./cards";
import { h, s } from "./dom";
import type { Face } from "./protocol";
import { percent } from "./words";

/** A probability as a small bar and a number. */
export function drawShare(share: number): HTMLElement {
  return h(
    "span",
    { class: "portion" },
    s(
      "svg",
      { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "rest", width: 100, height: 8 }),
      s("rect", { class: "filled", width: 100 * share, height: 8 }),
    ),
    h("span", {}, percent(share)),
  );
}

/** Probabilities of actions side by side, each in the colour of its card or its place. */
export function drawMix(actions: { name: string; probability: number }[], faces: Record<string, Face>): SVGElement {
  let from = 0;
  let places = 0;
  const part = ({ name, probability }: { name: string; probability: number }): SVGElement => {
    const { card } = cardOf(name, faces);
    const hue = card === null ? undefined : faces[card]?.hue;
    const drawn = s("rect", {
      class: hue ? `of-card hue-${hue}` : `of-place place-${places++ % 4}`,
      x: 100 * from,
      width: 100 * probability,
      height: 10,
    });
    from += probability;
    return drawn;
  };
  return s(
    "svg",
    { class: "mix", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...actions.map(part),
  );
}

/** A small probability, such as "1 in 105". */
export function rarity(share: number): string {
  if (share > 0.1) return percent(share);
  return share > 0 ? `1 in ${Math.round(1 / share).toLocaleString("en")}` : "never";
}
