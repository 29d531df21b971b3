import { randomUUID } from "node:crypto";
import { ApiClient, type ApiRequest, type Reply } from "../../src/client/api-client.ts";
import { alarmBackOffMs, backOffMs } from "../../src/domain/backoff.ts";
import { pause } from "../support/installation.ts";
import { REPORT } from "../support/fleet.ts";
import type { Figures, Kind } from "./figures.ts";

/** As a daemon waits for an answer, and keeps its connections (src/sync/sync.ts). */
const TIMEOUT_MS = 20_000;
const KEEP_IDLE_MS = 10_000;
const REPORT_IDLE_MS = 170_000;
/** Answers after which a daemon repeats: a refused token, a request that was read too slowly, too many of them, no database. */
const TEMPORARY: ReadonlySet<number> = new Set([401, 408, 429, 503]);

export interface LightSiteOptions {
  /** From 1; also the id of its building. */
  readonly number: number;
  readonly email: string;
  readonly password: string;
  /** Addresses of the centre's processes: what a load balancer would choose from. */
  readonly addresses: readonly string[];
  readonly figures: Figures;
}

/** A record whose creation the centre has acknowledged. */
export interface Acknowledged {
  readonly name: string;
  readonly id: number;
}

/** A site without a daemon: it sends the requests of one, with the product's client, and repeats them as one does. */
export class LightSite {
  isStopped = false;
  /** How often its records were acknowledged, by their names. */
  readonly acknowledged: Acknowledged[] = [];
  /** Names of the records that it has begun to send. */
  readonly begun: string[] = [];
  /** The longest time between two of its attempts to report, of which this process alone is the reason. */
  longestPauseMs = 0;
  readonly #options: LightSiteOptions;
  #attemptedMs: number | undefined;
  #which: number;
  #token: string | undefined;
  #records: ApiClient | undefined;
  #reports: ApiClient | undefined;

  constructor(options: LightSiteOptions) {
    this.#options = options;
    this.#which = options.number % options.addresses.length;
  }

  /** Signs in, repeatedly until it has a token. */
  async signIn(): Promise<void> {
    const { email, password } = this.#options;
    const body = JSON.stringify({ email, password });
    const reply = await this.#until("sign-in", 200, { method: "POST", path: "/auth/token", body });
    this.#token = (JSON.parse(reply.body) as { token: string }).token;
  }

  /** Sends one report, a second time to another process if the first is gone. It is not repeated: the next one replaces it. */
  async report(): Promise<void> {
    const { number, figures } = this.#options;
    const report = {
      ...REPORT,
      ref: `site-${number}`,
      name: `Site ${number}`,
      at: Date.now(),
      objective: `obiective/cladiri/${number}`,
    };
    const request = { method: "POST", path: "/site-reports", body: JSON.stringify(report) } as const;
    const { phase } = figures;
    const startMs = performance.now();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      this.#reports ??= this.#client(REPORT_IDLE_MS, 1);
      const pauseMs = performance.now() - (this.#attemptedMs ?? performance.now());
      this.longestPauseMs = Math.max(this.longestPauseMs, pauseMs);
      const reply = await this.#reports.request(this.#signed(request));
      this.#attemptedMs = performance.now();
      if (reply.kind === "answered" && reply.status === 204)
        return figures.answered(phase, "report", performance.now() - startMs);
      figures.repeated(phase, "report");
      if (reply.kind === "answered" && reply.status === 503) figures.unavailable(phase);
      await this.#afterFailure(reply);
    }
  }

  /** Creates a record under one key until it is acknowledged. */
  async create(name: string, priority: "low" | "high" = "low"): Promise<void> {
    this.begun.push(name);
    const objectiveId = this.#options.number;
    const body = JSON.stringify({ name, objectiveType: "obiective/cladiri", objectiveId, priority });
    const headers = { "Idempotency-Key": `"${randomUUID()}"` };
    const request = { method: "POST", path: "/interventii", body, headers } as const;
    const reply = await this.#until("record", 201, request, priority === "high");
    this.acknowledged.push({ name, id: (JSON.parse(reply.body) as { id: number }).id });
  }

  /** Reads its newest record again, as a site does with an open one; nothing without a record. */
  async readAgain(): Promise<void> {
    const record = this.acknowledged.at(-1);
    if (record) await this.#until("re-read", 200, { method: "GET", path: `/interventii/${record.id}` });
  }

  close(): void {
    this.#reports?.close();
    this.#records?.close();
  }

  /** @returns the answer with this status; others are repeated, those to an alarm after shorter waits */
  async #until(
    kind: Kind,
    status: number,
    request: ApiRequest,
    isAlarm = false,
  ): Promise<Extract<Reply, { kind: "answered" }>> {
    const { figures } = this.#options;
    const { phase } = figures;
    const startMs = performance.now();
    for (let failures = 0; ; failures += 1) {
      this.#records ??= this.#client(KEEP_IDLE_MS, 2);
      const reply = await this.#records.request(kind === "sign-in" ? request : this.#signed(request));
      if (reply.kind === "answered" && reply.status === status) {
        figures.answered(phase, kind, performance.now() - startMs);
        return reply;
      }
      figures.repeated(phase, kind);
      if (reply.kind === "answered" && reply.status === 503) figures.unavailable(phase);
      if (reply.kind === "answered" && !TEMPORARY.has(reply.status))
        throw new Error(`${request.method} ${request.path}: ${reply.status} ${reply.body.slice(0, 300)}`);
      await this.#afterFailure(reply, kind !== "sign-in");
      const askedMs = retryAfterMs(reply);
      const busy = reply.kind === "answered" ? { retryAfterMs: askedMs } : undefined;
      const backOff = isAlarm
        ? alarmBackOffMs(failures, Math.random(), busy)
        : backOffMs(failures, Math.random());
      await pause(Math.max(askedMs, backOff));
    }
  }

  /** Goes to the next process if this one gave no answer, and signs in again if the token was refused. */
  async #afterFailure(reply: Reply, maySignIn = true): Promise<void> {
    if (reply.kind !== "answered") {
      this.close();
      this.#reports = undefined;
      this.#records = undefined;
      this.#which = (this.#which + 1) % this.#options.addresses.length;
    } else if (reply.status === 401 && maySignIn) await this.signIn();
  }

  #signed(request: ApiRequest): ApiRequest {
    return this.#token === undefined ? request : { ...request, token: this.#token };
  }

  #client(keepIdleMs: number, connectionsMax: number): ApiClient {
    const baseUrl = this.#options.addresses[this.#which] ?? "";
    return new ApiClient({ baseUrl, timeoutMs: TIMEOUT_MS, keepIdleMs, connectionsMax });
  }
}

/** What the answer asks a site to wait, in milliseconds; only the centre's form of the header, seconds. */
function retryAfterMs(reply: Reply): number {
  return reply.kind === "answered" ? Number(reply.headers["retry-after"] ?? 0) * 1000 : 0;
}
