import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CollectedBytes } from "../domain/collected-bytes.ts";

/**
 * Maximum size of a response, also decompressed: pages of the API have at most 1000 records of a few kB, and 16 kB
 * of gzip can expand to 16 MB.
 */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** A response up to this size does not count towards the next limit, so that large ones never prevent it. */
const SMALL_BYTES = 64 * 1024;
/**
 * Maximum for all larger responses that a thread receives at a time: a server that sends the largest possible response to
 * each of a dozen requests would use up the memory of the service.
 */
const LARGE_RESPONSES_BYTES_MAX = 24 * 1024 * 1024;

/** Error code of a gzip response that cannot be decompressed. */
export const NOT_UNPACKED = "NOT-UNPACKED";

/** Bytes of the large responses that are being received in this thread. */
let largeBytes = 0;

/**
 * Reads the body of a response, and decompresses gzip. Calls one of the two functions; further calls may follow.
 * @param fail called for a response that is interrupted, too large or cannot be decompressed
 */
export function readResponseBody(
  response: IncomingMessage,
  answered: (body: string) => void,
  fail: (error: Error) => void,
): void {
  const collected = new CollectedBytes(RESPONSE_BYTES_MAX);
  let sizeBytes = 0;
  let countedBytes = 0;
  const release = (): void => {
    largeBytes -= countedBytes;
    countedBytes = 0;
  };
  const body = decompressed(response, fail);
  const giveUp = (message: string): void => {
    const error = new Error(message);
    fail(error);
    body.destroy();
    response.destroy(error);
  };
  body.on("data", (chunk: Buffer) => {
    collected.add(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > SMALL_BYTES) {
      largeBytes += sizeBytes - countedBytes;
      countedBytes = sizeBytes;
    }
    if (collected.isTooLong) giveUp(`the response is larger than ${RESPONSE_BYTES_MAX} bytes`);
    else if (largeBytes > LARGE_RESPONSES_BYTES_MAX)
      giveUp(`all responses that arrive now are larger than ${LARGE_RESPONSES_BYTES_MAX} bytes`);
  });
  body.on("end", () => answered(collected.take().toString("utf8")));
  body.on("close", release);
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
  // A pipe does not end its target if its source is destroyed.
  response.on("close", () => void (response.complete || gunzip.destroy()));
  return response.pipe(gunzip);
}
