import type { Timestamp, TripState } from "../domain/trip.ts";
import { Store, type Database } from "./database.ts";
import type { GroupCommit } from "./group-commit.ts";
import { transaction } from "./transaction.ts";
import { TransactionalMap } from "./transactional-map.ts";

/** A processed message, identified in a way that a redelivery matches. */
export interface DeduplicationEntry {
  /** The MQTT client id that numbers the messages: the sensor's, or ours at an external broker. */
  readonly session: string;
  readonly packetId: number;
  readonly zoneId: string;
  /** Hash of topic and payload, because packet ids are reused. */
  readonly hash: string;
  /** Wall clock, milliseconds since 1970. */
  readonly atWallMs: number;
}

/** Beyond this number the oldest is removed; a broker has about twenty unacknowledged messages, a sensor one. */
export const MESSAGES_MAX = 4_096;
/** A client id, and the name of its account with all characters encoded. */
const SESSION_BYTES_MAX = 2_048;
/** As bytes: the length of a text ends at its first NUL. */
const HAS_USUAL_NAME = `length(CAST(session AS BLOB)) <= ${SESSION_BYTES_MAX}`;

/**
 * Stores processed messages in the transaction of the next zone change. Until then a redelivered message changes
 * nothing, and most messages change nothing.
 */
export class DeduplicationStore extends Store {
  readonly #unwritten: TransactionalMap<DeduplicationEntry, "unwritten">;
  readonly #load = this.prepare<DeduplicationEntry>(
    `SELECT * FROM (
       SELECT session, packet_id AS packetId, zone_id AS zoneId, hash, at_wall AS atWallMs
       FROM taken_messages WHERE ${HAS_USUAL_NAME} ORDER BY at_wall DESC LIMIT ${MESSAGES_MAX}
     ) ORDER BY atWallMs`,
  );
  readonly #prune = this.prepare(
    `DELETE FROM taken_messages WHERE NOT ${HAS_USUAL_NAME} OR (session, packet_id, zone_id) NOT IN (
       SELECT session, packet_id, zone_id FROM taken_messages WHERE ${HAS_USUAL_NAME}
       ORDER BY at_wall DESC LIMIT ${MESSAGES_MAX}
     )`,
  );
  readonly #remove = this.prepare(
    "DELETE FROM taken_messages WHERE session = ? AND packet_id = ? AND zone_id = ? AND hash = ?",
  );
  readonly #write = this.prepare(
    "INSERT OR REPLACE INTO taken_messages(session, packet_id, zone_id, hash, at_wall) VALUES(?, ?, ?, ?, ?)",
  );

  constructor(database: Database, commits: Pick<GroupCommit, "onRollback">) {
    super(database);
    this.#unwritten = new TransactionalMap(commits);
  }

  /**
   * Deletes what `load` leaves out: the oldest messages, and those of names that no client can have.
   * @throws if the disk rejects it
   */
  prune(): void {
    this.#prune.run();
  }

  /** Loads the newest messages of an earlier run. */
  load(): readonly DeduplicationEntry[] {
    return this.#load.all();
  }

  /** Queues a message for the next change. */
  add(message: DeduplicationEntry): void {
    this.#unwritten.set(message, "unwritten");
  }

  /**
   * Deletes messages.
   * @throws if the disk rejects it; stored messages then remain
   */
  remove(messages: readonly DeduplicationEntry[]): void {
    const written = messages.filter((message) => !this.#unwritten.delete(message));
    if (written.length === 0) return;
    transaction(this.database, () => {
      for (const { session, packetId, zoneId, hash } of written)
        this.#remove.run(session, packetId, zoneId, hash);
    });
  }

  /** Writes the queued messages in the caller's transaction; `written` is to be called after it. */
  write(): void {
    for (const { session, packetId, zoneId, hash, atWallMs } of this.#unwritten.keys())
      this.#write.run(session, packetId, zoneId, hash, Math.round(atWallMs));
  }

  /** Empties the queue, which the caller has committed. */
  written(): void {
    this.#unwritten.clear();
  }
}

/** The trip caused by an opening. */
interface OpeningTrip {
  readonly state: TripState;
  readonly moment: Timestamp;
}

/** Identifiers kept per zone; a missing one only causes an extra trip. */
const OCCASIONS_PER_ZONE_MAX = 64;

/** The identifiers of openings and the trips they caused, so that a repeated one causes no second trip. */
export class OpeningStore extends Store {
  readonly #tripOf = this.prepare<{ state: TripState } & Timestamp>(
    `SELECT state, at_wall AS wallMs, boot AS bootId, at_monotonic AS monotonicMs FROM trips
     WHERE zone_id = :zoneId AND about = 'trip'
       AND seq >= (SELECT from_seq FROM openings WHERE zone_id = :zoneId AND occasion = :occasion)
     ORDER BY seq LIMIT 1`,
  );
  readonly #removeWithoutTrip = this.prepare(
    `DELETE FROM openings WHERE zone_id = :zoneId AND occasion <> :occasion AND NOT EXISTS
       (SELECT 1 FROM trips WHERE zone_id = :zoneId AND about = 'trip'
          AND seq >= openings.from_seq AND seq < :fromSeq)`,
  );
  readonly #put = this.prepare(
    "INSERT OR REPLACE INTO openings(zone_id, occasion, from_seq) VALUES(:zoneId, :occasion, :fromSeq)",
  );
  readonly #removeOldest = this.prepare(
    `DELETE FROM openings WHERE zone_id = :zoneId AND occasion NOT IN
       (SELECT occasion FROM openings WHERE zone_id = :zoneId
        ORDER BY from_seq DESC LIMIT ${OCCASIONS_PER_ZONE_MAX})`,
  );
  readonly #keepOnly = this.prepare(
    "DELETE FROM openings WHERE zone_id NOT IN (SELECT value FROM json_each(?))",
  );

  /** The trip of the opening with this identifier; undefined if there is none. */
  tripOf(zoneId: string, occasion: string): OpeningTrip | undefined {
    const row = this.#tripOf.get({ zoneId, occasion });
    return row && { state: row.state, moment: row };
  }

  /**
   * Stores the identifier of an opening. Earlier ones without a trip are deleted: the next trip belongs to this
   * one.
   * @param fromSeq the zone's first trip from here on belongs to this opening
   */
  keep(zoneId: string, occasion: string, fromSeq: number): void {
    const opening = { zoneId, occasion, fromSeq };
    this.#removeWithoutTrip.run(opening);
    this.#put.run(opening);
    this.#removeOldest.run({ zoneId });
  }

  /** Deletes the openings of zones that are not in the configuration. */
  keepOnly(zoneIds: readonly string[]): void {
    this.#keepOnly.run(JSON.stringify(zoneIds));
  }
}

