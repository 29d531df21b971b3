import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CollectedBytes } from "../domain/collected-bytes.ts";

/**
 * Maximum size of a response, also decompressed: pages of the API have at most 1000 records of a few kB, and 16 kB
 * of gzip can expand to 16 MB.
 */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** A response above this size is large. */
export const LARGE_BYTES = 1024 * 1024;

/** Error code of a gzip response that cannot be decompressed. */
export const NOT_UNPACKED = "NOT-UNPACKED";
/** Error code of a response of the API, with status 200, that is above the limit. */
export const TOO_LARGE = "TOO-LARGE";

/** Limits of the responses to one client. */
export interface ResponseLimits {
  readonly bytesMax: number;
  /** Called when a response is large, before its text is made. @returns called at its end */
  onLarge(): () => void;
}

const DEFAULT_LIMITS: ResponseLimits = { bytesMax: RESPONSE_BYTES_MAX, onLarge: () => () => {} };

/** A response that is being read. */
export interface ResponseBody {
  /** Whether it has been paused behind another large one since the last call, so that part of its time has passed without it. */
  readonly takeWait: () => boolean;
}

interface LargeResponse {
  readonly isUrgent: boolean;
  readonly pause: () => void;
  readonly resume: () => void;
}

/**
 * The large responses that arrive in this thread, urgent ones first. Only the first continues: a server that sends the largest
 * possible one to each of a dozen requests would use up the memory of the service. It waits for nothing, so the others do not wait
 * indefinitely. What has arrived of the others are bytes outside the heap.
 */
let large: readonly LargeResponse[] = [];

/** Adds a response, or removes it, and lets the first one continue. */
function setLarge(next: readonly LargeResponse[]): void {
  const [before] = large;
  const [first] = next;
  large = next;
  if (before === first) return;
  if (before && next.includes(before)) before.pause();
  first?.resume();
}

/**
 * Reads the body of a response, and decompresses gzip. Calls one of the two functions; further calls may follow.
 * @param fail called for a response that is interrupted, too large or cannot be decompressed
 */
export function readResponseBody(
  response: IncomingMessage,
  answered: (body: string) => void,
  fail: (error: Error) => void,
  { limits = DEFAULT_LIMITS, isUrgent = false }: { limits?: ResponseLimits | undefined; isUrgent?: boolean },
): ResponseBody {
  const { bytesMax } = limits;
  const collected = new CollectedBytes(bytesMax);
  const body = decompressed(response, fail);
  const own: LargeResponse = {
    isUrgent,
    pause: () => {
      hasWaited = true;
      body.pause();
    },
    resume: () => void body.resume(),
  };
  let hasWaited = false;
  let sizeBytes = 0;
  let ended = (): void => {};
  const leave = (): void => {
    setLarge(large.filter((other) => other !== own));
    ended();
  };
  const giveUp = (): void => {
    const message = `the response is larger than ${bytesMax / 1024 / 1024} MiB`;
    const error = Object.assign(new Error(message), isOfApi(response) ? { code: TOO_LARGE } : {});
    fail(error);
    body.destroy();
    response.destroy(error);
  };
  body.on("data", (chunk: Buffer) => {
    collected.add(chunk);
    const wasLarge = sizeBytes > LARGE_BYTES;
    sizeBytes += chunk.length;
    if (collected.isTooLong) return giveUp();
    if (wasLarge || sizeBytes <= LARGE_BYTES) return;
    ended = limits.onLarge();
    const before = large.filter((other) => other.isUrgent || !isUrgent);
    setLarge([...before, own, ...large.filter((other) => !before.includes(other))]);
    if (large[0] !== own) own.pause();
  });
  body.on("end", () => answered(collected.take().toString("utf8")));
  body.on("close", leave);
  response.on("error", fail);
  response.on("close", () => {
    if (!response.complete) fail(new Error("connection closed before the response was complete"));
  });
  return {
    takeWait: () => {
      const isWaiting = large.indexOf(own) > 0;
      const before = hasWaited;
      hasWaited = false;
      return before || isWaiting;
    },
  };
}

/** Whether a response is one of the API: the page of a network may have any size. */
function isOfApi({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 200 && /^application\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
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
