import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Marked, type Token, type Tokens } from "marked";
import { defineConfig, type Plugin } from "vite";

const ROOT = new URL("../../../", import.meta.url);
const OUT = fileURLToPath(new URL("out/web", ROOT));
const GAMES = new URL("core/src/games/", ROOT);
/** The games that come with a network, with its file. */
const NETWORKS = new Map(
  readdirSync(GAMES).map((game) => [game, new URL(`${game}/advice/network.safetensors`, GAMES)] as const)
    .filter(([, file]) => existsSync(file)),
);
/** Nothing is loaded from elsewhere. The worker and the icon are part of the page, so that no request is made later. */
const POLICY = [
  "default-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src blob:", "img-src data:",
  "object-src 'none'", "base-uri 'none'",
].join("; ");

const marked = new Marked({
  renderer: {
    heading({ tokens, depth }) {
      return `<h${depth + 2}>${this.parser.parseInline(tokens)}</h${depth + 2}>`;
    },
    /** Wide tables scroll by themselves. */
    table({ header, rows }) {
      const row = (cells: Tokens.TableCell[], tag: string): string =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
      const body = rows.map((cells) => row(cells, "td")).join("");
      const table = `<table><thead>${row(header, "th")}</thead><tbody>${body}</tbody></table>`;
      return `<div class="wide" tabindex="0">${table}</div>`;
    },
  },
});

/** Makes a module of the rules of a game: see `Rulebook` in src/rules.ts. */
function rulebooks(): Plugin {
  return {
    name: "rulebooks",
    transform(text, id) {
      if (!id.endsWith(".md")) return null;
      // The title is left out: the page has its own.
      const [heading, ...tokens] = marked.lexer(text).filter(({ type }) => type !== "space");
      const title = heading?.type === "heading" ? heading["text"] : "";
      const [first = ""] = tokens[0]?.raw.split(/(?<=\.)\s/) ?? [];
      const book = { title, summary: marked.parseInline(first), html: marked.parser(tokens), words: glossary(tokens) };
      return { code: `export default ${JSON.stringify(book)}`, map: null };
    },
  };
}

/** The table below the heading "Words": its first column with its last. */
function glossary(tokens: Token[]): [string, string][] {
  const heading = tokens.findIndex((token) => token.type === "heading" && token["text"] === "Words");
  const table = tokens[heading + 1];
  if (heading < 0 || table?.type !== "table") return [];
  const text = (cell: Tokens.TableCell | undefined): string => (cell?.text ?? "").replace(/[`*]/g, "");
  return (table as Tokens.Table).rows.map((row) => [text(row[0]), text(row.at(-1))]);
}

/** Puts the networks of the games beside the page. */
function networks(): Plugin {
  return {
    name: "networks",
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const [, game = ""] = /^\/networks\/(\w+)\.safetensors$/.exec(request.url ?? "") ?? [];
        const file = NETWORKS.get(game);
        if (file) response.end(readFileSync(file));
        else next();
      });
    },
    generateBundle() {
      if (this.environment.name !== "client") return;
      for (const [game, file] of NETWORKS) {
        this.emitFile({ type: "asset", fileName: `networks/${game}.safetensors`, source: readFileSync(file) });
      }
    },
  };
}

/** Adds the security policy. Vite's own server puts styles into the page, which the policy forbids. */
function policy(): Plugin {
  const content = { "http-equiv": "Content-Security-Policy", content: POLICY };
  return {
    name: "policy",
    apply: "build",
    transformIndexHtml: () => [{ tag: "meta", attrs: content, injectTo: "head-prepend" }],
  };
}

export default defineConfig({
  base: "./",
  define: { NETWORKS: JSON.stringify([...NETWORKS.keys()]) },
  plugins: [rulebooks(), networks(), policy()],
  worker: { format: "es" },
  server: { fs: { allow: [fileURLToPath(ROOT)] } },
  build: { target: "es2022", outDir: OUT, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  environments: {
    /** The notebook widget: one module with everything in it. */
    widget: {
      consumer: "client",
      build: {
        emptyOutDir: false,
        copyPublicDir: false,
        lib: { entry: "src/widget.ts", formats: ["es"], fileName: () => "widget.js", cssFileName: "widget" },
      },
    },
  },
  builder: {
    async buildApp(builder) {
      for (const environment of Object.values(builder.environments)) {
        if (environment.name !== "ssr") await builder.build(environment);
      }
    },
  },
});
