import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request, Response } from "express";
import { sendJsonText } from "./express-fast-path.ts";

const compress = promisify(gzip);

/** Minimum size for compression: with its headers, a smaller response fits one packet of 1500 bytes. */
const COMPRESSED_BYTES_MIN = 1_000;
/** Maximum concurrent compressions: they share the thread pool with fsync and password checks. */
const CONCURRENT_MAX = 2;
/** Size of the cache; 10,000 objectives take 200 kB. */
const CACHE_BYTES_MAX = 4 * 1024 * 1024;
/** Headers stored with a page. */
const PAGE_HEADERS = ["ETag", "X-Total-Count", "Link"] as const;

interface CompressedPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends pages with gzip if the client accepts it, and caches the newest: after a power cut thousands of sites request the
 * same pages.
 */
export class CompressedPages {
  readonly #cache = new Map<string, CompressedPage>();
  #cachedBytes = 0;
  #compressing = 0;

  /**
   * Sends a cached page.
   * @param version version of the content; pages of other versions are not used
   * @returns whether there was one that the client accepts
   */
  sendCached(request: Request, response: Response, version: string): boolean {
    const page = acceptsGzip(request) ? this.#cache.get(keyOf(request, version)) : undefined;
    if (page) send(response, page);
    return page !== undefined;
  }

  /** Sends a new page; without compression while too many others are being compressed. */
  async send(
    request: Request,
    response: Response,
    { version, text }: { version: string; text: string },
  ): Promise<void> {
    const isCompressible = acceptsGzip(request) && Buffer.byteLength(text) >= COMPRESSED_BYTES_MIN;
    if (!isCompressible || this.#compressing >= CONCURRENT_MAX) {
      sendJsonText(response, text);
      return;
    }
    this.#compressing += 1;
    const body = await compress(text).finally(() => (this.#compressing -= 1));
    const headers = PAGE_HEADERS.flatMap((name) => {
      const value = response.get(name);
      return value === undefined ? [] : [[name, value]];
    });
    const page = { headers: Object.fromEntries(headers) as Record<string, string>, body };
    this.#store(keyOf(request, version), page);
    send(response, page);
  }

  #store(key: string, page: CompressedPage): void {
    this.#remove(key);
    this.#cache.set(key, page);
    this.#cachedBytes += sizeOf(key, page);
    for (const oldest of this.#cache.keys()) {
      if (this.#cachedBytes <= CACHE_BYTES_MAX) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const page = this.#cache.get(key);
    if (!page) return;
    this.#cache.delete(key);
    this.#cachedBytes -= sizeOf(key, page);
  }
}

/** Includes the requested URL, because the link to the next page contains it. */
function keyOf(request: Request, version: string): string {
  return `${version} ${request.originalUrl}`;
}

/** Estimated memory of an entry, including the map's overhead. */
function sizeOf(key: string, { headers, body }: CompressedPage): number {
  return 500 + key.length * 2 + (headers["Link"]?.length ?? 0) * 2 + body.length;
}

function send(response: Response, { headers, body }: CompressedPage): void {
  response.set(headers);
  response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", body.length);
  response.end(body);
}

function acceptsGzip(request: Request): boolean {
  return request.acceptsEncodings("gzip") === "gzip";
}
