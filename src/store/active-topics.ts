import { Store } from "./database.ts";
import { storedJson } from "./stored-json.ts";
import { transaction } from "./transaction.ts";

/** The topics of each source with a wildcard whose last message was an opening, a tamper, a low battery, a loss or an arming. */
export class ActiveTopicStore extends Store {
  readonly #all = this.prepare<{ source: string; topics: string }>(
    "SELECT source, topics FROM active_topics ORDER BY source",
  );
  readonly #save = this.prepare("INSERT OR REPLACE INTO active_topics(source, topics) VALUES(?, ?)");
  readonly #forget = this.prepare("DELETE FROM active_topics WHERE source = ?");
  readonly #forgetAll = this.prepare("DELETE FROM active_topics");
  readonly #noteKept = this.prepare("UPDATE alive SET keeps_topics = 1 WHERE keeps_topics IS NULL");

  /** The topics of each source that has any, the oldest first. */
  all(): Map<string, readonly string[]> {
    return new Map(
      this.#all.all().map(({ source, topics }) => [source, storedJson<readonly string[]>(topics, [])]),
    );
  }

  /**
   * Forgets all topics if a former release has run since they were stored: it did not note their changes.
   * @throws any error of the journal; then none is forgotten
   */
  forgetOutdated(): void {
    transaction(this.database, () => {
      if (this.#noteKept.run().changes > 0) this.#forgetAll.run();
    });
  }

  save(source: string, topics: readonly string[]): void {
    if (topics.length === 0) this.#forget.run(source);
    else this.#save.run(source, JSON.stringify(topics));
  }
}
