import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/**
 * Maximum size of a response, also decompressed: pages of the API have at most 1000 records of a few kB, and 16 kB
 * of gzip can expand to 16 MB.
 */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

/** Error code of a gzip response that cannot be decompressed. */
export const NOT_UNPACKED = "NOT-UNPACKED";

/** Reads the body of a response, and decompresses gzip. Calls one of the two functions; further calls may follow. */
export function readBody(
  response: IncomingMessage,
  answered: (body: string) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const body = decompressed(response, fail);
  body.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > RESPONSE_BYTES_MAX) {
      const error = new Error(`the response is larger than ${RESPONSE_BYTES_MAX} bytes`);
      fail(error);
      body.destroy();
      response.destroy(error);
    } else chunks.push(chunk);
  });
  body.on("end", () => answered(Buffer.concat(chunks).toString("utf8")));
  response.on("error", fail);
  response.on("close", () => {
    if (!response.complete) fail(new Error("connection closed before the response was complete"));
  });
}

function decompressed(response: IncomingMessage, fail: (error: Error) => void): Readable {
  const { statusCode, headers } = response;
  const isCompressed = /^(?:x-)?gzip$/i.test(headers["content-encoding"]?.trim() ?? "");
  if (!isCompressed || statusCode === 204 || statusCode === 304) return response;
  const gunzip = createGunzip();
  gunzip.on("error", (cause) => {
    const message = `the response cannot be decompressed: ${cause.message}`;
    const error = Object.assign(new Error(message, { cause }), { code: NOT_UNPACKED });
    fail(error);
    response.destroy(error);
  });
  return response.pipe(gunzip);
}
