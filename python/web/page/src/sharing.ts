import { CopyLink } from "./copy";
import { button, errorInWords, h } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { type Playing, readRoute, reviewLink } from "./link";

/** The buttons that take a game along: to its review, as a link, as a record. */
export class Sharing {
  readonly #engine: EngineClient;
  readonly #signal: AbortSignal;
  readonly #say: (text: string) => void;
  readonly #copy = new CopyLink(() =>
    readRoute(location.hash).settings.has("kept")
      ? "This game began with a long record, which is in this tab alone: use Save record."
      : null,
  );
  readonly elements = [
    button("Review this game", () => this.review()),
    this.#copy.element,
    button("Save record", () => this.#save()),
  ];
  #playing: Playing | null = null;

  constructor(engine: EngineClient, signal: AbortSignal, say: (text: string) => void) {
    this.#engine = engine;
    this.#signal = signal;
    this.#say = say;
  }

  show(playing: Playing): void {
    this.#playing = playing;
    this.#copy.forget();
  }

  review(): void {
    void this.#withRecord((record, { seat }) => location.assign(reviewLink(record, seat)));
  }

  #save(): void {
    void this.#withRecord((record, { position: { game, seed } }) => {
      const href = URL.createObjectURL(new Blob([record], { type: "text/plain" }));
      h("a", { href, download: `${game}-${seed}.txt` }).click();
      URL.revokeObjectURL(href);
    });
  }

  async #withRecord(use: (record: string, playing: Playing) => void): Promise<void> {
    const playing = this.#playing;
    if (!playing) return;
    try {
      use(await this.#engine.ask(this.#signal, "record", playing.position), playing);
    } catch (error) {
      if (!isAbort(error)) this.#say(errorInWords(error));
    }
  }
}
