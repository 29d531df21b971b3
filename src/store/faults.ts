import type { Fault } from "../domain/fault.ts";
import type { Timestamp } from "../domain/trip.ts";
import { Store } from "./database.ts";
import { transaction } from "./transaction.ts";

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

const FAULTS = "SELECT of AS owner, fault, zone_id AS zoneId, key, since_wall AS sinceWallMs FROM faults";

/** The open faults. */
export class FaultStore extends Store {
  readonly #list = this.prepare<OpenFault>(`${FAULTS} ORDER BY of, fault`);
  readonly #find = this.prepare<OpenFault>(`${FAULTS} WHERE of = ? AND fault = ?`);
  readonly #open = this.prepare(
    "INSERT OR REPLACE INTO faults(of, fault, zone_id, key, since_wall) VALUES(?, ?, ?, ?, ?)",
  );
  readonly #close = this.prepare("DELETE FROM faults WHERE of = ? AND fault = ?");

  list(): OpenFault[] {
    return this.#list.all();
  }

  find(owner: string, fault: Fault): OpenFault | undefined {
    return this.#find.get(owner, fault);
  }

  open({ owner, fault, zoneId, key, sinceWallMs }: OpenFault): void {
    this.#open.run(owner, fault, zoneId, key, sinceWallMs);
  }

  close(owner: string, fault: Fault): void {
    this.#close.run(owner, fault);
  }
}

/** A sensor (by its zone id) or bridge (by its name) that is unavailable, and since when. */
export interface Loss {
  readonly of: string;
  readonly since: Timestamp;
}

/** The unavailable sensors and bridges, which become faults after a grace period. */
export class LossStore extends Store {
  readonly #list = this.prepare<Timestamp & { of: string }>(
    "SELECT of, since_wall AS wallMs, since_boot AS bootId, since_monotonic AS monotonicMs FROM losses",
  );
  readonly #add = this.prepare(
    "INSERT OR IGNORE INTO losses(of, since_wall, since_boot, since_monotonic) VALUES(?, ?, ?, ?)",
  );
  readonly #has = this.prepare<number>("SELECT 1 FROM losses WHERE of = ?").pluck();
  readonly #remove = this.prepare("DELETE FROM losses WHERE of = ?");

  has(of: string): boolean {
    return this.#has.get(of) !== undefined;
  }

  list(): Loss[] {
    return this.#list.all().map(({ of, ...since }) => ({ of, since }));
  }

  add({ of, since }: Loss): void {
    this.#add.run(of, since.wallMs, since.bootId, since.monotonicMs);
  }

  remove(of: string): void {
    this.#remove.run(of);
  }
}

/** How long the sensor of a supervised zone had been silent when the daemon last stored it. */
export interface Silence {
  readonly zoneId: string;
  /** What `sensorOf` returned: the silence says nothing about another sensor. */
  readonly sensor: string;
  readonly silentMs: number;
}

/** The silences of supervised zones. */
export class SilenceStore extends Store {
  readonly #all = this.prepare<Silence>(
    "SELECT zone_id AS zoneId, sensor, silent_ms AS silentMs FROM silences",
  );
  readonly #add = this.prepare("INSERT INTO silences(zone_id, sensor, silent_ms) VALUES(?, ?, ?)");
  readonly #forget = this.prepare("DELETE FROM silences WHERE zone_id = ?");
  readonly #clear = this.prepare("DELETE FROM silences");

  /** By zone id. */
  all(): Map<string, Silence> {
    return new Map(this.#all.all().map((silence) => [silence.zoneId, silence]));
  }

  /** Stores these silences in place of all others. */
  replace(silences: readonly Silence[]): void {
    transaction(this.database, () => {
      this.#clear.run();
      for (const { zoneId, sensor, silentMs } of silences)
        this.#add.run(zoneId, sensor, Math.round(silentMs));
    });
  }

  forget(zoneId: string): void {
    this.#forget.run(zoneId);
  }
}
