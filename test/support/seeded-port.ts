import { EventEmitter } from "node:events";
import type { MessagePort } from "node:worker_threads";
import type { Clock } from "../../src/domain/clock.ts";

/**
 * Stands in for one end of a MessageChannel, with the clock of a test and without threads. Like a real one it copies each message,
 * keeps the order of those in one direction, and may deliver them late and in any order to those of the other. When a thread ends,
 * what it has posted still arrives, then the other end closes; what it has not received is lost.
 */
export class SeededPort extends EventEmitter {
  readonly #clock: Pick<Clock, "after" | "monotonicMs">;
  readonly #delayMs: () => number;
  #other: SeededPort | undefined;
  /** When the last message posted here arrives: the next one arrives later. */
  #lastMs = 0;
  #hasEnded = false;

  private constructor(clock: Pick<Clock, "after" | "monotonicMs">, delayMs: () => number) {
    super();
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** @param delayMs of the next message */
  static pair(clock: Pick<Clock, "after" | "monotonicMs">, delayMs: () => number): [SeededPort, SeededPort] {
    const [here, there] = [new SeededPort(clock, delayMs), new SeededPort(clock, delayMs)];
    here.#other = there;
    there.#other = here;
    return [here, there];
  }

  /** As a `Channel` takes it. */
  get port(): MessagePort {
    return this as unknown as MessagePort;
  }

  postMessage(message: unknown): void {
    if (this.#hasEnded) return;
    const copy: unknown = structuredClone(message);
    this.#deliver((other) => other.emit("message", copy));
  }

  /** The thread of this end has ended. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deliver((other) => other.emit("close"));
  }

  #deliver(action: (other: SeededPort) => void): void {
    const nowMs = this.#clock.monotonicMs();
    this.#lastMs = Math.max(this.#lastMs, nowMs + this.#delayMs());
    this.#clock.after(this.#lastMs - nowMs, () => {
      const other = this.#other;
      if (other && !other.#hasEnded) action(other);
    });
  }
}
