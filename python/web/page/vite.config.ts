import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Marked, type Token, type Tokens } from "marked";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

const ROOT = new URL("../../../", import.meta.url);
const OUT = fileURLToPath(new URL("out/web", ROOT));
const GAMES = new URL("core/src/games/", ROOT);
const RULES = new URL("python/stier/rules/", ROOT);
const PUBLIC = new URL("public/", import.meta.url);
const ENGINE = new URL("src/wasm/stier_web_bg.wasm", import.meta.url);
/** The address of the page, for previews and links to share. Without it, links are relative. */
const ADDRESS = address(process.env["STIER_PAGE"] ?? "");
/** The most bytes that a visitor loads, compressed, before the networks. */
const BUDGET = 1_400_000;
/** The games that come with a network, with its file. */
const NETWORKS = new Map(
  readdirSync(GAMES)
    .map((game) => [game, new URL(`${game}/advice/network.safetensors`, GAMES)] as const)
    .filter(([, file]) => existsSync(file)),
);
/** Nothing is loaded from elsewhere. The workers and the icon are part of the page, so that no request is made later. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
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
      const [title, summary, tokens] = opening(text);
      const html = marked.parser(tokens);
      const book = { title, summary: marked.parseInline(summary), html, words: glossary(tokens) };
      return { code: `export default ${JSON.stringify(book)}`, map: null };
    },
  };
}

/** The heading of rules, their first sentence, and all that comes after the heading. */
function opening(text: string): [string, string, Token[]] {
  const [heading, ...tokens] = marked.lexer(text).filter(({ type }) => type !== "space");
  const [first = ""] = tokens[0]?.raw.split(/(?<=\.)\s/) ?? [];
  return [heading?.type === "heading" ? heading["text"] : "", first, tokens];
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

function address(text: string): string {
  if (text === "") return "";
  if (!/^https?:\/\/[^?#]+$/.test(text))
    throw new Error(`STIER_PAGE must be an address such as https://example.org/page/, got ${text}`);
  return text.replace(/\/*$/, "/");
}

/** The games with a picture: each has an entrance, the page with another preview. */
const ENTRANCES = readdirSync(RULES)
  .map((file) => file.replace(/\.md$/, ""))
  .filter((game) => existsSync(new URL(`${game}.png`, PUBLIC)));

function rulesOf(game: string): string {
  return readFileSync(new URL(`${game}.md`, RULES), "utf-8");
}

/** The preview that other sites show of a link to the page. */
function preview(file: string, game: string, title: string, about: string): HtmlTagDescriptor[] {
  const property = (name: string, content: string): HtmlTagDescriptor => ({
    tag: "meta",
    attrs: { property: `og:${name}`, content },
    injectTo: "head",
  });
  return [
    property("type", "website"),
    property("site_name", "Stier"),
    property("title", title),
    property("description", about),
    ...(ADDRESS ? [property("url", ADDRESS + file)] : []),
    property("image", `${ADDRESS}${game}.png`),
    property("image:width", "1200"),
    property("image:height", "630"),
    property("image:alt", `A position of ${opening(rulesOf(game))[0]}: the cards that a player can see`),
    { tag: "meta", attrs: { name: "twitter:card", content: "summary_large_image" }, injectTo: "head" },
  ];
}

/** Begins to load the engine before the script asks for it, though after the script itself; makes the entrances. */
function entrances(): Plugin {
  const written = (tags: HtmlTagDescriptor[]): string =>
    tags
      .map(
        ({ attrs = {} }) =>
          `<meta ${Object.entries(attrs)
            .map(([name, value]) => `${name}="${escaped(String(value))}"`)
            .join(" ")}>`,
      )
      .join("\n    ");
  return {
    name: "entrances",
    apply: "build",
    enforce: "post",
    transformIndexHtml(html, { bundle }) {
      const engine = Object.keys(bundle ?? {}).find((file) => file.endsWith(".wasm"));
      const attrs = {
        rel: "preload",
        href: `./${engine}`,
        as: "fetch",
        type: "application/wasm",
        crossorigin: true,
        fetchpriority: "low",
      };
      return {
        html: html.replace("</title>", "</title>\n    <!-- preview -->"),
        tags: [{ tag: "link", attrs, injectTo: "head" }],
      };
    },
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") return;
      const html = String(page.source);
      const withPreview = (tags: HtmlTagDescriptor[]): string => html.replace("<!-- preview -->", written(tags));
      const about = /name="description" content="([^"]*)"/.exec(html)?.[1] ?? "";
      page.source = withPreview(preview("", "schwinget", "Stier: hidden-information card games", about));
      for (const game of ENTRANCES) {
        const [title, summary] = opening(rulesOf(game));
        const text = summary.replace(/[*`]/g, "").replaceAll("\n", " ");
        const source = withPreview(preview(`${game}.html`, game, title, text));
        this.emitFile({ type: "asset", fileName: `${game}.html`, source });
      }
    },
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** The files that a visitor does not load before the first move: the networks, the notebook widget, pictures and pages for previews. */
const ELSEWHERE = /^(widget\.|networks\/)|\.(png|br)$|^[a-z_]+\.html$/;

/** Tells the service worker what belongs to the page, compresses it, and fails if it is too large. */
function finished(): Plugin {
  return {
    name: "finished",
    apply: "build",
    enforce: "post",
    writeBundle() {
      if (this.environment.name !== "client") return;
      const out = resolve(this.environment.config.root, this.environment.config.build.outDir);
      const files = readdirSync(out, { recursive: true, encoding: "utf-8" })
        .filter((file) => statSync(join(out, file)).isFile())
        .map((file) => file.replaceAll("\\", "/"))
        .sort();
      const page = files.filter((file) => file === "index.html" || !ELSEWHERE.test(file));
      const kept = [...page, ...files.filter((file) => file.startsWith("networks/")), "icon.png"].filter(
        (file) => file !== SERVICE,
      );
      const digests = kept.map((file) => [file === "index.html" ? "./" : file, digest(join(out, file))]);
      const service = readFileSync(join(out, SERVICE), "utf-8");
      const list = JSON.stringify(Object.fromEntries(digests));
      writeFileSync(join(out, SERVICE), `const FILES = ${list};\n${service}`);
      let total = 0;
      for (const file of page) {
        const bytes = readFileSync(join(out, file));
        total += gzipSync(bytes, { level: 9 }).length;
        // For servers that offer it. The engine is a third smaller than with gzip, after seconds of work.
        if (ADDRESS) writeFileSync(join(out, `${file}.br`), brotliCompressSync(bytes));
      }
      const words = `${total.toLocaleString("en")} bytes of at most ${BUDGET.toLocaleString("en")}, compressed with gzip`;
      if (total > BUDGET) this.error(`the page is too large: ${words}`);
      this.info(words);
    },
  };
}

const SERVICE = "service.js";

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 12);
}

export default defineConfig({
  base: "./",
  define: {
    ADDRESS: JSON.stringify(ADDRESS),
    ENGINE_BYTES: existsSync(ENGINE) ? statSync(ENGINE).size : 0,
    ENTRANCES: JSON.stringify(ENTRANCES),
    NETWORKS: JSON.stringify([...NETWORKS.keys()]),
  },
  plugins: [rulebooks(), networks(), policy(), entrances(), finished()],
  worker: { format: "es" },
  server: { fs: { allow: [fileURLToPath(ROOT)] } },
  build: { target: "es2022", outDir: OUT, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          input: ["index.html", "src/service.ts"],
          // The service worker answers for all that lies below its own place.
          output: { entryFileNames: ({ name }) => (name === "service" ? SERVICE : "assets/[name]-[hash].js") },
        },
      },
    },
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
