import { setMaxListeners } from "node:events";
import { Agent, request } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { createSecureContext } from "node:tls";

/** Many sites that want a token of one centre. */
export interface CrowdOptions {
  readonly port: number;
  /** PEM of the centre's authority. */
  readonly ca: string;
  readonly sites: number;
  readonly emailOf: (site: number) => string;
  readonly password: string;
  /** Within this time each begins at a random moment, milliseconds. */
  readonly spreadMs: number;
  /** A site without a token by then has failed, milliseconds from the beginning on. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** What became of them. */
export interface CrowdOutcome {
  /** When the last site had its token, milliseconds from the beginning on. */
  readonly lastMs: number;
  /** The longest time between the beginning of one site and its token, milliseconds. */
  readonly longestMs: number;
  /** Answers 429 and 503, after which a site waits. */
  readonly waits: number;
  /** Connections that were refused or broke. */
  readonly broken: number;
  /** Sites without a token at the limit. */
  readonly failed: number;
}

/** Open sockets of this process, at most: those of four seconds, with a margin. */
const SOCKETS_MAX = 6_000;
/**
 * Sign-ins under way at once. The sites have a processor each, these share one: with thousands at once every handshake
 * would run into its limit. What a site waits for its turn here counts as its time.
 */
const UNDER_WAY_MAX = 128;
/** As in src/sync: how long a site keeps an idle connection, and its full-jitter wait after a fault. */
const KEEP_IDLE_MS = 4_000;
const BACK_OFF_BASE_MS = 5_000;
const BACK_OFF_CAP_MS = 600_000;
/** A site's limit for one answer, `upstream.timeoutS`. */
const TIMEOUT_MS = 15_000;

/** Has every site sign in until it has a token, each over a TLS connection of its own and from an address of its own. */
export async function signInAll(options: CrowdOptions): Promise<CrowdOutcome> {
  // Each site that waits listens for the end of the run.
  setMaxListeners(0, options.signal);
  const agent = new Agent({
    keepAlive: true,
    maxTotalSockets: SOCKETS_MAX,
    maxFreeSockets: SOCKETS_MAX,
    timeout: KEEP_IDLE_MS,
    // Read once and not for each site: the sites have a processor of their own each.
    secureContext: createSecureContext({ ca: options.ca, minVersion: "TLSv1.2" }),
  });
  const seen = { lastMs: 0, longestMs: 0, waits: 0, broken: 0, failed: 0 };
  const beginMs = performance.now();
  const passedMs = (): number => performance.now() - beginMs;
  const turns = new Turns(UNDER_WAY_MAX);
  const one = async (site: number): Promise<void> => {
    const startMs = Math.random() * options.spreadMs;
    await delay(startMs, undefined, { signal: options.signal });
    for (let failures = 1; passedMs() < options.limitMs; failures += 1) {
      const { status, retryAfterMs, body } = await turns.take(() => ask(site, options, agent));
      if (status === 200) {
        seen.lastMs = Math.max(seen.lastMs, passedMs());
        seen.longestMs = Math.max(seen.longestMs, passedMs() - startMs);
        if (passedMs() > options.limitMs) seen.failed += 1;
        return;
      }
      if (status === 0) seen.broken += 1;
      else if (status === 429 || status === 503) seen.waits += 1;
      else throw new Error(`a sign-in was answered with ${status}: ${body}`);
      const backOffMs = Math.random() * Math.min(BACK_OFF_CAP_MS, BACK_OFF_BASE_MS * 2 ** failures);
      const leftMs = options.limitMs - passedMs();
      await delay(Math.min(leftMs, Math.max(retryAfterMs, backOffMs)), undefined, { signal: options.signal });
    }
    seen.failed += 1;
  };
  try {
    await Promise.all(Array.from({ length: options.sites }, (_, site) => one(site)));
    return seen;
  } finally {
    agent.destroy();
  }
}

/** Lets so many go on at once; the others wait in the order of their coming. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((go) => void this.#waiting.push(go));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

interface Answer {
  /** 0 where there was none. */
  readonly status: number;
  readonly retryAfterMs: number;
  readonly body: string;
}

function ask(site: number, { port, emailOf, password }: CrowdOptions, agent: Agent): Promise<Answer> {
  const body = JSON.stringify({ email: emailOf(site), password });
  return new Promise((resolve) => {
    const asked = request({
      host: "127.0.0.1",
      port,
      path: "/auth/token",
      method: "POST",
      agent,
      localAddress: siteAddress(site),
      timeout: TIMEOUT_MS,
      headers: { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) },
    });
    const none = (): void => resolve({ status: 0, retryAfterMs: 0, body: "" });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", none);
    asked.on("close", none);
    asked.on("response", (response) => {
      const retryAfterMs = Number(response.headers["retry-after"] ?? 0) * 1000;
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, retryAfterMs, body: text }));
    });
    asked.end(body);
  });
}

/** An address of the loopback for each site: 127.1.0.1 and on. */
export function siteAddress(site: number): string {
  return `127.1.${Math.floor(site / 250)}.${(site % 250) + 1}`;
}
