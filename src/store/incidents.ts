import type { Incident, IncidentZone } from "../domain/incident.ts";
import type { Timestamp } from "../domain/trip.ts";
import { Store } from "./database.ts";
import { storedJson } from "./stored-json.ts";
import { isIncidentZone } from "./stored-shapes.ts";
import { transaction } from "./transaction.ts";

type IncidentRow = Pick<Incident, "key" | "subject" | "interventionId"> & Timestamp;

const INCIDENTS = `SELECT key, subject, intervention_id AS interventionId, last_wall AS wallMs, last_boot AS bootId,
  last_monotonic AS monotonicMs FROM incidents`;

/** The incidents that a trip may join: a trip that was rejected at first may open an incident after a later one. */
const NEWEST = 8;

/** Incidents of an earlier release to classify at a start: more than can be in their window, and few enough not to delay it. */
const UNCLASSIFIED_MAX = 500;

/** Incidents: the intervention to which the trips of a class and objective, or the repeats of a fault, belong. */
export class IncidentStore extends Store {
  readonly #find = this.prepare<IncidentRow>(`${INCIDENTS} WHERE key = ?`);
  readonly #newest = this.prepare<IncidentRow>(
    `${INCIDENTS} WHERE subject = ? ORDER BY seq DESC LIMIT ${NEWEST}`,
  );
  readonly #zones = this.prepare<string>(
    "SELECT zone FROM incident_zones WHERE incident = ? ORDER BY place",
  ).pluck();
  readonly #save = this.prepare(
    `INSERT INTO incidents(key, subject, intervention_id, last_wall, last_boot, last_monotonic, zones)
     VALUES(?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(key) DO UPDATE SET intervention_id = excluded.intervention_id, last_wall = excluded.last_wall,
       last_boot = excluded.last_boot, last_monotonic = excluded.last_monotonic, zones = excluded.zones`,
  );
  readonly #saveZone = this.prepare(
    `INSERT INTO incident_zones(incident, zone_id, place, zone) VALUES(?, ?, ?, ?)
     ON CONFLICT(incident, zone_id) DO UPDATE SET zone = excluded.zone`,
  );

  // As a range, which the index answers: there is none but at the first start after an upgrade.
  readonly #unclassified = this.prepare<string>(
    `SELECT key FROM incidents WHERE subject >= 'obiective/' AND subject < 'obiective0'
     ORDER BY seq DESC LIMIT ${UNCLASSIFIED_MAX}`,
  ).pluck();
  readonly #classify = this.prepare("UPDATE incidents SET subject = ? || '/' || subject WHERE key = ?");

  find(key: string): Incident | undefined {
    return this.#toIncident(this.#find.get(key));
  }

  /** Keys and last trips of a subject's newest incidents, newest first, without their zones. */
  newest(subject: string): Pick<Incident, "key" | "last">[] {
    return this.#newest.all(subject).map((row) => ({ key: row.key, last: momentOf(row) }));
  }

  /**
   * Writes a new or changed incident.
   * @param changed the zones to write; all of them by default
   */
  save(incident: Incident, changed: readonly IncidentZone[] = incident.zones): void {
    const { key, subject, interventionId, last, zones } = incident;
    // The zone ids are for an earlier release, which has no rows of zones.
    const ids = JSON.stringify(zones.filter(({ device }) => device !== null).map(({ zoneId }) => zoneId));
    this.#save.run(key, subject, interventionId, last.wallMs, last.bootId, last.monotonicMs, ids);
    for (const zone of changed) {
      const place = zones.findIndex(({ zoneId }) => zoneId === zone.zoneId);
      this.#saveZone.run(key, zone.zoneId, place, JSON.stringify(zone));
    }
  }

  /** The newest incidents of an earlier release, whose subject has no class and which have no zones here. */
  unclassified(): Incident[] {
    return this.#unclassified.all().flatMap((key) => this.find(key) ?? []);
  }

  /** Adds the class to the subject of such incidents, and their zones, all or none. */
  classify(incidents: readonly { readonly incident: Incident; readonly incidentClass: string }[]): void {
    if (incidents.length === 0) return;
    transaction(this.database, () => {
      for (const { incident, incidentClass } of incidents) {
        this.#classify.run(incidentClass, incident.key);
        for (const [place, zone] of incident.zones.entries())
          this.#saveZone.run(incident.key, zone.zoneId, place, JSON.stringify(zone));
      }
    });
  }

  #toIncident(row: IncidentRow | undefined): Incident | undefined {
    if (row === undefined) return undefined;
    const { key, subject, interventionId } = row;
    // A zone whose row is damaged is added again by its next trip.
    const zones = this.#zones
      .all(key)
      .map((text) => storedJson<unknown>(text, null))
      .filter(isIncidentZone);
    return { key, subject, interventionId, last: momentOf(row), zones };
  }
}

function momentOf({ wallMs, bootId, monotonicMs }: IncidentRow): Timestamp {
  return { wallMs, bootId, monotonicMs };
}
