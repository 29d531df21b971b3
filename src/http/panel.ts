import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Router, type Request, type Response } from "express";
import { addResource, PUBLIC } from "./resource.ts";

/** Output folder of `npm run build` for the panel; the path is valid from src and dist. */
export const PANEL_FOLDER = fileURLToPath(new URL("../../dist/panel/", import.meta.url));

/** A built file of the panel. */
interface PanelFile {
  readonly body: Buffer;
  /** The gzip version from the build; undefined if there is none. */
  readonly compressed: Buffer | undefined;
  readonly type: string;
  readonly etag: string;
  /** Its content security policy. */
  readonly policy: string;
}

/** Settings that the panel needs before sign-in. */
interface PanelContext {
  /** Prefix of the API's paths. */
  readonly basePath: string;
  /** Language for browsers that request neither Romanian nor English. */
  readonly locale: string;
}

/**
 * Serves the web panel at `/`: static files, public like any sign-in page, read once at the start.
 * @param folder output of `npm run build`; if it does not exist, there is no panel
 */
export function panelRouter(folder: string, context: PanelContext): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    if (name === "index.html") {
      addPage(router, readFileSync(join(folder, name), "utf8"), type, context);
      continue;
    }
    const file = fileOf(join(folder, name), type);
    // Names of assets change with their content, so they may be cached permanently.
    const cacheControl = name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    addResource(router, `/${name}`, PUBLIC, {
      get: (request, response) => send(request, response, file, cacheControl),
    });
  }
  return router;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  // An iPhone asks for /apple-touch-icon.png when the panel is added to its home screen, and takes no SVG.
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

/**
 * Allows this origin only and no markup from strings; pictures also from memory, where the page puts those that it has requested with
 * its token. No `upgrade-insecure-requests`: on a LAN without TLS the page would
 * stay blank except on localhost.
 * @param page allows its script without an address, and no other
 */
function policyOf(page = ""): string {
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(" "),
    ...["style-src", "connect-src", "font-src", "manifest-src", "worker-src"].map((kind) => `${kind} 'self'`),
    "img-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

const POLICY = policyOf();

function fileOf(path: string, type: string): PanelFile {
  const body = readFileSync(path);
  return {
    body,
    compressed: existsSync(`${path}.gz`) ? readFileSync(`${path}.gz`) : undefined,
    type,
    etag: etagOf(body),
    policy: POLICY,
  };
}

/** The page itself, which loads the texts of the language that the browser prefers at once. */
function addPage(router: Router, built: string, type: string, { basePath, locale }: PanelContext): void {
  const page = built
    .replace('data-base-path=""', () => `data-base-path="${escaped(basePath)}"`)
    .replace('data-locale=""', () => `data-locale="${escaped(locale)}"`);
  const languages = [...page.matchAll(/ data-language="(\w+)"/g)].flatMap(([, one]) => one ?? []);
  // A browser that prefers none of them gets the language of the site.
  const offered = [...new Set([...languages.filter((one) => one === locale), ...languages])];
  const files = new Map(languages.map((one) => [one, pageIn(page, one, type)]));
  const plain = pageIn(page, "", type);
  addResource(router, "/", PUBLIC, {
    get: (request, response) => {
      const preferred = request.acceptsLanguages(offered);
      const file = files.get(preferred === false ? locale : preferred) ?? plain;
      send(request, response, file, "no-cache", "Accept-Encoding, Accept-Language");
    },
  });
}

/** The page without the texts of the other languages. */
function pageIn(page: string, language: string, type: string): PanelFile {
  const body = Buffer.from(
    page.replace(/ *<link [^>]* data-language="(\w+)">\n/g, (link, its: string) =>
      its === language ? link : "",
    ),
  );
  return { body, compressed: undefined, type, etag: etagOf(body), policy: policyOf(page) };
}

function send(
  request: Request,
  response: Response,
  file: PanelFile,
  cacheControl: string,
  vary = "Accept-Encoding",
): void {
  const compressed = request.acceptsEncodings("gzip") === "gzip" ? file.compressed : undefined;
  response.set({
    "Content-Type": file.type,
    "Cache-Control": cacheControl,
    "Content-Security-Policy": file.policy,
    ETag: file.etag,
    Vary: vary,
    ...(compressed ? { "Content-Encoding": "gzip" } : {}),
  });
  response.send(compressed ?? file.body);
}

/** Weak, because compressed and plain responses share it (RFC 9110, 8.8.1). */
function etagOf(body: Buffer): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
