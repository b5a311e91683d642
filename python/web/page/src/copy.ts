import { h } from "./dom";
import { wholeLink } from "./link";

/** Copies a text. False where that is forbidden: without encryption, browsers have no clipboard. */
async function copy(text: string): Promise<boolean> {
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
    const isCopied = await copy(wholeLink(location.hash));
    said.textContent = isCopied ? "Link copied" : "The link cannot be copied here: it is the address of this page.";
  };
  return h("p", { class: "actions" }, h("button", { type: "button", click: () => void copyLink() }, "Copy link"), said);
}
