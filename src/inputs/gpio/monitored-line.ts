import type { Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { lineName } from "../../domain/gpio-chip.ts";
import type { Log } from "../../domain/log.ts";
import type { GpioLine, GpioPort } from "./gpio-port.ts";
import { POLL_MS, STORM_EDGES, EdgeRateLimiter } from "./edge-rate-limiter.ts";
import { contactAt, type LineBinding } from "./line-bindings.ts";

interface MonitoredLineOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Called when the line can no longer be read; it is to be closed. */
  readonly onLost: (line: MonitoredLine, error: unknown) => void;
}

/** One open line: reports each level, detects pulses too short to be read, and switches to polling in an edge storm. */
export class MonitoredLine {
  /** Consumer of its readings. */
  binding: LineBinding;
  readonly #options: MonitoredLineOptions;
  readonly #rateLimiter: EdgeRateLimiter;
  #line: GpioLine | undefined;
  #level: 0 | 1 | undefined;
  /** Monotonic time of the last change. */
  #lastMs = 0;

  private constructor(binding: LineBinding, options: MonitoredLineOptions) {
    this.binding = binding;
    this.#options = options;
    this.#rateLimiter = new EdgeRateLimiter({
      clock: options.clock,
      onStorm: () => this.#onStorm(),
      onPoll: () => this.#poll(undefined, this.binding.countsPulses),
      onTrial: () => this.#tryEdgeDetection(),
      onOver: () => options.conditions.clear("gpio-line-unstable", this.binding.id),
    });
  }

  /** @throws AppError `unavailable` as the port does */
  static async open(
    port: GpioPort,
    binding: LineBinding,
    options: MonitoredLineOptions,
  ): Promise<MonitoredLine> {
    const monitored = new MonitoredLine(binding, options);
    const { gpio, bias } = binding.input;
    monitored.#line = await port.open(gpio, bias, (atMs) => monitored.#edge(atMs));
    return monitored;
  }

  /** Reports to another binding from now on; the line stays open, and a pending edge is reported there. */
  rebind(binding: LineBinding): void {
    this.binding = binding;
    if (this.#rateLimiter.isOpen) this.#reportStorm();
  }

  /** Reads the level even without an edge: edges get lost, and lines can disappear silently. */
  poll(): void {
    this.#poll(undefined, false);
  }

  /** @throws AppError when another program has changed the line, or the kernel's error when the line is unavailable */
  check(): void {
    this.#line?.check();
  }

  close(): void {
    this.#rateLimiter.stop();
    const line = this.#line;
    this.#line = undefined;
    try {
      line?.close();
    } catch {
      // A removed line cannot be closed.
    }
  }

  #edge(atMs: number | undefined): void {
    // The same level after an edge means that a pulse occurred in between.
    if (this.#rateLimiter.edge()) this.#poll(atMs, this.binding.countsPulses);
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
    const previous = this.#level;
    this.#level = level;
    this.#options.conditions.clear("gpio-line-failed", this.binding.id);
    const nowMs = this.#options.clock.monotonicMs();
    // It may be the level of a while ago: an edge that is still to be reported keeps its time.
    if (!isAfterEdge && level === previous) return this.#take(level, nowMs);
    // An edge may be older than the last change that was polled; times must not decrease.
    this.#lastMs = Math.max(this.#lastMs, Math.min(atMs ?? nowMs, nowMs));
    if (level === previous) this.#take(level === 1 ? 0 : 1, this.#lastMs);
    this.#take(level, this.#lastMs);
  }

  #take(level: 0 | 1, atMs: number): void {
    try {
      this.binding.take(contactAt(this.binding.input, level), atMs);
    } catch (error) {
      // The journal has raised its condition, and the next check reads the level again.
      this.#options.log.error("gpio-reading-write-failed", { zone: this.binding.id, error });
    }
  }

  #onStorm(): void {
    this.#reportStorm();
    this.#setEdgeDetection(true);
  }

  #reportStorm(): void {
    const { id, input } = this.binding;
    const storm = { line: lineName(input), edges: STORM_EDGES, pollMs: POLL_MS };
    this.#options.conditions.raise("gpio-line-unstable", storm, id);
    this.binding.unsettle?.();
  }

  #tryEdgeDetection(): void {
    this.#setEdgeDetection(false);
    this.poll();
  }

  #setEdgeDetection(isDebounced: boolean): void {
    try {
      this.#line?.setEdgeDetection(isDebounced);
    } catch (error) {
      this.#options.onLost(this, error);
    }
  }
}
