import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request, Response } from "express";
import { sendJsonText } from "./express-fast-path.ts";

const pack = promisify(gzip);

/** With its head, a smaller answer fits into one packet of 1500 bytes. */
const SMALL_BYTES = 1_000;
/** Packing runs in the thread pool that also flushes the disk and compares passwords. */
const AT_ONCE_MAX = 2;
/** Packed pages that are kept: 10,000 objectives of a centre take 200 kB. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** The headers that belong to a page. */
const PAGE_HEADERS = ["ETag", "X-Total-Count", "Link"] as const;

interface PackedPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Answers with gzip where the client accepts it, and keeps the newest packed pages: after a power cut thousands of sites
 * ask a centre for the same ones.
 */
export class CompressedPages {
  readonly #kept = new Map<string, PackedPage>();
  #keptBytes = 0;
  #packing = 0;

  /**
   * Answers a page as it is kept.
   * @param version of what the page shows; a page of another version is not used
   * @returns whether there is one that the client accepts
   */
  sendKept(request: Request, response: Response, version: string): boolean {
    const page = acceptsGzip(request) ? this.#kept.get(keyOf(request, version)) : undefined;
    if (page) send(response, page);
    return page !== undefined;
  }

  /** Answers a page that was made just now. While others are being packed it goes out as it is: nothing waits in line. */
  async send(
    request: Request,
    response: Response,
    { version, text }: { version: string; text: string },
  ): Promise<void> {
    const isWorthwhile = acceptsGzip(request) && Buffer.byteLength(text) >= SMALL_BYTES;
    if (!isWorthwhile || this.#packing >= AT_ONCE_MAX) {
      sendJsonText(response, text);
      return;
    }
    this.#packing += 1;
    const body = await pack(text).finally(() => (this.#packing -= 1));
    const named = PAGE_HEADERS.flatMap((name) => {
      const value = response.get(name);
      return value === undefined ? [] : [[name, value]];
    });
    const page = { headers: Object.fromEntries(named) as Record<string, string>, body };
    this.#keep(keyOf(request, version), page);
    send(response, page);
  }

  #keep(key: string, page: PackedPage): void {
    this.#forget(key);
    this.#kept.set(key, page);
    this.#keptBytes += sizeOf(key, page);
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= KEPT_BYTES_MAX) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const page = this.#kept.get(key);
    if (!page) return;
    this.#kept.delete(key);
    this.#keptBytes -= sizeOf(key, page);
  }
}

/** The address as it was asked, because it stands in the link to the next page; and what the page is a version of. */
function keyOf(request: Request, version: string): string {
  return `${version} ${request.originalUrl}`;
}

/** With what an entry of a map takes beside its key and its bytes. */
function sizeOf(key: string, { headers, body }: PackedPage): number {
  return 500 + key.length * 2 + (headers["Link"]?.length ?? 0) * 2 + body.length;
}

function send(response: Response, { headers, body }: PackedPage): void {
  response.set(headers);
  response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", body.length);
  response.end(body);
}

function acceptsGzip(request: Request): boolean {
  return request.acceptsEncodings("gzip") === "gzip";
}
