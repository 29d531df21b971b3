import type { Fault } from "../domain/fault.ts";
import type { Database } from "./database.ts";

/** A fault that is there now. */
export interface OpenFault {
  /** What has it: a zone's id, or the bridge that several zones are behind. */
  readonly owner: string;
  readonly fault: Fault;
  /** The zone that its work is attached to. */
  readonly zoneId: string;
  /** Key of its row in the journal. */
  readonly key: string;
  /** Wall clock, milliseconds since 1970. */
  readonly sinceWallMs: number;
}

/** The faults that are there now, and how often each zone has opened an incident. */
export class FaultStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(): OpenFault[] {
    return this.#database
      .prepare(
        "SELECT of AS owner, fault, zone_id AS zoneId, key, since_wall AS sinceWallMs FROM faults ORDER BY of, fault",
      )
      .all() as OpenFault[];
  }

  find(owner: string, fault: Fault): OpenFault | undefined {
    return this.#database
      .prepare(
        "SELECT of AS owner, fault, zone_id AS zoneId, key, since_wall AS sinceWallMs FROM faults WHERE of = ? AND fault = ?",
      )
      .get(owner, fault) as OpenFault | undefined;
  }

  open({ owner, fault, zoneId, key, sinceWallMs }: OpenFault): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO faults(of, fault, zone_id, key, since_wall) VALUES(?, ?, ?, ?, ?)")
      .run(owner, fault, zoneId, key, sinceWallMs);
  }

  close(owner: string, fault: Fault): void {
    this.#database.prepare("DELETE FROM faults WHERE of = ? AND fault = ?").run(owner, fault);
  }
}
