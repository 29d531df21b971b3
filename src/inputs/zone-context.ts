import type { Clock, TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { TripSite } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";

/** What every part of the zones' monitoring needs. */
export interface ZoneContext {
  /** The zones at the start; `exchange` of a part replaces them. */
  readonly zones: readonly Zone[];
  readonly journal: Journal;
  readonly clock: Clock;
  /** The current boot, from which monotonic times count. */
  readonly bootId: string;
  /** Whether the wall clock is trusted. */
  readonly time: TrustedTime;
  readonly log: Log;
  readonly conditions: Conditions;
  /** `standingAgainS`: how long a life safety contact may stay open after its intervention is done. */
  readonly site: TripSite & { readonly standingAgainS: number };
  /** Returns a new key for a trip. */
  readonly newKey: () => string;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
  /** Called after the commit of a trip or fault; a hint for the dispatcher, which reads the trip from the journal. */
  readonly onTrip: () => void;
  readonly failpoint?: (name: string) => void;
}
