import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { OpenConnections } from "./open-connections.ts";
import { SOURCE } from "./paths.ts";

/** One kind of request, sent over and over. */
export interface Load {
  readonly port: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Bearer token; empty for none. */
  readonly token: string;
  /** File with the body of a POST; empty for none. */
  readonly bodyFile: string;
  /** More than 0: the path is followed by the numbers 1 to this one in turn. */
  readonly records: number;
  /** Connections, each with one request at a time. */
  readonly clients: number;
  readonly seconds: number;
  /** Whether each request has a connection of its own. */
  readonly closes?: boolean;
}

/** What came of it. */
export interface LoadResult {
  /** Answered requests. */
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A slow flush holds an answer back for half a second; this only ends a request that hangs. */
const TIMEOUT_S = 30;

/** From this number of connections on it is checked that all were open: a queue of the kernel may hold some of them back. */
const MANY = 1_000;

/** Why wrk cannot be used; undefined when it can. */
export function wrkMissing(): string | undefined {
  // wrk -v prints its version and ends with 1.
  const { error } = spawnSync("wrk", ["-v"]);
  return error ? "wrk is not installed; on Debian: sudo apt-get install wrk" : undefined;
}

/**
 * Sends a load and waits for its end.
 * @throws Error when an answer was no success: then its rate means nothing
 */
export async function send(load: Load, signal: AbortSignal): Promise<LoadResult> {
  const { port, method, path, token, bodyFile, records, clients, seconds, closes = false } = load;
  const how = ["-t", "1", "-c", String(clients), "-d", `${seconds}s`, "--timeout", `${TIMEOUT_S}s`];
  const where = ["-s", join(SOURCE, "wrk.lua"), `http://127.0.0.1:${port}`];
  const what = [method, path, token, bodyFile, String(records), closes ? "close" : ""];
  const open = new OpenConnections(port);
  try {
    const { stdout } = await promisify(execFile)("wrk", [...how, ...where, "--", ...what], {
      signal,
      timeout: (seconds + TIMEOUT_S) * 1000,
    });
    const result = resultOf(stdout, `${method} ${path}`);
    // With a few, a look between two of their requests may find none.
    if (clients >= MANY && open.most < clients)
      throw new Error(`${method} ${path}: of ${clients} connections only ${open.most} were open at one time`);
    return result;
  } finally {
    open.stop();
  }
}

/**
 * Reads the line that wrk.lua prints.
 * @throws Error when there is none, or when requests failed
 */
export function resultOf(stdout: string, what: string): LoadResult {
  const line = stdout.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) throw new Error(`${what}: wrk said nothing of a result: ${stdout}`);
  const said = JSON.parse(line) as Record<
    "requests" | "durationUs" | "p50Us" | "p99Us" | "refused" | "notOpened" | "reset" | "late",
    number
  >;
  const { requests, refused, notOpened, reset, late } = said;
  if (refused + notOpened + reset + late > 0 || requests === 0)
    throw new Error(
      `${what}: of ${requests} answers ${refused} were refusals; ${notOpened} connections were not opened, ` +
        `${reset} were reset, ${late} requests had no answer within ${TIMEOUT_S} s`,
    );
  return {
    requests: said.requests,
    perSecond: said.requests / (said.durationUs / 1e6),
    p50Ms: said.p50Us / 1000,
    p99Ms: said.p99Us / 1000,
  };
}
