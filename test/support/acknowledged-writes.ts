import type { Intervention } from "../../src/domain/intervention.ts";
import { askDaemon } from "./control-socket.ts";

/** Allowed notes of a record after the crash; null if it may be missing. */
interface Expectation {
  readonly name: string;
  id: number | undefined;
  acceptable: Set<string | null>;
  /** The last request got no response, so the record is no longer changed. */
  isOpen: boolean;
}

/**
 * Writes to a daemon that may crash at any time, and keeps the responses. After the crash acknowledged writes
 * must exist, unacknowledged ones may exist, and duplicates must not.
 */
export class AcknowledgedWrites {
  readonly #dataDir: () => string;
  readonly #random: () => number;
  readonly #records: Expectation[] = [];
  /** Number of acknowledged writes. */
  acknowledged = 0;
  /** Number of writes without a response. */
  unanswered = 0;

  constructor(dataDir: () => string, random: () => number) {
    this.#dataDir = dataDir;
    this.#random = random;
  }

  /** Writes until the daemon no longer responds. */
  async writeUntilDead(): Promise<void> {
    while (await this.#writeOnce());
  }

  /** Writes this number of times, whatever the response. @returns the number of acknowledged writes */
  async write(times: number): Promise<number> {
    const before = this.acknowledged;
    for (let time = 0; time < times; time += 1) await this.#writeOnce();
    return this.acknowledged - before;
  }

  /** Violations as text; empty if there are none. */
  faults(records: readonly Intervention[]): string[] {
    return this.#records.flatMap(({ name, acceptable }) => {
      const found = records.filter((record) => record.name === name);
      if (found.length > 1) return [`${name} is there ${found.length} times`];
      const notes = found[0] ? (found[0].notes ?? "") : null;
      if (acceptable.has(notes)) return [];
      const wanted = [...acceptable].map((text) => text ?? "absent").join(" or ");
      return [`${name} should be ${wanted} and is ${notes ?? "absent"}`];
    });
  }

  async #writeOnce(): Promise<boolean> {
    const known = this.#records.filter(({ id, isOpen }) => isOpen && id !== undefined);
    const record = known[Math.floor(this.#random() * known.length)];
    const kind = this.#random();
    if (!record || kind < 0.6) return this.#create();
    const path = `/interventii/${record.id}`;
    if (kind < 0.9) {
      const notes = `as of write ${this.acknowledged + this.unanswered}`;
      return this.#ask("PUT", path, record, notes, { notes });
    }
    return this.#ask("DELETE", path, record, null, undefined);
  }

  async #create(): Promise<boolean> {
    const name = `Call ${this.#records.length} of ${this.#random()}`;
    const record: Expectation = { name, id: undefined, acceptable: new Set([null]), isOpen: true };
    this.#records.push(record);
    // An unconfirmed alarm is resolved after 15 seconds, any other record after two and a half minutes.
    const body = { name, objectiveType: "obiective/cladiri", objectiveId: 1, notes: "new", priority: "high" };
    return this.#ask("POST", "/interventii", record, "new", body);
  }

  async #ask(
    method: "POST" | "PUT" | "DELETE",
    path: string,
    record: Expectation,
    outcome: string | null,
    body: object | undefined,
  ): Promise<boolean> {
    record.acceptable.add(outcome);
    record.isOpen = false;
    try {
      const { status, value } = await askDaemon(this.#dataDir(), method, path, body);
      if (status >= 300) throw new Error(`${method} ${path} answered ${status}`);
      record.acceptable = new Set([outcome]);
      record.isOpen = outcome !== null;
      record.id ??= (value as Intervention).id;
      this.acknowledged += 1;
      return true;
    } catch {
      this.unanswered += 1;
      return false;
    }
  }
}
