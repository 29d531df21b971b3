import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { siteAddress } from "./site-crowd.ts";

/** Many sites, each with a new connection and one alarm. */
export interface StormOptions {
  readonly port: number;
  /** A whole POST over HTTP, a character for each byte. */
  readonly request: string;
  readonly sites: number;
  /** Sites that begin in a second, evenly spread. */
  readonly perSecond: number;
  /** A site without a 201 after this time has given up, milliseconds. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** The result of a storm. */
export interface StormOutcome {
  /** Until the last site began, milliseconds: longer than planned if this process had too little processor time. */
  readonly begunMs: number;
  /** From the beginning of the first site to the last answer, milliseconds. */
  readonly totalMs: number;
  /** From the beginning of each site to its 201, milliseconds; the limit for those that gave up. */
  readonly timesMs: readonly number[];
  /** Sites that were refused, cut off, answered with an error, or not answered within the limit. */
  readonly gaveUp: number;
}

/** How often the sites that are due begin, milliseconds. */
const TICK_MS = 2;

/** Has all sites connect at their moments, whether or not the earlier ones have an answer. */
export async function storm(options: StormOptions): Promise<StormOutcome> {
  const { sites, perSecond, limitMs, signal } = options;
  const sockets = new Set<Socket>();
  // One listener for all: an abort signal looks through its listeners one by one.
  const endAll = (): void => sockets.forEach((socket) => socket.destroy());
  signal.addEventListener("abort", endAll, { once: true });
  const beginMs = performance.now();
  const under: Promise<number | undefined>[] = [];
  while (under.length < sites) {
    const due = Math.min(sites, Math.ceil(((performance.now() - beginMs) * perSecond) / 1000));
    while (under.length < due) under.push(post(under.length, options, sockets));
    await delay(TICK_MS, undefined, { signal });
  }
  const begunMs = performance.now() - beginMs;
  const answered = await Promise.all(under);
  signal.removeEventListener("abort", endAll);
  signal.throwIfAborted();
  return {
    begunMs,
    totalMs: performance.now() - beginMs,
    timesMs: answered.map((tookMs) => tookMs ?? limitMs),
    gaveUp: answered.filter((tookMs) => tookMs === undefined).length,
  };
}

/** @returns the milliseconds to the 201; undefined without one */
function post(
  site: number,
  { port, request, limitMs }: StormOptions,
  sockets: Set<Socket>,
): Promise<number | undefined> {
  const startMs = performance.now();
  return new Promise((resolve) => {
    // Without HTTP of Node.js: the sites have a processor each, these share one with the contender.
    const socket = connect({
      port,
      host: "127.0.0.1",
      localAddress: siteAddress(site),
      noDelay: true,
    });
    sockets.add(socket);
    const limit = setTimeout(() => socket.destroy(), limitMs);
    let said = "";
    socket.setEncoding("latin1");
    socket.once("connect", () => socket.write(request, "latin1"));
    socket.on("data", (text: string) => {
      said += text;
      if (!said.includes("\r\n\r\n")) return;
      const tookMs = performance.now() - startMs;
      // A busy machine also delays the limit.
      if (said.startsWith("HTTP/1.1 201 ") && tookMs <= limitMs) resolve(tookMs);
      socket.destroy();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(limit);
      sockets.delete(socket);
      resolve(undefined);
    });
  });
}