/** Stores the counter of a broker, so that messages dropped while the daemon was stopped are noticed. */
export class BrokerCountStore extends Store {
  readonly #find = this.prepare<number>("SELECT dropped FROM broker_counts WHERE broker = ?").pluck();
  readonly #removeOthers = this.prepare("DELETE FROM broker_counts WHERE broker <> ?");
  readonly #put = this.prepare("INSERT OR REPLACE INTO broker_counts VALUES(?, ?)");

  /** The last counter of a broker (host and port); undefined for an unknown one. */
  find(broker: string): number | undefined {
    return this.#find.get(broker);
  }

  keep(broker: string, dropped: number): void {
    // A site has one broker; counters of earlier ones are useless.
    this.#removeOthers.run(broker);
    this.#put.run(broker, dropped);
  }
}

/** The charge of a sensor's battery as it was reported. */
export interface StoredBatteryLevel {
  readonly percent: number;
  /** Wall clock of the report, milliseconds since 1970. */
  readonly atWallMs: number;
  /** Where the zone read it: a sensor at another place has another battery. */
  readonly place: string;
}

/** The last reported charge of each zone's battery. */
export class BatteryLevelStore extends Store {
  readonly #all = this.prepare<StoredBatteryLevel & { zoneId: string }>(
    "SELECT zone_id AS zoneId, percent, at_wall AS atWallMs, place FROM battery_levels",
  );
  readonly #save = this.prepare(
    "INSERT OR REPLACE INTO battery_levels(zone_id, percent, at_wall, place) VALUES(?, ?, ?, ?)",
  );
  readonly #forget = this.prepare("DELETE FROM battery_levels WHERE zone_id = ?");

  all(): Map<string, StoredBatteryLevel> {
    return new Map(this.#all.all().map(({ zoneId, ...level }) => [zoneId, level]));
  }

  save(zoneId: string, { percent, atWallMs, place }: StoredBatteryLevel): void {
    this.#save.run(zoneId, percent, atWallMs, place);
  }

  forget(zoneId: string): void {
    this.#forget.run(zoneId);
  }
}
