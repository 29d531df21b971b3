import type { Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import type { Log } from "../../domain/log.ts";
import type { GpioLine, GpioPort } from "./gpio-port.ts";
import { POLL_MS, STORM_EDGES, EdgeRateLimiter } from "./edge-rate-limiter.ts";
import { contactAt, type LineBinding } from "./line-bindings.ts";

export interface WatchedLineOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Told when it cannot be read any more; it is to be closed. */
  readonly onLost: (line: MonitoredLine, error: unknown) => void;
}

/** One open line: gives each level to its wire, notices what was too short to be read, and rides out storms. */
export class MonitoredLine {
  /** Who wants to know what it says. */
  wire: LineBinding;
  readonly #options: WatchedLineOptions;
  readonly #breaker: EdgeRateLimiter;
  #line: GpioLine | undefined;
  #level: 0 | 1 | undefined;
  /** Monotonic moment of the last level that was given on. */
  #lastMs = 0;

  private constructor(wire: LineBinding, options: WatchedLineOptions) {
    this.wire = wire;
    this.#options = options;
    this.#breaker = new EdgeRateLimiter({
      clock: options.clock,
      onStorm: () => this.#calm(),
      onPoll: () => this.#poll(undefined, this.wire.takesPulses),
      onTrial: () => this.#listen(),
      onOver: () => options.conditions.clear("gpio-line-unstable", this.wire.id),
    });
  }

  /** @throws AppError `unavailable` as the port does */
  static async open(port: GpioPort, wire: LineBinding, options: WatchedLineOptions): Promise<MonitoredLine> {
    const watched = new MonitoredLine(wire, options);
    const { gpio, bias } = wire.input;
    watched.#line = await port.open(gpio, bias, (atMs) => watched.#edge(atMs));
    return watched;
  }

  /** Speaks to another wire from now on; the line stays open, and an edge that is on its way arrives there. */
  rewire(wire: LineBinding): void {
    this.wire = wire;
    if (this.#breaker.isOpen) this.#tellOfStorm();
  }

  /** Reads the level, whatever was told of it: edges get lost, and lines vanish silently. */
  look(): void {
    this.#poll(undefined, false);
  }

  /** @throws AppError when another program has changed what the line was opened as, whatever the kernel threw when it is gone */
  check(): void {
    this.#line?.check();
  }

  close(): void {
    this.#breaker.stop();
    const line = this.#line;
    this.#line = undefined;
    try {
      line?.close();
    } catch {
      // What is gone cannot be closed.
    }
  }

  #edge(atMs: number | undefined): void {
    // An edge after which the level is what it was before: a pulse came and went in between.
    if (this.#breaker.edge()) this.#poll(atMs, this.wire.takesPulses);
  }

  #poll(atMs: number | undefined, isAfterEdge: boolean): void {
    if (!this.#line) return;
    let level: 0 | 1;
    try {
      level = this.#line.read();
    } catch (error) {
      this.#options.onLost(this, error);
      return;
    }
    const was = this.#level;
    this.#level = level;
    this.#options.conditions.clear("gpio-line-failed", this.wire.id);
    if (isAfterEdge && level === was) this.#emitLevel(level === 1 ? 0 : 1, atMs);
    this.#emitLevel(level, atMs);
  }

  #emitLevel(level: 0 | 1, atMs: number | undefined): void {
    const { clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    // What the kernel noted is older than what was read meanwhile; time goes in one direction only.
    this.#lastMs = Math.max(this.#lastMs, Math.min(atMs ?? nowMs, nowMs));
    try {
      this.wire.take(contactAt(this.wire.input, level), this.#lastMs);
    } catch (error) {
      // The journal has raised its condition, and the next check sees the level again.
      log.error("gpio-reading-write-failed", { zone: this.wire.id, error });
    }
  }

  #calm(): void {
    this.#tellOfStorm();
    this.#set(true);
  }

  #tellOfStorm(): void {
    const { id, input } = this.wire;
    const storm = { line: input.gpio, edges: STORM_EDGES, pollMs: POLL_MS };
    this.#options.conditions.raise("gpio-line-unstable", storm, id);
  }

  #listen(): void {
    this.#set(false);
    this.look();
  }

  #set(isCalmed: boolean): void {
    try {
      this.#line?.setEdgeDetection(isCalmed);
    } catch (error) {
      this.#options.onLost(this, error);
    }
  }
}
