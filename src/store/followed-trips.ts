import { createdZoneId } from "../domain/alarm-panel.ts";
import type { TripState, TripType } from "../domain/trip.ts";
import type { ZoneKind } from "../domain/zone.ts";
import type { CreatedAlarmPanelZone } from "./alarm-panels.ts";
import { Store } from "./database.ts";

/** What a follower of the journal reads of a trip. */
export interface FollowedTrip {
  readonly seq: number;
  readonly key: string;
  readonly zoneId: string;
  readonly type: TripType;
  readonly cause: string;
  readonly subject: string;
  readonly wallMs: number;
  readonly dated: 0 | 1;
  readonly state: TripState;
  readonly interventionId: number | null;
}

/** Rows read at once. */
const PAGE_ROWS = 500;

/** Reads the trips of the journal in the order of their commit, on a read-only connection: each of them is durable. */
export class FollowedTrips extends Store {
  readonly #after = this.prepare<FollowedTrip>(
    `SELECT seq, key, zone_id AS zoneId, about AS type, cause, subject, at_wall AS wallMs, dated, state,
       intervention_id AS interventionId
     FROM trips WHERE seq > ? ORDER BY seq LIMIT ${PAGE_ROWS}`,
  );
  readonly #last = this.prepare<number | null>("SELECT max(seq) FROM trips").pluck();
  readonly #firstSince = this.prepare<number | null>(
    "SELECT min(seq) FROM trips WHERE dated = 0 OR at_wall >= ?",
  ).pluck();
  readonly #createdZones = this.prepare<Pick<CreatedAlarmPanelZone, "account" | "number" | "kind">>(
    "SELECT account, number, kind FROM panel_zones",
  );

  /** The next trips after `seq`, at most one page. */
  after(seq: number): FollowedTrip[] {
    return this.#after.all(seq);
  }

  /** The number of the newest trip; 0 without trips. */
  last(): number {
    return this.#last.get() ?? 0;
  }

  /** The position before the first trip since a time, milliseconds since 1970; the end if there is none. */
  beforeFirstSince(wallMs: number): number {
    const first = this.#firstSince.get(wallMs) ?? null;
    return first === null ? this.last() : first - 1;
  }

  /** The type of a zone that an alarm panel has created; undefined for any other zone. */
  createdKind(zoneId: string): ZoneKind | undefined {
    return this.#createdZones.all().find((zone) => createdZoneId(zone) === zoneId)?.kind;
  }

  /** A number that differs after each commit of another connection. */
  version(): number {
    return this.database.pragma("data_version", { simple: true }) as number;
  }

  close(): void {
    this.database.close();
  }
}
