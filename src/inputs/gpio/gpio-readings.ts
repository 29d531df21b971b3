import type { CancelTimer, Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Contact, Zone, ZoneInput } from "../../domain/zone.ts";
import type { ZoneMonitor } from "../zone-monitor.ts";
import type { GpioLine, GpioPort } from "./gpio-port.ts";

export interface GpioReadingsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneMonitor;
  /** Makes the backend. @throws AppError `unavailable` with the remedy */
  readonly openPort: () => GpioPort | Promise<GpioPort>;
  /** Whether the backend can set pull resistors. Where it cannot, a zone that asks for one is a condition. */
  readonly setsBias: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

type GpioZone = { readonly id: string; readonly input: Extract<ZoneInput, { source: "gpio" }> };

/** Every line is looked at so often, whatever its callbacks said: edges get lost, and lines vanish silently. */
const CHECK_EVERY_MS = 10_000;

/** The readings of the GPIO lines. A line that cannot be used is a condition; the others go on. */
export class GpioReadings {
  readonly #options: GpioReadingsOptions;
  readonly #zones: readonly GpioZone[];
  readonly #lines = new Map<string, GpioLine>();
  #port: GpioPort | undefined;
  #cancelCheck: CancelTimer | undefined;
  #isStopped = false;

  constructor(options: GpioReadingsOptions) {
    this.#options = options;
    this.#zones = options.zones.flatMap(({ id, input }) => (input.source === "gpio" ? [{ id, input }] : []));
  }

  /** Opens the lines and takes their first levels; what cannot be opened is tried again with every check. */
  async start(): Promise<void> {
    if (this.#zones.length > 0) await this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck?.();
    for (const [zoneId, line] of this.#lines) this.#forget(zoneId, line);
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
    if (this.#port) for (const zone of this.#zones) this.#checkLine(this.#port, zone);
    this.#cancelCheck = clock.after(CHECK_EVERY_MS, () => void this.#check());
  }

  #checkLine(port: GpioPort, zone: GpioZone): void {
    const { bias, gpio } = zone.input;
    const { conditions, setsBias } = this.#options;
    if (bias !== "as-is" && !setsBias) {
      const pull = bias === "pull-up" ? "pu" : "pd";
      conditions.raise(
        "gpio-line-failed",
        `onoff cannot set the bias of line ${gpio}. Write gpio=${gpio}=ip,${pull} into config.txt and leave bias out.`,
        zone.id,
      );
      return;
    }
    try {
      if (!this.#lines.has(zone.id))
        this.#lines.set(
          zone.id,
          port.open(gpio, () => this.#activity(zone)),
        );
    } catch (error) {
      conditions.raise("gpio-line-failed", sentenceOf(error), zone.id);
      return;
    }
    this.#activity(zone);
  }

  #activity(zone: GpioZone): void {
    const { conditions, monitor, log } = this.#options;
    const line = this.#lines.get(zone.id);
    if (!line) return;
    let level: 0 | 1;
    try {
      level = line.read();
    } catch (error) {
      // Gone under our hands; the next check opens it again.
      conditions.raise(
        "gpio-line-failed",
        `line ${zone.input.gpio} cannot be read any more: ${messageOf(error)}. It is opened again by itself.`,
        zone.id,
      );
      this.#forget(zone.id, line);
      return;
    }
    conditions.clear("gpio-line-failed", zone.id);
    try {
      monitor.read(zone.id, contactAt(zone.input, level), { live: true });
    } catch (error) {
      // The journal has raised its condition, and the next check sees the level again.
      log.error("gpio-reading-not-recorded", { zone: zone.id, error });
    }
  }

  #forget(zoneId: string, line: GpioLine): void {
    this.#lines.delete(zoneId);
    try {
      line.close();
    } catch {
      // What is gone cannot be closed.
    }
  }
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
