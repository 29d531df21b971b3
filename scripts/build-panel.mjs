// Builds src/panel/ into dist/panel/: a page, a style sheet and scripts, also compressed with gzip, so that the daemon
// compresses nothing while it runs. Fails if the files loaded at the start exceed their limit.
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

/** Maximum size of the files loaded at the start: acceptable on a phone with a bad connection. */
const BYTES_MAX = 102_400;
/** What every start runs, besides the screens of its own: few files, because each is a request. */
const START =
  /node_modules|vite\/preload-helper|\/panel\/(?:act|api|badge|clock|daemon-text|date-format|event-stream|http|i18n|icons?|journey|live-updates|notice|route|session|zone-appearance)\.tsx?$/;
const root = fileURLToPath(new URL("../src/panel/", import.meta.url));
const outDir = fileURLToPath(new URL("../dist/panel/", import.meta.url));

/** What the browsers of docs/panel.md know: all of them have `<dialog>`, which every screen may open. */
const TARGET = "es2022";

const [
  {
    output: [firstRequests],
  },
] = await build({
  configFile: false,
  root,
  publicDir: false,
  logLevel: "warn",
  build: {
    write: false,
    target: TARGET,
    lib: { entry: "early-requests.ts", formats: ["iife"], name: "firstRequests" },
  },
});

const { output } = await build({
  configFile: false,
  root,
  // Relative addresses: the panel also works behind a proxy that puts it under a path.
  base: "./",
  plugins: [{ name: "start-tags", transformIndexHtml: { order: "post", handler: addStartTags } }],
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir,
    emptyOutDir: true,
    target: TARGET,
    // The page names the scripts of the start, so that none waits for the one that imports it. Other screens load their style
    // sheets only: naming their scripts too would cost more at the start than it saves later.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, needed, { hostType }) =>
        hostType === "html" ? needed : needed.filter((name) => name.endsWith(".css")),
    },
    // The content security policy rejects data: addresses.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "start", test: START }],
        },
      },
    },
  },
});

/**
 * Puts the first requests into the page, before any other script; the daemon allows them by their hash. Names the texts of both
 * languages, of which the daemon leaves the one that the browser asks for.
 */
function addStartTags(page, { bundle }) {
  const chunks = Object.values(bundle).filter(({ type }) => type === "chunk");
  const texts = chunks.flatMap(({ facadeModuleId, fileName }) => {
    const [, language] = /\/messages\/(\w\w)\.ts$/.exec(facadeModuleId ?? "") ?? [];
    return language === undefined
      ? []
      : [`<link rel="modulepreload" crossorigin href="./${fileName}" data-language="${language}">`];
  });
  const tags = [`<script>${firstRequests.code.trim()}</script>`, ...texts];
  return page.replace(
    /( *)<script /,
    (start, indent) => `${tags.map((tag) => `${indent}${tag}\n`).join("")}${start}`,
  );
}

// Loaded at the start: the page with its style sheet and icon, and its script with what that imports at once. Other
// screens and parts have scripts and style sheets of their own, which are loaded when they are opened.
const scripts = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])));
const page = readFileSync(join(outDir, "index.html"), "utf8");
const atStart = new Set(
  output.flatMap(({ type, fileName }) =>
    type === "asset" && (fileName === "index.html" || page.includes(fileName)) ? [fileName] : [],
  ),
);
const take = (name) => {
  if (atStart.has(name)) return;
  atStart.add(name);
  for (const imported of scripts.get(name)?.imports ?? []) take(imported);
};
for (const [name, { isEntry }] of scripts) if (isEntry) take(name);
// Nothing is drawn before the texts of one language; the larger one counts.
const languages = [...scripts].filter(([, { facadeModuleId }]) =>
  /\/messages\/\w\w\.ts$/.test(facadeModuleId ?? ""),
);
const [largest] = languages.toSorted(([, a], [, b]) => b.code.length - a.code.length);
if (!largest) throw new Error("no script has the texts of a language");
take(largest[0]);

let bytes = 0;
for (const name of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
  const path = join(outDir, name);
  if (!statSync(path).isFile()) continue;
  const body = readFileSync(path);
  if (atStart.has(name)) bytes += body.length;
  if (/\.(js|css)$/.test(name)) writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
}
if (bytes > BYTES_MAX) throw new Error(`the panel loads ${bytes} bytes at its start, more than ${BYTES_MAX}`);
