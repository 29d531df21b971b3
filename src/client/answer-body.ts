import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/**
 * The largest answer that is read, packed or unpacked: the interface's pages hold at most 1000 records of a few kB, and
 * 16 kB of gzip can unpack to 16 MB.
 */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** Code of an answer that says gzip and cannot be unpacked. */
export const NOT_UNPACKED = "NOT-UNPACKED";

/** Reads the body of an answer, unpacking it where it says gzip. One of the two functions is called; further calls may follow. */
export function readBody(
  response: IncomingMessage,
  answered: (body: string) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const body = unpacked(response, fail);
  body.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > ANSWER_BYTES_MAX) {
      const error = new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`);
      fail(error);
      body.destroy();
      response.destroy(error);
    } else chunks.push(chunk);
  });
  body.on("end", () => answered(Buffer.concat(chunks).toString("utf8")));
  response.on("error", fail);
  response.on("close", () => {
    if (!response.complete) fail(new Error("the connection was closed in the middle of the answer"));
  });
}

function unpacked(response: IncomingMessage, fail: (error: Error) => void): Readable {
  const { statusCode, headers } = response;
  const isPacked = /^(?:x-)?gzip$/i.test(headers["content-encoding"]?.trim() ?? "");
  if (!isPacked || statusCode === 204 || statusCode === 304) return response;
  const gunzip = createGunzip();
  gunzip.on("error", (cause) => {
    const message = `the answer cannot be unpacked: ${cause.message}`;
    const error = Object.assign(new Error(message, { cause }), { code: NOT_UNPACKED });
    fail(error);
    response.destroy(error);
  });
  return response.pipe(gunzip);
}
