import type { Request } from "express";
import type { Clock } from "../domain/clock.ts";
import { AppError, type AppErrorCode } from "../domain/errors.ts";
import { principalOf } from "../http/auth-guards.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import type { Handler } from "../http/resource.ts";

/** A person repeats a request within minutes, and a script within seconds. */
const KEPT_MS = 600_000;
const KEYS_MAX = 256;

/** Refusals that say that nothing was done. After any other error the request is carried out again. */
const DECIDED: ReadonlySet<AppErrorCode> = new Set(["invalid", "not-found", "conflict"]);

/** What a valid request wants. */
export interface Order {
  /** Its values, the same for each repetition. */
  readonly body: readonly unknown[];
  readonly run: () => Promise<unknown>;
}

interface FirstResult {
  readonly body: string;
  readonly beganMs: number;
  readonly result: Promise<unknown>;
  isPending: boolean;
}

/**
 * The results of requests with an idempotency key that must not be carried out twice, such as a test trip whose response was lost.
 * They are in memory: a restart forgets them.
 */
export class FirstResults {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** In the order of their beginning. */
  readonly #results = new Map<string, FirstResult>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /**
   * Carries an order out unless it was before.
   * @param name of the request: its account, path and key
   * @returns the first result, also if it is a refusal or not there yet
   * @throws AppError `key-reused` for another order
   */
  once(
    name: readonly unknown[],
    { body, run }: Order,
  ): { readonly result: Promise<unknown>; readonly isRepeated: boolean } {
    this.#removeOld();
    const id = JSON.stringify(name);
    const wanted = JSON.stringify(body);
    const first = this.#results.get(id);
    if (!first) return { result: this.#begin(id, wanted, run), isRepeated: false };
    if (first.body !== wanted)
      throw new AppError("key-reused", "Idempotency-Key was already used with a different body");
    return { result: first.result, isRepeated: true };
  }

  #begin(id: string, body: string, run: Order["run"]): Promise<unknown> {
    if (this.#results.size >= KEYS_MAX) this.#removeOldest();
    const result = run();
    const first = { body, beganMs: this.#clock.monotonicMs(), result, isPending: true };
    this.#results.set(id, first);
    const finish = (): void => void (first.isPending = false);
    result.then(finish, (error: unknown) => {
      finish();
      if (!(error instanceof AppError && DECIDED.has(error.code))) this.#results.delete(id);
    });
    return result;
  }

  #removeOld(): void {
    const oldestMs = this.#clock.monotonicMs() - KEPT_MS;
    for (const [id, { beganMs, isPending }] of this.#results)
      if (beganMs <= oldestMs && !isPending) this.#results.delete(id);
  }

  /** The number of pending requests has a limit of its own: that of the connections. */
  #removeOldest(): void {
    const [oldest] = [...this.#results].find(([, { isPending }]) => !isPending) ?? [];
    if (oldest !== undefined) this.#results.delete(oldest);
  }
}

/** As `json`, for what is carried out once for each Idempotency-Key. @param orderOf throws for an invalid request */
export function onceJson(results: FirstResults, orderOf: (request: Request) => Order): Handler {
  return async (request, response) => {
    const order = orderOf(request);
    const key = idempotencyKeyOf(request);
    if (key === undefined) return void response.json(await order.run());
    const name = [principalOf(request).accountId, request.path, key];
    const { result, isRepeated } = results.once(name, order);
    const answer = await result;
    // As for records: the echo tells a client that repeating the request is safe.
    response.set("Idempotency-Key", request.get("Idempotency-Key") ?? "");
    if (isRepeated) response.set("Idempotency-Replayed", "true");
    response.json(answer);
  };
}
