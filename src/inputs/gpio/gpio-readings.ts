import type { CancelTimer, Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import { CharacterDeviceLines } from "./character-device.ts";
import type { GpioPort } from "./gpio-port.ts";
import { lineBindingsOf, type LineBinding } from "./line-bindings.ts";
import { MonitoredLine } from "./monitored-line.ts";
import { OnoffLines, releaseExportedLines } from "./onoff-lines.ts";

export interface GpioReadingsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneEngine;
  /** Opens the backend. @throws AppError `unavailable` with the remedy */
  readonly openPort: () => GpioPort | Promise<GpioPort>;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Interval at which every line is read even without an edge: edges get lost, and lines can disappear silently. */
const CHECK_EVERY_MS = 10_000;
/** While there is no chip, no contact is seen: one that appears is used within this time. */
const MISSING_CHECK_EVERY_MS = 2_000;

/** The readings of the GPIO lines. A line that cannot be used raises a condition; the others continue. */
export class GpioReadings {
  readonly #options: GpioReadingsOptions;
  #bindings: readonly LineBinding[];
  /** By BCM number: a line stays open while its zone changes. */
  readonly #lines = new Map<number, MonitoredLine>();
  #port: GpioPort | undefined;
  #cancelCheck: CancelTimer | undefined;
  #isStopped = false;
  /** Resolves after the last check that was started; undefined while none runs. */
  #checking: Promise<void> | undefined;
  /** Checks that have been started and not ended. */
  #checks = 0;

  constructor(options: GpioReadingsOptions) {
    this.#options = options;
    this.#bindings = lineBindingsOf(options.zones, options.monitor);
  }

  /** Opens the lines and reads their first levels; a line that cannot be opened is retried with every check. */
  async start(): Promise<void> {
    if (this.#bindings.length > 0) await this.#beginCheck();
  }

  /**
   * Uses the lines of other zones from now on. A line that is still in use stays open, for any zone.
   * @returns once the new lines are open, as far as they can be opened
   */
  exchange(zones: readonly Zone[]): Promise<void> {
    const before = new Map(this.#bindings.map((binding) => [binding.id, binding]));
    this.#bindings = lineBindingsOf(zones, this.#options.monitor);
    const after = new Map(this.#bindings.map((binding) => [binding.id, binding]));
    for (const [id, { input }] of before)
      if (after.get(id)?.input.gpio !== input.gpio)
        for (const code of ["gpio-line-failed", "gpio-line-unstable"] as const)
          this.#options.conditions.clear(code, id);
    for (const binding of this.#bindings) {
      const line = this.#lines.get(binding.input.gpio);
      if (line?.binding.input.bias !== binding.input.bias) continue;
      const isAlike = line.binding.id === binding.id && line.binding.input.contact === binding.input.contact;
      line.rebind(binding);
      if (!isAlike) line.poll();
    }
    const wanted = new Set(this.#bindings);
    for (const [number, line] of this.#lines) {
      if (wanted.has(line.binding)) continue;
      this.#lines.delete(number);
      line.close();
    }
    if (this.#bindings.length > 0) return this.#beginCheck();
    this.#cancelCheck?.();
    this.#leavePort();
    this.#options.conditions.clear("gpio-unavailable");
    return Promise.resolve();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck?.();
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
    this.#port?.close();
  }

  /** Checks run one after the other: two at once would open a line twice. */
  #beginCheck(): Promise<void> {
    const check = this.#checkAfter(this.#checking);
    this.#checking = check;
    return check;
  }

  async #checkAfter(before: Promise<void> | undefined): Promise<void> {
    this.#checks += 1;
    if (before) await before;
    await this.#check();
    this.#checks -= 1;
    if (this.#checks === 0) this.#checking = undefined;
  }

  async #check(): Promise<void> {
    const { clock, conditions } = this.#options;
    this.#cancelCheck?.();
    if (this.#isStopped || this.#bindings.length === 0) return;
    try {
      this.#port ??= await this.#options.openPort();
      conditions.clear("gpio-unavailable");
    } catch (error) {
      conditions.raise("gpio-unavailable", sentenceOf(error));
    }
    if (this.#isStopped) return this.#port?.close();
    if (this.#port) for (const binding of this.#bindings) await this.#checkLine(this.#port, binding);
    if (this.#isStopped) return;
    const everyMs = this.#port ? CHECK_EVERY_MS : MISSING_CHECK_EVERY_MS;
    this.#leavePort();
    this.#cancelCheck = clock.after(everyMs, () => void this.#beginCheck());
  }

  /** An unplugged chip may come back as another device: when no line is left, the backend is opened again. */
  #leavePort(): void {
    if (this.#lines.size > 0) return;
    this.#port?.close();
    this.#port = undefined;
  }

  async #checkLine(port: GpioPort, binding: LineBinding): Promise<void> {
    const { gpio } = binding.input;
    const open = this.#lines.get(gpio);
    try {
      open?.check();
    } catch (error) {
      if (open) this.#lose(open, error);
    }
    if (!this.#lines.has(gpio)) {
      // The zones were exchanged while earlier lines were checked.
      if (!this.#bindings.includes(binding)) return;
      try {
        const line = await MonitoredLine.open(port, binding, {
          ...this.#options,
          onLost: (lost, error) => this.#lose(lost, error),
        });
        if (this.#isStopped || !this.#bindings.includes(binding)) return line.close();
        this.#lines.set(gpio, line);
      } catch (error) {
        this.#options.conditions.raise("gpio-line-failed", sentenceOf(error), binding.id);
        return;
      }
    }
    this.#lines.get(gpio)?.poll();
  }

  /** Handles a line that failed or was changed by another program; a check reopens it. */
  #lose(line: MonitoredLine, error: unknown): void {
    const { binding } = line;
    line.close();
    if (this.#lines.get(binding.input.gpio) !== line) return;
    this.#lines.delete(binding.input.gpio);
    this.#options.conditions.clear("gpio-line-unstable", binding.id);
    this.#options.conditions.raise(
      "gpio-line-failed",
      `line ${binding.input.gpio} can no longer be read: ${sentenceOf(error)}. It is reopened automatically.`,
      binding.id,
    );
    try {
      binding.take("unknown");
    } catch (cause) {
      this.#options.log.error("gpio-reading-write-failed", { zone: binding.id, error: cause });
    }
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof AppError && error.hint ? `${error.message}. ${error.hint}` : messageOf(error);
}

/** Backends for the kernel's GPIO lines. */
export type GpioBackend = "auto" | "onoff" | "cdev";

export interface BackendOptions {
  /** Label of the chip; undefined for the header of a Raspberry Pi. */
  readonly chip: string | undefined;
  /** Whether a line has a pull resistor, which only the character device can set. */
  readonly needsBias: boolean;
  /** BCM numbers of the lines to be opened. */
  readonly lines: readonly number[];
  readonly log: Log;
}

/**
 * Opens a backend. `auto` uses the character device, and onoff on a kernel without one: GPIO in /sys is deprecated, has
 * no times of edges and cannot set a pull resistor.
 * @throws AppError `unavailable` with the remedy
 */
export async function openBackend(
  backend: GpioBackend,
  { chip, needsBias, lines, log }: BackendOptions,
): Promise<GpioPort> {
  if (backend === "onoff") return OnoffLines.load(chip);
  const onRestart = (): void => log.warn("gpio-helper-restarted");
  const opened = CharacterDeviceLines.load(chip, onRestart);
  if (backend === "cdev") return opened;
  try {
    const port = await opened;
    releaseExportedLines(lines, chip);
    return port;
  } catch (error) {
    if (needsBias) throw error;
    // The error of the preferred backend has the remedy.
    return OnoffLines.load(chip).catch(() => Promise.reject(error as Error));
  }
}
