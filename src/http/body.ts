import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import express, { type NextFunction, type RequestHandler } from "express";
import { AppError } from "../domain/errors.ts";

/** Largest body, after decompression. The largest intervention takes about 35 kB. */
const BODY_BYTES_MAX = 100 * 1024;

/** Deepest nesting of a body; the deepest valid one, a list of changes of zones, has eight levels. */
const LEVELS_MAX = 64;

const parse = express.json({
  limit: BODY_BYTES_MAX,
  verify: (_request, _response, bytes) => {
    // Node.js would silently replace invalid bytes by U+FFFD.
    if (!isUtf8(bytes)) throw new AppError("invalid", "the body is not valid UTF-8");
  },
});

/** Maximum bytes read of a too large body, so that the client can receive the response. */
const DRAINED_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads a JSON body into `request.body`. Rejects a missing, invalid or too deeply nested body (400), another media
 * type or character set (415) and a too large body (413).
 */
export const readBody: RequestHandler = (request, response, next) => {
  if (declaredBytes(request) === 0) throw new AppError("invalid", "a JSON body is required");
  if (!isJson(request.headers["content-type"] ?? ""))
    throw new AppError(
      "unsupported-media-type",
      "the body must be JSON in UTF-8: send Content-Type: application/json",
    );
  const bytes = declaredBytes(request);
  if (Number.isFinite(bytes) && bytes > DRAINED_BYTES_MAX) throw tooLarge();
  let receivedBytes = 0;
  let isOver = false;
  const finish: NextFunction = (error?: unknown) => {
    if (isOver) return;
    isOver = true;
    const isTooDeep = error === undefined && nestsDeeper(request.body, LEVELS_MAX);
    next(isTooDeep ? new AppError("invalid", `the body nests deeper than ${LEVELS_MAX} levels`) : error);
  };
  // The parser would read a too large body to its end.
  request.on("data", (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > DRAINED_BYTES_MAX) finish(tooLarge());
  });
  parse(request, response, finish);
};

/** Closes the connection after a response that was sent before a large or endless body had arrived. */
export const closeUnreadBody: RequestHandler = (request, response, next) => {
  if (declaredBytes(request) <= DRAINED_BYTES_MAX) {
    next();
    return;
  }
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => typeof response;
  response.writeHead = ((...args: unknown[]) => {
    if (!request.complete) response.setHeader("Connection", "close");
    return writeHead(...args);
  }) as typeof response.writeHead;
  next();
};

/** Whether a parsed body has more levels than `levels`. A copy for another thread would need more stack than there is. */
function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => nestsDeeper(one, levels - 1));
}

/** Declared size of the body; infinite for a chunked one. */
function declaredBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers["content-length"] ?? 0);
}

function tooLarge(): AppError {
  return new AppError("too-large", "the body is larger than 100 kB");
}

/** No regular expression over the whole header: many blanks could make it take seconds. */
function isJson(header: string): boolean {
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  return (
    type === "application/json" &&
    parameters.every((part) => part === "" || /^charset=(?:utf-8|"utf-8")$/.test(part.replaceAll(" ", "")))
  );
}
