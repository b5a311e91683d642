import { h } from "./dom";
import { wholeLink } from "./link";

/** The words where a link cannot be copied. */
export const NO_COPY = "The link cannot be copied here: it is the address of this page.";

/** Copies a text. False where that is forbidden: without encryption, browsers have no clipboard. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A button that copies the address of what is shown, for other people. */
export function drawCopyLink(): HTMLElement {
  const said = h("span", { class: "muted", role: "status" });
  const copyLink = async (): Promise<void> => {
    said.textContent = (await copy(wholeLink(location.hash))) ? "Link copied" : NO_COPY;
  };
  return h("p", { class: "actions" }, h("button", { type: "button", click: () => void copyLink() }, "Copy link"), said);
}
