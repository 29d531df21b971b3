import {
  nextSequence,
  type NewTransmission,
  type ReceiverState,
  type Transmission,
} from "../domain/transmission.ts";
import { Store } from "./database.ts";

const COLUMNS = `id, trip, intervention_id AS interventionId, zone_id AS zoneId, pair, change, token, data, ending,
  occurred_at AS occurredMs, created_at AS createdMs, sequence, stamped_at AS stampedMs, attempts, next_at AS nextAtMs,
  last_error AS lastError, state, acknowledged_at AS acknowledgedMs, acknowledged_by AS acknowledgedBy`;

/** Transmissions of one intervention that are read at once: more than its notes can name. */
const OF_RECORD_MAX = 200;
/** Longer than any wait before a transmission is sent again: a later time was stored before the clock was set back. */
const WAIT_MAX_MS = 600_000;
/** Numbers of zones in Contact ID. */
const ZONE_NUMBER_MAX = 999;

type Fact = "cursor" | "since" | "sequence" | "last-test";

/** The number of waiting transmissions. */
interface TransmissionSummary {
  readonly waiting: number;
  /** When the oldest of them was created, milliseconds since 1970; null if none waits. */
  readonly oldestWaitingMs: number | null;
}

/** The queue of the transmitter, with what its receivers have acknowledged. */
export class TransmissionStore extends Store {
  readonly #add = this.prepare(
    `INSERT INTO transmissions(trip, intervention_id, zone_id, pair, change, token, data, ending, occurred_at, created_at)
     VALUES(:trip, :interventionId, :zoneId, :pair, :change, :token, :data, :ending, :occurredMs, :createdMs)
     ON CONFLICT(trip) DO NOTHING`,
  );
  // A later event of a pair waits for the earlier ones, so that no end arrives before its beginning.
  readonly #nextDue = this.prepare<Transmission>(
    `SELECT ${COLUMNS} FROM transmissions AS one WHERE state = 'waiting' AND (next_at <= ? OR next_at > ?)
       AND NOT EXISTS(SELECT 1 FROM transmissions AS earlier
         WHERE earlier.pair = one.pair AND earlier.id < one.id AND earlier.state = 'waiting')
     ORDER BY id LIMIT 1`,
  );
  readonly #find = this.prepare<Transmission>(`SELECT ${COLUMNS} FROM transmissions WHERE id = ?`);
  readonly #lastOfPair = this.prepare<Transmission>(
    `SELECT ${COLUMNS} FROM transmissions WHERE pair = ? ORDER BY id DESC LIMIT 1`,
  );
  readonly #isKnown = this.prepare("SELECT 1 FROM transmissions WHERE trip = ?");
  readonly #ofRecord = this.prepare<Transmission>(
    `SELECT ${COLUMNS} FROM transmissions WHERE intervention_id = ? ORDER BY id LIMIT ${OF_RECORD_MAX}`,
  );
  readonly #stamp = this.prepare("UPDATE transmissions SET sequence = ?, stamped_at = ? WHERE id = ?");
  readonly #acknowledge = this.prepare(
    `UPDATE transmissions SET state = 'acknowledged', acknowledged_at = ?, acknowledged_by = ?, last_error = NULL
     WHERE id = ? AND state = 'waiting'`,
  );
  readonly #fail = this.prepare(
    "UPDATE transmissions SET attempts = attempts + 1, last_error = ?, next_at = ? WHERE id = ?",
  );
  readonly #endWaits = this.prepare(
    "UPDATE transmissions SET next_at = 0 WHERE state = 'waiting' AND next_at <> 0",
  );
  readonly #withdraw = this.prepare("UPDATE transmissions SET state = 'withdrawn' WHERE state = 'waiting'");
  readonly #summary = this.prepare<TransmissionSummary>(
    "SELECT count(*) AS waiting, min(created_at) AS oldestWaitingMs FROM transmissions WHERE state = 'waiting'",
  );
  readonly #fact = this.prepare<number>("SELECT value FROM transmitter_facts WHERE name = ?").pluck();
  readonly #saveFact = this.prepare("INSERT OR REPLACE INTO transmitter_facts(name, value) VALUES(?, ?)");
  readonly #removeFact = this.prepare("DELETE FROM transmitter_facts WHERE name = ?");
  readonly #zone = this.prepare<number>("SELECT number FROM transmitted_zones WHERE zone_id = ?").pluck();
  readonly #zoneNumbers = this.prepare<number>("SELECT number FROM transmitted_zones").pluck();
  readonly #saveZone = this.prepare("INSERT OR REPLACE INTO transmitted_zones(zone_id, number) VALUES(?, ?)");
  readonly #links = this.prepare<ReceiverState>(
    "SELECT place, address, state, since AS sinceMs, reason FROM transmitter_links ORDER BY place",
  );
  readonly #saveLink = this.prepare(
    "INSERT OR REPLACE INTO transmitter_links(place, address, state, since, reason) VALUES(?, ?, ?, ?, ?)",
  );
  readonly #removeLinks = this.prepare("DELETE FROM transmitter_links");

  /** Adds an event; does nothing if its trip already has one. */
  add(transmission: NewTransmission): void {
    this.#add.run(transmission);
  }

  isKnown(trip: string): boolean {
    return this.#isKnown.get(trip) !== undefined;
  }

  /** The oldest transmission that may be sent now. */
  nextDue(nowMs: number): Transmission | undefined {
    return this.#nextDue.get(nowMs, nowMs + WAIT_MAX_MS);
  }

  find(id: number): Transmission | undefined {
    return this.#find.get(id);
  }

  /** The newest transmission of a pair, in any state. */
  lastOfPair(pair: string): Transmission | undefined {
    return this.#lastOfPair.get(pair);
  }

  /** The transmissions of an intervention, oldest first. */
  ofRecord(interventionId: number): Transmission[] {
    return this.#ofRecord.all(interventionId);
  }

  summary(): TransmissionSummary {
    return this.#summary.get() ?? { waiting: 0, oldestWaitingMs: null };
  }

  /** Stores the number and time of a message before it is sent. @param sequence null: takes the next number */
  stamp(id: number, sequence: number | null, stampMs: number): number {
    const taken = sequence ?? nextSequence(this.fact("sequence") ?? 0);
    if (sequence === null) this.saveFact("sequence", taken);
    this.#stamp.run(taken, stampMs, id);
    return taken;
  }

  acknowledge(id: number, atMs: number, by: string): void {
    this.#acknowledge.run(Math.round(atMs), by, id);
  }

  /** @param nextAtMs not to be sent before, milliseconds since 1970; 0 for as soon as a receiver can be used */
  fail(id: number, reason: string, nextAtMs: number): void {
    this.#fail.run(reason, Math.round(nextAtMs), id);
  }

  /** Makes all waiting transmissions due: what rejected them may have been corrected. */
  endWaits(): void {
    this.#endWaits.run();
  }

  /** Ends all waiting transmissions without sending them. */
  withdraw(): void {
    this.#withdraw.run();
  }

  fact(name: Fact): number | undefined {
    return this.#fact.get(name);
  }

  saveFact(name: Fact, value: number): void {
    this.#saveFact.run(name, Math.round(value));
  }

  removeFact(name: Fact): void {
    this.#removeFact.run(name);
  }

  /** The stored number of a zone; undefined before the first. */
  storedZoneNumber(zoneId: string): number | undefined {
    return this.#zone.get(zoneId);
  }

  /**
   * The number of a zone, which it keeps unless it becomes reserved: the smallest free one when it is first asked for.
   * @param reserved numbers that the configuration gives to other zones
   * @returns 0, which names the whole site, when all numbers are used
   */
  zoneNumber(zoneId: string, reserved: ReadonlySet<number> = new Set()): number {
    const known = this.storedZoneNumber(zoneId);
    if (known !== undefined && !reserved.has(known)) return known;
    const used = new Set([...this.#zoneNumbers.all(), ...reserved]);
    for (let number = 1; number <= ZONE_NUMBER_MAX; number += 1) {
      if (used.has(number)) continue;
      this.#saveZone.run(zoneId, number);
      return number;
    }
    return 0;
  }

  links(): ReceiverState[] {
    return this.#links.all();
  }

  saveLink({ place, address, state, sinceMs, reason }: ReceiverState): void {
    this.#saveLink.run(place, address, state, Math.round(sinceMs), reason);
  }

  removeLinks(): void {
    this.#removeLinks.run();
  }
}
