import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { SwingerCounters } from "../domain/swinger.ts";
import type { NewTrip } from "../domain/trip.ts";
import type { DispatchedTrip } from "./dispatched-trips.ts";
import type { OpenFault } from "./faults.ts";
import type { EntryDelay } from "./pending-trips.ts";
import type { StoredZoneState } from "./zone-states.ts";

/** The changes of the journal by one signal, committed together. */
export interface JournalChange {
  readonly zoneId: string;
  readonly state?: StoredZoneState;
  readonly trips: readonly NewTrip[];
  /** Entry delays of some of the trips. */
  readonly delays?: readonly EntryDelay[];
  readonly swinging?: SwingerCounters;
  readonly opened?: OpenFault;
  readonly closed?: Pick<OpenFault, "owner" | "fault">;
}

/** The changes of the journal by a new configuration, committed together. */
export interface ZoneExchange {
  /** Zones that were removed or have another sensor. */
  readonly forgotten: readonly string[];
  readonly states: readonly (readonly [zoneId: string, state: StoredZoneState])[];
  /** Faults that can no longer be reported as restored, with the trip that ends each; none for a test. */
  readonly ended: readonly {
    readonly of: string;
    readonly fault: OpenFault["fault"];
    readonly row?: NewTrip;
  }[];
  /** Sources that are no longer unavailable. */
  readonly found: readonly string[];
  /** Faults of a bridge that move to another of its zones. */
  readonly moved: readonly OpenFault[];
  /** Zones that were removed. */
  readonly removed: readonly string[];
  /** Gates that are in use; the states of others are deleted. */
  readonly gates: ReadonlySet<string>;
}

/** Maximum changes: a trip takes about two kilobytes, and a small device has memory for thousands. */
const CHANGES_MAX = 5_000;

/**
 * Journal changes that the disk rejected, in a file in memory (tmpfs), one JSON line each. They survive the process
 * but not a power cut. A truncated line was never acknowledged and is ignored.
 */
export class OffDiskChanges {
  /** Undefined without a directory in memory: then nothing is kept. */
  readonly file: string | undefined;
  readonly #changes: JournalChange[];

  constructor(file: string | undefined) {
    this.file = file;
    this.#changes = file !== undefined && existsSync(file) ? changesIn(readFileSync(file, "utf8")) : [];
  }

  get count(): number {
    return this.#changes.length;
  }

  /** The changes in order of arrival. */
  list(): readonly JournalChange[] {
    return this.#changes;
  }

  /** The trips that wait for their dispatch until the disk can be written. */
  dispatched(): DispatchedTrip[] {
    return this.#changes.flatMap(({ trips, delays = [] }) =>
      trips
        .filter(({ type, state }) => state === "waiting" && (type === "trip" || type === "standing"))
        .map(({ key, zoneId, moment }) => ({
          key,
          zoneId,
          isDelayed: delays.some((delay) => delay.key === key),
          ...moment,
        })),
    );
  }

  /** @returns whether the change was stored */
  add(change: JournalChange): boolean {
    if (this.file === undefined || this.#changes.length >= CHANGES_MAX) return false;
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o750 });
      // The leading line break separates it from a truncated line.
      appendFileSync(this.file, `\n${JSON.stringify(change)}\n`, { mode: 0o600 });
    } catch {
      // Memory is full or not writable: the caller reports the error of the disk.
      return false;
    }
    this.#changes.push(change);
    return true;
  }

  clear(): void {
    this.#changes.length = 0;
    if (this.file !== undefined) rmSync(this.file, { force: true });
  }
}

function changesIn(text: string): JournalChange[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as JournalChange];
    } catch {
      return [];
    }
  });
}
