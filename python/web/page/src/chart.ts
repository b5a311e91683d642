import { h, s } from "./dom";
import { type Cost, sumOf } from "./grade";
import { measured } from "./words";

/** A decision in the curve of losses. */
interface Loss extends Cost {
  label: string;
}

const WIDTH = 640;
const HEIGHT = 260;
const LEFT = 48;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 40;

/** The sum of the costs after each decision, with its 95 % interval. */
export function drawLosses(losses: Loss[]): HTMLElement {
  const sums = losses.map((_, index) => sumOf(losses.slice(0, index + 1)));
  const last = sumOf(losses);
  const low = Math.min(0, ...sums.map(({ cost, ci95 }) => cost - ci95));
  const high = Math.max(0.1, ...sums.map(({ cost, ci95 }) => cost + ci95));
  const x = (index: number) => LEFT + (index * (WIDTH - LEFT - RIGHT)) / Math.max(1, losses.length);
  const y = (value: number) => TOP + ((high - value) * (HEIGHT - TOP - BOTTOM)) / (high - low);
  const at = (index: number, value: number) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`;
  const upper = sums.map(({ cost, ci95 }, index) => at(index + 1, cost + ci95));
  const lower = sums.map(({ cost, ci95 }, index) => at(index + 1, cost - ci95));
  const curve = sums.map(({ cost }, index) => at(index + 1, cost));
  const every = Math.ceil(losses.length / 12);
  const picture = s(
    "svg",
    {
      class: "losses",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": `Sum of the costs after each of ${losses.length} decisions: ${measured(last.cost, last.ci95)} at the end.`,
    },
    ...ticks(low, high).map((value) =>
      s(
        "g",
        {},
        s("line", { class: value === 0 ? "origin" : "rule", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
        s("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value).replace("-", "−")),
      ),
    ),
    ...losses
      .map((_, index) => index + 1)
      .filter((number) => number % every === 0)
      .map((number) =>
        s("text", { x: x(number), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, losses[number - 1]?.label),
      ),
    s("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "decision"),
    s("polygon", { class: "spread", points: [at(0, 0), ...upper, ...lower.reverse()].join(" ") }),
    s("polyline", { class: "curve", points: [at(0, 0), ...curve].join(" ") }),
    ...sums.map(({ cost, ci95 }, index) =>
      s(
        "circle",
        { class: "point", cx: x(index + 1), cy: y(cost), r: 3.5 },
        s("title", {}, `${losses[index]?.label}: ${measured(cost, ci95)} so far`),
      ),
    ),
  );
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", {}, "Sum of the costs after each decision. The band is its 95 % interval."),
    picture,
  );
}

/** A value with its interval on a scale from -`limit` to `limit`, and as a number above it. */
export function drawInterval(
  value: number,
  ci95: number,
  limit: number,
  unit: string,
  ends: [string, string],
): SVGElement {
  const inside = (number: number) => Math.max(-limit, Math.min(limit, number));
  const x = (number: number) => 160 + (150 * inside(number)) / limit;
  const words = `${measured(value, ci95)} ${unit}`;
  return s(
    "svg",
    {
      class: "scale",
      viewBox: "0 -14 320 58",
      role: "img",
      "aria-label": `${words} on a scale from −${limit} to +${limit}`,
    },
    s("line", { class: "rule", x1: 10, x2: 310, y1: 14, y2: 14 }),
    s("line", { class: "origin", x1: 160, x2: 160, y1: 4, y2: 24 }),
    ci95 > 0 && s("line", { class: "spread", x1: x(value - ci95), x2: x(value + ci95), y1: 14, y2: 14 }),
    s("circle", { class: "point", cx: x(value), cy: 14, r: 5 }),
    // It must not leave the picture.
    s("text", { class: "number", x: Math.max(70, Math.min(250, x(value))), y: 0, "text-anchor": "middle" }, words),
    s("text", { x: 10, y: 40 }, ends[0]),
    s("text", { x: 310, y: 40, "text-anchor": "end" }, ends[1]),
  );
}

/** Round numbers from `low` to `high`, about five of them. */
function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(6)));
}
