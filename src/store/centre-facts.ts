import type { Database } from "./database.ts";

/** What the site has learnt about its centre and still knows after a restart. */
export class CentreFacts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether the centre gives the first answer again to a repeated Idempotency-Key: it echoed one. */
  get honoursKeys(): boolean {
    return this.#read("honours-keys") === "yes";
  }

  noteKeys(isEchoed: boolean): void {
    if (isEchoed !== this.honoursKeys) this.#write("honours-keys", isEchoed ? "yes" : "no");
  }

  /** The highest of the centre's ids that the last copy knew which was put back; 0 without one. */
  get copyWatermark(): number {
    return Number(this.#read("copy-watermark") ?? 0);
  }

  noteCopy(watermark: number): void {
    this.#write("copy-watermark", String(watermark));
  }

  #read(name: string): string | undefined {
    return this.#database.prepare("SELECT value FROM centre_facts WHERE name = ?").pluck().get(name) as
      | string
      | undefined;
  }

  #write(name: string, value: string): void {
    this.#database
      .prepare(
        "INSERT INTO centre_facts(name, value) VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
      )
      .run(name, value);
  }
}
