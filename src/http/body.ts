import { isUtf8 } from "node:buffer";
import express, { type RequestHandler } from "express";
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

/**
 * Reads a JSON body into `request.body`, for the methods that have one.
 * Refuses a missing body (400), another media type or character set (415), a broken or too large one (400, 413).
 */
export const readBody: RequestHandler = (request, response, next) => {
  if (!METHODS_WITH_BODY.has(request.method)) {
    next();
    return;
  }
  const hasBody =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  if (!hasBody) throw new AppError("invalid", "a JSON body is needed");
  if (!JSON_TYPE.test(request.headers["content-type"] ?? ""))
    throw new AppError(
      "unsupported-media-type",
      "the body must be JSON in UTF-8: send Content-Type: application/json",
    );
  parse(request, response, next);
};

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const JSON_TYPE = /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;
