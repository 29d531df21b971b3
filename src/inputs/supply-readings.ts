import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import type { ZoneEngine } from "./zone-engine.ts";

interface SupplyReadingsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneEngine;
  readonly clock: Clock;
  readonly log: Log;
  /** Directory before /sys; empty for a real machine. */
  readonly root?: string;
}

/** Measuring devices of the kernel; the one of a Raspberry Pi's firmware is named rpi_volt on every model. */
const HWMON = "/sys/class/hwmon";
/** The kernel's driver asks the firmware this often. */
const INTERVAL_MS = 2_000;

/**
 * The readings of zones at the voltage of a Raspberry Pi. The files are read outside the event loop; on a machine that does
 * not have them the sensor is unavailable.
 */
export class SupplyReadings {
  readonly #options: SupplyReadingsOptions;
  #zones: readonly Zone[] = [];
  #cancel: CancelTimer = () => {};
  /** Increased at each stop: a reading that was under way then has no effect. */
  #run = 0;

  constructor(options: SupplyReadingsOptions) {
    this.#options = options;
  }

  /** Begins to read, if a zone needs it. */
  start(): void {
    this.exchange(this.#options.zones);
  }

  /** Reads for other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    this.stop();
    this.#zones = zones.filter(({ input }) => input.source === "supply");
    if (this.#zones.length > 0) void this.#poll(this.#run);
  }

  stop(): void {
    this.#run += 1;
    this.#cancel();
  }

  async #poll(run: number): Promise<void> {
    const contact = await underVoltage(this.#options.root ?? "");
    if (run !== this.#run) return;
    for (const { id } of this.#zones) this.#report(id, contact);
    this.#cancel = this.#options.clock.after(INTERVAL_MS, () => void this.#poll(run));
  }

  #report(id: string, contact: Contact): void {
    const { monitor, log } = this.#options;
    try {
      if (contact !== "unknown") monitor.read(id, contact, { live: true });
      monitor.take(id, { kind: "availability", up: contact !== "unknown" }, { live: true });
    } catch (error) {
      // The journal has raised its condition; the next reading reports the state again.
      log.error("supply-reading-write-failed", { zone: id, error });
    }
  }
}

/** Open at under-voltage; unknown on a machine without the firmware's driver. Never rejects. */
async function underVoltage(root: string): Promise<Contact> {
  const hwmon = `${root}${HWMON}`;
  const names = await readdir(hwmon).catch(() => []);
  for (const name of names) {
    const folder = join(hwmon, name);
    if ((await textOf(join(folder, "name"))) !== "rpi_volt") continue;
    const alarm = await textOf(join(folder, "in0_lcrit_alarm"));
    if (alarm === "0" || alarm === "1") return alarm === "1" ? "open" : "normal";
  }
  return "unknown";
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
