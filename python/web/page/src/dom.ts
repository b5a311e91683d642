type Child = Node | string | number | false | null | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined | EventListener>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child != null && child !== false) element.append(child instanceof Node ? child : String(child));
  }
}

/** An element with attributes, listeners (by the name of the event) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** The same for SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function button(words: string, click: () => void): HTMLButtonElement {
  return h("button", { type: "button", click }, words);
}

/** Content under a title that opens and closes it. */
export function panel(title: string, attributes: Attributes, ...content: Child[]): HTMLDetailsElement {
  const { class: more, ...others } = attributes;
  const style = more ? `panel ${more}` : "panel";
  return h("details", { class: style, ...others }, h("summary", {}, h("h3", {}, title)), ...content);
}

/** An error as a sentence, without the name of its class. */
export function errorInWords(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return /[.?!]$/.test(words) ? words : `${words}.`;
}

/** True for a screen with room beside the table. */
export function isWide(): boolean {
  return matchMedia("(min-width: 60rem)").matches;
}
