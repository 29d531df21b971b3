import type { Incident, IncidentZone } from "../domain/incident.ts";
import type { Database } from "./database.ts";

/** Incidents: the intervention to which the trips of a class and objective, or the repeats of a fault, belong. */
export class IncidentStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(key: string): Incident | undefined {
    return this.#toIncident(this.#database.prepare("SELECT * FROM incidents WHERE key = ?").get(key));
  }

  /** The newest incident of a subject. */
  latest(subject: string): Incident | undefined {
    return this.#toIncident(this.#newest(subject));
  }

  /** Time of the last trip of a subject's newest incident, without reading its zones. */
  latestMoment(subject: string): Pick<Incident, "last"> | undefined {
    const row = this.#newest(subject);
    return row && { last: momentOf(row) };
  }

  /**
   * Writes a new or changed incident.
   * @param changed the zones to write; all of them by default
   */
  save(incident: Incident, changed: readonly IncidentZone[] = incident.zones): void {
    const { key, subject, interventionId, last, zones } = incident;
    // The zone ids are for an earlier release, which has no rows of zones.
    this.#database
      .prepare(
        `INSERT INTO incidents(key, subject, intervention_id, last_wall, last_boot, last_monotonic, zones)
         VALUES(?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT(key) DO UPDATE SET intervention_id = excluded.intervention_id, last_wall = excluded.last_wall,
           last_boot = excluded.last_boot, last_monotonic = excluded.last_monotonic, zones = excluded.zones`,
      )
      .run(
        key,
        subject,
        interventionId,
        last.wallMs,
        last.bootId,
        last.monotonicMs,
        JSON.stringify(zones.filter(({ device }) => device !== null).map(({ zoneId }) => zoneId)),
      );
    const save = this.#database.prepare(
      `INSERT INTO incident_zones(incident, zone_id, place, zone) VALUES(?, ?, ?, ?)
       ON CONFLICT(incident, zone_id) DO UPDATE SET zone = excluded.zone`,
    );
    for (const zone of changed)
      save.run(
        key,
        zone.zoneId,
        zones.findIndex(({ zoneId }) => zoneId === zone.zoneId),
        JSON.stringify(zone),
      );
  }

  #newest(subject: string): IncidentRow | undefined {
    return this.#database
      .prepare("SELECT * FROM incidents WHERE subject = ? ORDER BY seq DESC LIMIT 1")
      .get(subject) as IncidentRow | undefined;
  }

  #toIncident(found: unknown): Incident | undefined {
    if (found === undefined) return undefined;
    const row = found as IncidentRow;
    const zones = this.#database
      .prepare("SELECT zone FROM incident_zones WHERE incident = ? ORDER BY place")
      .pluck()
      .all(row.key) as string[];
    return {
      key: row.key,
      subject: row.subject,
      interventionId: row.intervention_id,
      last: momentOf(row),
      zones: zones.map((zone) => JSON.parse(zone) as IncidentZone),
    };
  }
}

interface IncidentRow {
  readonly key: string;
  readonly subject: string;
  readonly intervention_id: number;
  readonly last_wall: number;
  readonly last_boot: string;
  readonly last_monotonic: number;
}

function momentOf(row: IncidentRow): Incident["last"] {
  return { wallMs: row.last_wall, bootId: row.last_boot, monotonicMs: row.last_monotonic };
}
