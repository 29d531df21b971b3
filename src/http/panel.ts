import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Router, type Request, type Response } from "express";
import { addResource } from "./resource.ts";

/** Where `npm run build` leaves the panel, from the sources and from the built program alike. */
export const PANEL_FOLDER = fileURLToPath(new URL("../../dist/panel/", import.meta.url));

/** A file of the panel as it was built. */
interface PanelFile {
  readonly body: Buffer;
  /** The same, packed when the panel was built; undefined for what is not worth it. */
  readonly packed: Buffer | undefined;
  readonly type: string;
  readonly etag: string;
}

/** What the panel must know before anyone has signed in. */
export interface PanelContext {
  /** Prefix of the interface's paths. */
  readonly basePath: string;
  /** Language of a browser that asks for neither of the two. */
  readonly locale: string;
}

/**
 * The web panel at `/`: plain files, public as any sign-in page is. They are read once; all of them together are
 * smaller than one photograph.
 * @param folder what `npm run build` has made; a folder that is not there makes a daemon without a panel
 */
export function panelRouter(folder: string, place: PanelContext): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const isPage = name === "index.html";
    const file = isPage ? pageOf(join(folder, name), type, place) : fileOf(join(folder, name), type);
    addResource(router, isPage ? "/" : `/${name}`, {
      // The names of the others change with their content, so they may be kept for good.
      methods: { get: (request, response) => send(request, response, file, isPage ? "no-cache" : FOR_GOOD) },
    });
  }
  return router;
}

const FOR_GOOD = "public, max-age=31536000, immutable";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Everything from this origin and nothing from elsewhere, no markup made from text. No `upgrade-insecure-requests`: on
 * a LAN without TLS it would leave the page blank under every name but localhost.
 */
const POLICY = [
  "default-src 'none'",
  ...["script-src", "style-src", "img-src", "connect-src", "font-src"].map((kind) => `${kind} 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

function fileOf(path: string, type: string): PanelFile {
  const body = readFileSync(path);
  return {
    body,
    packed: existsSync(`${path}.gz`) ? readFileSync(`${path}.gz`) : undefined,
    type,
    etag: etagOf(body),
  };
}

function pageOf(path: string, type: string, { basePath, locale }: PanelContext): PanelFile {
  const page = readFileSync(path, "utf8")
    .replace('data-base-path=""', () => `data-base-path="${escaped(basePath)}"`)
    .replace('data-locale=""', () => `data-locale="${escaped(locale)}"`);
  const body = Buffer.from(page);
  return { body, packed: undefined, type, etag: etagOf(body) };
}

function send(request: Request, response: Response, file: PanelFile, cacheControl: string): void {
  const packed = request.acceptsEncodings("gzip") === "gzip" ? file.packed : undefined;
  response.set({
    "Content-Type": file.type,
    "Cache-Control": cacheControl,
    "Content-Security-Policy": POLICY,
    ETag: file.etag,
    Vary: "Accept-Encoding",
    ...(packed ? { "Content-Encoding": "gzip" } : {}),
  });
  response.send(packed ?? file.body);
}

/** Weak: packed or not, it is the same file (RFC 9110, 8.8.1). */
function etagOf(body: Buffer): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
