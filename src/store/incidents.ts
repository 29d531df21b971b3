import type { Incident } from "../domain/incident.ts";
import type { Database } from "./database.ts";

/** The incidents: which intervention the trips of an objective, or the repetitions of a fault, belong to. */
export class IncidentStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(key: string): Incident | undefined {
    return toIncident(this.#database.prepare("SELECT * FROM incidents WHERE key = ?").get(key));
  }

  /** The newest incident of a subject. */
  latest(subject: string): Incident | undefined {
    return toIncident(
      this.#database
        .prepare("SELECT * FROM incidents WHERE subject = ? ORDER BY seq DESC LIMIT 1")
        .get(subject),
    );
  }

  /** Writes an incident, new or changed. */
  save({ key, subject, interventionId, last, zones, notes, next }: Incident): void {
    this.#database
      .prepare(
        `INSERT INTO incidents(key, subject, intervention_id, last_wall, last_boot, last_monotonic, zones, notes, next_key, next_notes)
         VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT(key) DO UPDATE SET intervention_id = excluded.intervention_id, last_wall = excluded.last_wall, last_boot = excluded.last_boot,
           last_monotonic = excluded.last_monotonic, zones = excluded.zones, notes = excluded.notes,
           next_key = excluded.next_key, next_notes = excluded.next_notes`,
      )
      .run(
        key,
        subject,
        interventionId,
        last.wallMs,
        last.bootId,
        last.monotonicMs,
        JSON.stringify(zones),
        notes,
        next?.key ?? null,
        next?.notes ?? null,
      );
  }
}

interface IncidentRow {
  readonly key: string;
  readonly subject: string;
  readonly intervention_id: number;
  readonly last_wall: number;
  readonly last_boot: string;
  readonly last_monotonic: number;
  readonly zones: string;
  readonly notes: string | null;
  readonly next_key: string | null;
  readonly next_notes: string | null;
}

function toIncident(found: unknown): Incident | undefined {
  if (found === undefined) return undefined;
  const row = found as IncidentRow;
  return {
    key: row.key,
    subject: row.subject,
    interventionId: row.intervention_id,
    last: { wallMs: row.last_wall, bootId: row.last_boot, monotonicMs: row.last_monotonic },
    zones: JSON.parse(row.zones) as string[],
    notes: row.notes,
    next:
      row.next_key === null || row.next_notes === null ? null : { key: row.next_key, notes: row.next_notes },
  };
}
