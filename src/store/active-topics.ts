import { Store } from "./database.ts";

/** The topics of each source with a wildcard whose last message was an opening, a tamper, a low battery, a loss or an arming. */
export class ActiveTopicStore extends Store {
  readonly #all = this.prepare<{ source: string; topics: string }>(
    "SELECT source, topics FROM active_topics ORDER BY source",
  );
  readonly #save = this.prepare("INSERT OR REPLACE INTO active_topics(source, topics) VALUES(?, ?)");
  readonly #forget = this.prepare("DELETE FROM active_topics WHERE source = ?");

  /** The topics of each source that has any, the oldest first. */
  all(): Map<string, readonly string[]> {
    return new Map(
      this.#all.all().map(({ source, topics }) => [source, JSON.parse(topics) as readonly string[]]),
    );
  }

  save(source: string, topics: readonly string[]): void {
    if (topics.length === 0) this.#forget.run(source);
    else this.#save.run(source, JSON.stringify(topics));
  }
}
