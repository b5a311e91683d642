import { drawAction } from "./cards";
import { h, s } from "./dom";
import type { Analysis, Bar, Face } from "./protocol";
import { interval, percent, signed } from "./words";

interface BarsOptions {
  /** The id of the action that was played. */
  played?: number;
  /** The cards of the game, to draw the cards that actions name. */
  faces?: Record<string, Face>;
}

const WIDTH = 200;
const HEIGHT = 24;

/** The value of each action, with its interval, and the share of searches that choose it. `range` is the game's. */
export function drawBars(analysis: Analysis, range: [number, number], options: BarsOptions = {}): HTMLElement {
  const value = (bar: Bar): number => bar.value ?? -Infinity;
  const bars = [...analysis.bars].sort((a, b) => b.chosen - a.chosen || value(b) - value(a));
  const axis = axisOf(bars, range);
  const most = Math.max(...bars.map((bar) => bar.chosen));
  return h(
    "table",
    { class: "stier bars" },
    h(
      "caption",
      {},
      `The axis goes from ${signed(axis[0], 2)} to ${signed(axis[1], 2)}, results of this game from ${signed(range[0])} to `,
      `${signed(range[1])}. Lines are 95 % intervals. The choice of most searches stands first.`,
    ),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "choice"),
        h("th", { scope: "col", colspan: 2 }, "value"),
        h("th", { scope: "col" }, "share of searches"),
      ),
    ),
    h("tbody", {}, ...bars.map((bar) => drawBar(bar, axis, options, bar.chosen === most))),
  );
}

function drawBar(bar: Bar, axis: [number, number], options: BarsOptions, best: boolean): HTMLElement {
  return h(
    "tr",
    { class: best ? "best" : "" },
    h(
      "th",
      { scope: "row" },
      drawAction(bar.name, options.faces ?? {}),
      bar.id === options.played && h("span", { class: "played" }, "played"),
    ),
    h("td", {}, drawValue(bar, axis)),
    h(
      "td",
      { class: "figure" },
      bar.value === null ? "not tried by all" : `${signed(bar.value, 2)}${interval(bar.ci95)}`,
    ),
    h("td", { class: "figure" }, percent(bar.chosen)),
  );
}

/** A bar from 0 to the value, and a line over its interval. */
function drawValue({ value, ci95 }: Bar, [low, high]: [number, number]): SVGElement {
  const x = (at: number): number => Number(((WIDTH * (at - low)) / (high - low)).toFixed(1));
  const zero = x(Math.min(Math.max(0, low), high));
  const parts: SVGElement[] = [s("path", { class: "zero", d: `M${zero} 0V${HEIGHT}` })];
  if (value !== null) {
    const end = x(value);
    parts.push(s("rect", { class: "bar", x: Math.min(zero, end), y: 6, width: Math.abs(end - zero), height: 12 }));
    if (ci95) {
      const [from, to] = [x(value - ci95), x(value + ci95)];
      parts.push(s("path", { class: "interval", d: `M${from} 8v8M${from} 12H${to}M${to} 8v8` }));
    }
  }
  return s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...parts);
}

/** An axis that holds 0, all values and their intervals, and at least a twentieth of the game's range. */
function axisOf(bars: Bar[], [least, most]: [number, number]): [number, number] {
  const ends = bars.flatMap(({ value, ci95 }) => (value === null ? [] : [value - (ci95 ?? 0), value + (ci95 ?? 0)]));
  const low = Math.min(0, ...ends);
  const high = Math.max(0, ...ends);
  const room = Math.max(0.04 * (high - low), ((most - least) / 20 - (high - low)) / 2);
  return [low - room, high + room];
}
