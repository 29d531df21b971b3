import type { SwingerCounters } from "../domain/swinger.ts";
import type { Contact, KnownContact } from "../domain/zone.ts";
import { Store } from "./database.ts";
import { SummedInsert } from "./row-checksums.ts";

export interface StoredZoneState {
  readonly contact: Contact;
  /** Wall clock of the change, milliseconds since 1970; null before the first reading. */
  readonly sinceWallMs: number | null;
  /** Whether it is normal because of a timeout and not because of a reading. */
  readonly autoRestored: boolean;
  /** A contact that was read and acknowledged but is not confirmed yet. */
  readonly pending?: { readonly contact: KnownContact; readonly sinceWallMs: number; readonly live: boolean };
  /** The sensor of the reading, see `sensorOf`; null if written by an earlier release. */
  readonly sensor: string | null;
}

interface ZoneStateRow {
  readonly contact: Contact;
  readonly sinceWallMs: number | null;
  readonly autoRestored: 0 | 1;
  readonly pendingContact: KnownContact | null;
  readonly pendingSinceMs: number | null;
  readonly live: 0 | 1 | null;
  readonly sensor: string | null;
}

const STATE_COLUMNS = [
  "zone_id",
  "contact",
  "since_wall",
  "rested_by_itself",
  "pending_contact",
  "pending_since_wall",
  "pending_live",
  "sensor",
];

/** The last contact of each zone, and the pending one. */
export class ZoneStateStore extends Store {
  readonly #find = this.prepare<ZoneStateRow>(
    `SELECT contact, since_wall AS sinceWallMs, rested_by_itself AS autoRestored, pending_contact AS pendingContact,
       pending_since_wall AS pendingSinceMs, pending_live AS live, sensor FROM zone_states WHERE zone_id = ?`,
  );
  readonly #save = new SummedInsert(this.database, "zone_states", STATE_COLUMNS, "zone_id");
  readonly #forget = this.prepare("DELETE FROM zone_states WHERE zone_id = ?");

  find(zoneId: string): StoredZoneState | undefined {
    const row = this.#find.get(zoneId);
    if (!row) return undefined;
    const { pendingContact, pendingSinceMs: sinceWallMs } = row;
    const pending =
      pendingContact === null || sinceWallMs === null
        ? {}
        : { pending: { contact: pendingContact, sinceWallMs, live: row.live === 1 } };
    return {
      contact: row.contact,
      sinceWallMs: row.sinceWallMs,
      autoRestored: row.autoRestored === 1,
      sensor: row.sensor,
      ...pending,
    };
  }

  save(zoneId: string, { contact, sinceWallMs, autoRestored, pending, sensor }: StoredZoneState): void {
    this.#save.run([
      zoneId,
      contact,
      sinceWallMs,
      Number(autoRestored),
      pending?.contact ?? null,
      pending?.sinceWallMs ?? null,
      pending ? Number(pending.live) : null,
      sensor,
    ]);
  }

  /** Deletes the state of a zone: it has no reading yet. */
  forget(zoneId: string): void {
    this.#forget.run(zoneId);
  }
}

const SWINGER_COLUMNS = ["zone_id", "incidents", "trips", "counted", "last_wall"];

/** Swinger counters: how often each zone has tripped since its last quiet period. */
export class SwingerStore extends Store {
  readonly #all = this.prepare<SwingerCounters & { zoneId: string }>(
    "SELECT zone_id AS zoneId, incidents, trips, counted, last_wall AS lastWallMs FROM swingers",
  );
  readonly #find = this.prepare<SwingerCounters>(
    "SELECT incidents, trips, counted, last_wall AS lastWallMs FROM swingers WHERE zone_id = ?",
  );
  readonly #save = new SummedInsert(this.database, "swingers", SWINGER_COLUMNS, "zone_id");
  readonly #countIncident = this.prepare("UPDATE swingers SET incidents = incidents + 1 WHERE zone_id = ?");
  readonly #forget = this.prepare("DELETE FROM swingers WHERE zone_id = ?");

  /** The counters of all zones that have any, by zone id. */
  all(): Map<string, SwingerCounters> {
    return new Map(this.#all.all().map(({ zoneId, ...counters }) => [zoneId, counters]));
  }

  find(zoneId: string): SwingerCounters | undefined {
    return this.#find.get(zoneId);
  }

  save(zoneId: string, { incidents, trips, counted, lastWallMs }: SwingerCounters): void {
    this.#save.run([zoneId, incidents, trips, counted, lastWallMs]);
  }

  /** Counts an incident opened by a trip of this zone. */
  countIncident(zoneId: string): void {
    this.#countIncident.run(zoneId);
  }

  forget(zoneId: string): void {
    this.#forget.run(zoneId);
  }
}

/** When the daemon last monitored its zones. */
export class LivenessStore extends Store {
  readonly #last = this.prepare<number>("SELECT wall FROM alive").pluck();
  /** Does not replace the row: whether a former release has run is for `ActiveTopicStore.forgetOutdated` to note. */
  readonly #mark = this.prepare(
    "INSERT INTO alive(only, wall, keeps_topics) VALUES(1, ?, 1) ON CONFLICT(only) DO UPDATE SET wall = excluded.wall",
  );

  /** Wall clock, milliseconds since 1970; undefined for never. */
  last(): number | undefined {
    return this.#last.get();
  }

  mark(wallMs: number): void {
    this.#mark.run(wallMs);
  }
}
