// A document that knows just enough for dom.ts: elements with attributes, children and their text.
class Part {
  parts: (Part | string)[] = [];
  attributes: Record<string, string> = {};
  readonly tag: string;

  constructor(tag: string) {
    this.tag = tag;
  }

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  append(...parts: (Part | string)[]): void {
    this.parts.push(...parts);
  }

  get textContent(): string {
    return this.parts.map((part) => (typeof part === "string" ? part : part.textContent)).join("");
  }

  /** The words that a person hears: the name of a picture, or else the text. */
  get words(): string {
    const { role, "aria-label": label } = this.attributes;
    if (role === "img" && label !== undefined) return label;
    return this.parts.map((part) => (typeof part === "string" ? part : part.words)).join("");
  }

  /** All parts of a kind, at any depth. */
  all(tag: string): Part[] {
    const below = this.parts.flatMap((part) => (typeof part === "string" ? [] : part.all(tag)));
    return this.tag === tag ? [this, ...below] : below;
  }
}

Object.assign(globalThis, {
  Node: Part,
  document: {
    createElement: (tag: string) => new Part(tag),
    createElementNS: (_: string, tag: string) => new Part(tag),
  },
});

/** An element of dom.ts as this document knows it. */
export function known(element: unknown): Part {
  return element as Part;
}
