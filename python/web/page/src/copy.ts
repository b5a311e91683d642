import { button, h } from "./dom";
import { isPrivate, wholeLink } from "./link";

/** Copies a text. False where that is forbidden: without encryption, browsers have no clipboard. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A button that copies the address of what is shown, for other people, and what came of it. */
export class CopyLink {
  readonly #said = h("span", { class: "muted", role: "status" });
  readonly element = h(
    "span",
    { class: "copy" },
    button("Copy link", () => void this.#copy()),
    this.#said,
  );
  readonly #refusal: () => string | null;

  /** `refusal` says why what is shown has no address for others; null if it has. */
  constructor(refusal: () => string | null = () => null) {
    this.#refusal = refusal;
  }

  /** Forgets the last copy, once something else is shown. */
  forget(): void {
    this.#said.textContent = "";
  }

  async #copy(): Promise<void> {
    this.#said.textContent = this.#refusal() ?? ((await copy(wholeLink(location.hash))) ? copied() : NO_COPY);
  }
}

const NO_COPY = "The link cannot be copied here: it is the address of this page.";

function copied(): string {
  return isPrivate() ? "Link copied: it opens on this computer only" : "Link copied";
}
