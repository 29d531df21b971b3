import type { Fault } from "../domain/fault.ts";
import type { Database } from "./database.ts";

/** An open fault. */
export interface OpenFault {
  /** The owner: a zone id, or the bridge of several zones. */
  readonly owner: string;
  readonly fault: Fault;
  /** The zone of its intervention. */
  readonly zoneId: string;
  /** Key of its row in the journal. */
  readonly key: string;
  /** Wall clock, milliseconds since 1970. */
  readonly sinceWallMs: number;
}

/** The open faults. */
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
