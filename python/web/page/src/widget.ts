/**
 * A replay of a game in a notebook: a module for anywidget.
 *
 * Its model has these traits, all synced:
 *
 * - `frames`: list of `Table`s (protocol.ts), the states of the game in their order, all for the same eyes.
 * - `faces`: dict of `Face`s by the name of the card, as `Game.card_faces()` in Python.
 * - `index`: int, the frame that is shown. The widget sets it when the reader moves on.
 * - `eyes`: int or None, the seat whose view the frames are; None if all cards are open.
 * - `playable`: bool. If true, the legal moves of the last frame are buttons. A click sends the message
 *   `{"move": id}`; Python plays it and appends to `frames`.
 */
import "./base.css";
import "./cards.css";
import "./table.css";
import "./boards.css";
import "./widget.css";
import { h } from "./dom";
import type { Face, Table } from "./protocol";
import { drawTable } from "./table";

interface Traits {
  frames: Table[];
  faces: Record<string, Face>;
  index: number;
  eyes: number | null;
  playable: boolean;
}

/** The model as anywidget passes it. */
interface Model {
  get<T extends keyof Traits>(name: T): Traits[T];
  set<T extends keyof Traits>(name: T, value: Traits[T]): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
  send(content: { move: number }): void;
}

const CHANGES = ["frames", "faces", "index", "eyes", "playable"].map((trait) => `change:${trait}`).join(" ");

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const last = (): number => Math.max(0, model.get("frames").length - 1);
  const move = (index: number): void => {
    model.set("index", Math.max(0, Math.min(last(), index)));
    model.save_changes();
  };
  const step = (by: number): void => move(model.get("index") + by);
  const button = (sign: string, name: string, click: () => void): HTMLButtonElement =>
    h("button", { type: "button", "aria-label": name, title: name, click }, sign);
  const first = button("«", "first", () => move(0));
  const previous = button("‹", "previous", () => step(-1));
  const next = button("›", "next", () => step(1));
  const end = button("»", "last", () => move(last()));
  const slider = h("input", { type: "range", min: 0, "aria-label": "state", input: () => move(slider.valueAsNumber) });
  const count = h("output");
  const stage = h("div");
  /** True from a move until its answer. */
  let isPlaying = false;
  const play = (id: number): void => {
    if (isPlaying) return;
    isPlaying = true;
    model.send({ move: id });
  };

  const draw = (): void => {
    const [frames, index, eyes] = [model.get("frames"), model.get("index"), model.get("eyes")];
    const table = frames[index];
    const playable = model.get("playable") && index === last();
    slider.max = String(last());
    slider.value = String(index);
    count.textContent = `${index} of ${last()}`;
    first.disabled = previous.disabled = index <= 0;
    next.disabled = end.disabled = index >= last();
    const hadFocus = stage.contains((stage.getRootNode() as Document | ShadowRoot).activeElement);
    stage.replaceChildren(
      ...(table
        ? [
            drawTable(table, model.get("faces"), {
              eyes,
              you: eyes,
              digits: false,
              ...(playable && { moves: ({ id }) => play(id) }),
            }),
          ]
        : []),
    );
    if (hadFocus) box.focus({ preventScroll: true });
  };
  const press = (event: Event): void => {
    const by = event instanceof KeyboardEvent && { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    // The slider has its own keys.
    if (!by || event.target === slider) return;
    event.preventDefault();
    event.stopPropagation();
    step(by);
  };

  // JupyterLab would take letters as commands, such as x to cut the cell.
  const box = h(
    "div",
    {
      class: "stier replay",
      tabindex: 0,
      role: "group",
      "aria-label": "replay",
      keydown: press,
      "data-lm-suppress-shortcuts": true,
    },
    stage,
    h("div", { class: "actions" }, first, previous, slider, next, end, count),
  );
  el.replaceChildren(box);
  const answered = (): void => void (isPlaying = false);
  model.on("change:frames", answered);
  model.on(CHANGES, draw);
  draw();
  return () => {
    model.off("change:frames", answered);
    model.off(CHANGES, draw);
  };
}

export default { render };
