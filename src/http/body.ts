import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { brotliDecompress, gunzip, inflate, type InputType, type ZlibOptions } from "node:zlib";
import type { NextFunction, Request, RequestHandler } from "express";
import { CollectedBytes } from "../domain/collected-bytes.ts";
import { AppError } from "../domain/errors.ts";

/** Largest JSON body, after decompression. The largest intervention takes about 35 kB. */
const JSON_BYTES_MAX = 100 * 1024;

/** Deepest nesting of a body; the deepest valid one, a list of changes of zones, has eight levels. */
const LEVELS_MAX = 64;

/** Maximum bytes read of a too large body, so that the client can receive the response. */
const DRAINED_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads a JSON body into `request.body`. Rejects a missing, invalid or too deeply nested body (400), another media
 * type, encoding or character set (415) and a too large body (413).
 */
export const readBody: RequestHandler = (request, _response, next) => {
  if (declaredBytes(request) === 0) throw new AppError("invalid", "a JSON body is required");
  if (!isJson(request.headers["content-type"] ?? ""))
    throw new AppError(
      "unsupported-media-type",
      "the body must be JSON in UTF-8: send Content-Type: application/json",
    );
  const unpack = unpackerOf(request);
  collect(request, JSON_BYTES_MAX, (result) => {
    if (result instanceof AppError) return next(result);
    if (!unpack) return take(request, result, next);
    unpack(result, { maxOutputLength: JSON_BYTES_MAX }, (error, unpacked) => {
      if (!error) take(request, unpacked, next);
      else next(isTooLong(error) ? tooLarge(JSON_BYTES_MAX) : new AppError("invalid", NOT_JSON));
    });
  });
};

/**
 * Reads a body of any bytes into `request.body`; undefined if it has another media type.
 * @param bytesMax of the body; a larger one is rejected (413)
 */
export function readBytes(bytesMax: number): RequestHandler {
  return (request, _response, next) => {
    const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
    if (type !== "application/octet-stream") return next();
    if ((request.headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity")
      throw new AppError("unsupported-media-type", "send the bytes as they are, without Content-Encoding");
    collect(request, bytesMax, (result) => {
      if (result instanceof AppError) return next(result);
      request.body = result;
      next();
    });
  };
}

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

/** Reads the body of a request to its end, or up to `DRAINED_BYTES_MAX` of a too large one. Calls `done` once. */
function collect(
  request: IncomingMessage,
  bytesMax: number,
  done: (result: Buffer | AppError) => void,
): void {
  const bytes = declaredBytes(request);
  if (Number.isFinite(bytes) && bytes > DRAINED_BYTES_MAX) throw tooLarge(bytesMax);
  const collected = new CollectedBytes(bytesMax);
  let receivedBytes = 0;
  let isOver = false;
  const finish = (result: Buffer | AppError): void => {
    if (isOver) return;
    isOver = true;
    done(result);
  };
  request.on("data", (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (!isOver) collected.add(chunk);
    if (receivedBytes > DRAINED_BYTES_MAX) finish(tooLarge(bytesMax));
  });
  request.on("end", () => finish(collected.isTooLong ? tooLarge(bytesMax) : collected.take()));
  const onAborted = (): void =>
    finish(new AppError("invalid", "the connection closed before the body was complete"));
  request.on("error", onAborted);
  request.on("close", onAborted);
}

/** Parses a JSON body. Its memory is not kept. */
function take(request: Request, bytes: Buffer, next: NextFunction): void {
  // Node.js would silently replace invalid bytes by U+FFFD.
  if (!isUtf8(bytes)) return next(new AppError("invalid", "the body is not valid UTF-8"));
  const text = bytes.toString("utf8");
  let body: unknown;
  try {
    // RFC 8259, 8.1: a byte order mark may be ignored.
    body = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch {
    return next(new AppError("invalid", text.trim() === "" ? "a JSON body is required" : NOT_JSON));
  }
  if (typeof body !== "object" || body === null) return next(new AppError("invalid", "send a JSON object"));
  if (nestsDeeper(body, LEVELS_MAX))
    return next(new AppError("invalid", `the body nests deeper than ${LEVELS_MAX} levels`));
  request.body = body;
  next();
}

const NOT_JSON = "the body is not valid JSON";

type Unpack = (
  bytes: InputType,
  options: ZlibOptions,
  done: (error: Error | null, unpacked: Buffer) => void,
) => void;

const UNPACKERS: Readonly<Record<string, Unpack | undefined>> = {
  identity: undefined,
  gzip: gunzip,
  deflate: inflate,
  br: brotliDecompress,
};

/** @throws AppError `unsupported-media-type` for another encoding */
function unpackerOf({ headers }: IncomingMessage): Unpack | undefined {
  const encoding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (!Object.hasOwn(UNPACKERS, encoding)) throw encodingError();
  return UNPACKERS[encoding];
}

function encodingError(): AppError {
  return new AppError(
    "unsupported-media-type",
    "the body's encoding or character set is not supported; send UTF-8 JSON",
  );
}

function isTooLong(error: NodeJS.ErrnoException): boolean {
  return error.code === "ERR_BUFFER_TOO_LARGE";
}

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

function tooLarge(bytesMax: number): AppError {
  const size = bytesMax < 1_048_576 ? `${bytesMax / 1024} kB` : `${bytesMax / 1_048_576} MB`;
  return new AppError("too-large", `the body is larger than ${size}`);
}

/** No regular expression over the whole header: many blanks could make it take seconds. */
function isJson(header: string): boolean {
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  return (
    type === "application/json" &&
    // Other parameters have no meaning for JSON (RFC 8259, 11).
    parameters.every(
      (part) => !part.startsWith("charset") || /^charset=(?:utf-8|"utf-8")$/.test(part.replaceAll(" ", "")),
    )
  );
}
