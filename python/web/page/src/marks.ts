import "./marks.css";
import { h } from "./dom";
import type { Bar, Reviewed } from "./protocol";
import { interval, signed } from "./words";

/** Puts the value of each choice above its card or beside its button in a drawn table. The longest bar is the best choice. */
export function markMoves(table: HTMLElement, { analysis, action, best }: Reviewed): void {
  const values = analysis.bars.flatMap(({ value }) => value ?? []);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  for (const bar of analysis.bars) {
    const button = table.querySelector<HTMLElement>(`[data-move="${bar.id}"]`);
    if (!button) continue;
    const style = ["mark", bar.id === best.id && "best", bar.id === action.id && "yours"].filter(Boolean).join(" ");
    const size = h("span", { class: "size" });
    const share = bar.value === null ? 0 : high > low ? (bar.value - low) / (high - low) : 1;
    size.style.setProperty("--share", share.toFixed(3));
    const marked = h("span", { class: "marked" });
    button.replaceWith(marked);
    marked.append(
      h(
        "span",
        { class: style, "aria-hidden": "true" },
        h("span", { class: "value" }, bar.value === null ? "?" : signed(bar.value, 2)),
        size,
      ),
      button,
    );
    const words = button.getAttribute("aria-label") ?? button.textContent ?? "";
    button.setAttribute("aria-label", [words, ...marksInWords(bar, action.id, best.id)].join(", "));
  }
}

function marksInWords(bar: Bar, played: number, best: number): string[] {
  const value = bar.value === null ? "value not known" : `value ${signed(bar.value, 2)}${interval(bar.ci95)}`;
  return [value, ...(bar.id === best ? ["best choice"] : []), ...(bar.id === played ? ["your choice"] : [])];
}
