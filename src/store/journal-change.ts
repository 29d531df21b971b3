import type { SwingerCounters } from "../domain/swinger.ts";
import type { NewTrip } from "../domain/trip.ts";
import type { EntryDelay } from "./entry-delays.ts";
import type { OpenFault } from "./faults.ts";
import type { StoredZoneState } from "./zone-states.ts";

/** What one signal does to the journal, all of it or nothing. */
export interface JournalChange {
  readonly zoneId: string;
  readonly state?: StoredZoneState;
  readonly trips: readonly NewTrip[];
  /** Those of `trips` that wait for the end of an entry delay. */
  readonly delays?: readonly EntryDelay[];
  readonly swinging?: SwingerCounters;
  readonly opened?: OpenFault;
  readonly closed?: Pick<OpenFault, "owner" | "fault">;
}

/** What another configuration does to what the journal knows of the zones. */
export interface ZoneExchange {
  /** Zones that are gone, or that another sensor is read for. */
  readonly forgotten: readonly string[];
  readonly states: readonly (readonly [zoneId: string, state: StoredZoneState])[];
  /** Faults whose end no sense would report, with the row that ends each; none for what was only a test. */
  readonly ended: readonly {
    readonly of: string;
    readonly fault: OpenFault["fault"];
    readonly row?: NewTrip;
  }[];
  /** Sources that are no longer said to be lost. */
  readonly found: readonly string[];
  /** Faults of a bridge that are shown at another of its zones from now on. */
  readonly moved: readonly OpenFault[];
  /** Zones that are gone. */
  readonly removed: readonly string[];
}
