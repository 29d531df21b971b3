import type { CancelTimer, Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { gateStateOf } from "../../domain/gate.ts";
import type { Contact, Zone } from "../../domain/zone.ts";
import type { GpioInput } from "../../generated/types.ts";
import type { ZoneMonitor } from "../zone-monitor.ts";
import type { GpioLine, GpioPort } from "./gpio-port.ts";

export interface GpioReadingsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneMonitor;
  /** Makes the backend. @throws AppError `unavailable` with the remedy */
  readonly openPort: () => GpioPort | Promise<GpioPort>;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** A line, and who wants to know what it says: a zone, or the gate of zones. */
interface Wire {
  /** Id of the zone or gate. */
  readonly id: string;
  readonly input: Required<GpioInput>;
  readonly take: (contact: Contact) => void;
}

/** Every line is looked at so often, whatever its callbacks said: edges get lost, and lines vanish silently. */
const CHECK_EVERY_MS = 10_000;

/** The readings of the GPIO lines. A line that cannot be used is a condition; the others go on. */
export class GpioReadings {
  readonly #options: GpioReadingsOptions;
  readonly #wires: readonly Wire[];
  readonly #lines = new Map<string, GpioLine>();
  #port: GpioPort | undefined;
  #cancelCheck: CancelTimer | undefined;
  #isStopped = false;

  constructor(options: GpioReadingsOptions) {
    this.#options = options;
    // Gates first: what a key says must be known before the zones behind it are read.
    this.#wires = [...gateWires(options), ...zoneWires(options)];
  }

  /** Opens the lines and takes their first levels; what cannot be opened is tried again with every check. */
  async start(): Promise<void> {
    if (this.#wires.length > 0) await this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck?.();
    for (const [id, line] of this.#lines) this.#close(id, line);
    this.#port?.close();
  }

  async #check(): Promise<void> {
    const { clock, conditions } = this.#options;
    try {
      this.#port ??= await this.#options.openPort();
      conditions.clear("gpio-unavailable");
    } catch (error) {
      conditions.raise("gpio-unavailable", sentenceOf(error));
    }
    if (this.#isStopped) return;
    if (this.#port) for (const wire of this.#wires) await this.#checkLine(this.#port, wire);
    if (this.#isStopped) return;
    this.#cancelCheck = clock.after(CHECK_EVERY_MS, () => void this.#check());
  }

  async #checkLine(port: GpioPort, wire: Wire): Promise<void> {
    const { bias, gpio } = wire.input;
    if (!this.#lines.has(wire.id)) {
      try {
        const line = await port.open(gpio, bias, () => this.#activity(wire));
        if (this.#isStopped) return line.close();
        this.#lines.set(wire.id, line);
      } catch (error) {
        this.#options.conditions.raise("gpio-line-failed", sentenceOf(error), wire.id);
        return;
      }
    }
    this.#activity(wire);
  }

  #activity(wire: Wire): void {
    const { conditions, log } = this.#options;
    const line = this.#lines.get(wire.id);
    if (!line) return;
    let level: 0 | 1;
    try {
      level = line.read();
    } catch (error) {
      // Gone under our hands; the next check opens it again.
      conditions.raise(
        "gpio-line-failed",
        `line ${wire.input.gpio} cannot be read any more: ${messageOf(error)}. It is opened again by itself.`,
        wire.id,
      );
      this.#close(wire.id, line);
      wire.take("unknown");
      return;
    }
    conditions.clear("gpio-line-failed", wire.id);
    try {
      wire.take(contactAt(wire.input, level));
    } catch (error) {
      // The journal has raised its condition, and the next check sees the level again.
      log.error("gpio-reading-not-recorded", { zone: wire.id, error });
    }
  }

  #close(id: string, line: GpioLine): void {
    this.#lines.delete(id);
    try {
      line.close();
    } catch {
      // What is gone cannot be closed.
    }
  }
}

function zoneWires({ zones, monitor }: GpioReadingsOptions): Wire[] {
  return zones.flatMap(({ id, input }) =>
    input.source === "gpio"
      ? [{ id, input, take: (contact: Contact) => void monitor.read(id, contact, { live: true }) }]
      : [],
  );
}

/** One wire for each key, however many zones follow it. */
function gateWires({ zones, monitor }: GpioReadingsOptions): Wire[] {
  const gates = new Map(zones.flatMap(({ gate }) => (gate.by === "gpio" ? [[gate.id, gate] as const] : [])));
  return [...gates].map(([id, input]) => ({
    id,
    input,
    take: (contact) => monitor.setGate(id, gateStateOf(contact)),
  }));
}

/** With the loop pulled up and closed to ground: a closed loop reads 0, an open or cut one 1. */
export function contactAt({ contact }: { contact: "nc" | "no" }, level: 0 | 1): Contact {
  const loopIsOpen = level === 1;
  return loopIsOpen === (contact === "nc") ? "open" : "normal";
}

/** The level at which a zone's contact is at rest or open. */
export function levelOf({ contact }: { contact: "nc" | "no" }, wanted: "normal" | "open"): 0 | 1 {
  return (contact === "nc") === (wanted === "open") ? 1 : 0;
}

function sentenceOf(error: unknown): string {
  return error instanceof AppError && error.hint ? `${error.message}. ${error.hint}` : messageOf(error);
}
