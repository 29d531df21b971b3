import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import express, { type NextFunction, type RequestHandler } from "express";
import { AppError } from "../domain/errors.ts";

/** Largest body, after decompression. The largest intervention takes about 35 kB. */
const BODY_BYTES_MAX = 100 * 1024;

const parse = express.json({
  limit: BODY_BYTES_MAX,
  verify: (_request, _response, bytes) => {
    // Node would put U+FFFD in place of broken bytes without a word.
    if (!isUtf8(bytes)) throw new AppError("invalid", "the body is not valid UTF-8");
  },
});

/** So much of a body that is too large is still read, so that its sender can see the answer. */
const DRAINED_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads a JSON body into `request.body`, for the methods that have one.
 * Refuses a missing body (400), another media type or character set (415), a broken or too large one (400, 413).
 */
export const readBody: RequestHandler = (request, response, next) => {
  if (!METHODS_WITH_BODY.has(request.method)) {
    next();
    return;
  }
  if (announcedBytes(request) === 0) throw new AppError("invalid", "a JSON body is needed");
  if (!isJson(request.headers["content-type"] ?? ""))
    throw new AppError(
      "unsupported-media-type",
      "the body must be JSON in UTF-8: send Content-Type: application/json",
    );
  const bytes = announcedBytes(request);
  if (Number.isFinite(bytes) && bytes > DRAINED_BYTES_MAX) throw tooLarge();
  let receivedBytes = 0;
  let isOver = false;
  const finish: NextFunction = (error?: unknown) => {
    if (isOver) return;
    isOver = true;
    next(error);
  };
  // The parser reads a body that is too large to its end, however far that is.
  request.on("data", (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > DRAINED_BYTES_MAX) finish(tooLarge());
  });
  parse(request, response, finish);
};

/** Ends a connection behind an answer that was given before a large or endless body had arrived. */
export const closeUnreadBody: RequestHandler = (request, response, next) => {
  if (announcedBytes(request) <= DRAINED_BYTES_MAX) {
    next();
    return;
  }
  const writeHead = response.writeHead.bind(response) as (...words: unknown[]) => typeof response;
  response.writeHead = ((...words: unknown[]) => {
    if (!request.complete) response.setHeader("Connection", "close");
    return writeHead(...words);
  }) as typeof response.writeHead;
  next();
};

/** How long the body says it is; infinite for one that comes in chunks. */
function announcedBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers["content-length"] ?? 0);
}

function tooLarge(): AppError {
  return new AppError("too-large", "the body is larger than 100 kB");
}

/** Without a regular expression over the whole header: blanks in it could keep one busy for seconds. */
function isJson(header: string): boolean {
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  return (
    type === "application/json" &&
    parameters.every((part) => part === "" || /^charset=(?:utf-8|"utf-8")$/.test(part.replaceAll(" ", "")))
  );
}

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
