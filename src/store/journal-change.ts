import type { SwingerCounters } from "../domain/swinger.ts";
import type { NewTrip } from "../domain/trip.ts";
import type { EntryDelay } from "./entry-delays.ts";
import type { OpenFault } from "./faults.ts";
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
}
