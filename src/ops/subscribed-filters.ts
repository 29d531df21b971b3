import { join } from "node:path";
import { readJson, writeDurably } from "../store/durable-files.ts";

const FILE = "mqtt-subscriptions.json";

/** Whose session has the filters. */
export interface SessionName {
  /** Host and port of the broker. */
  readonly broker: string;
  readonly clientId: string;
}

/**
 * The topic filters that the session at the broker may have. A topic that leaves the configuration while the daemon is stopped
 * would stay subscribed: the broker would queue its messages indefinitely.
 */
export class SubscribedFilters {
  readonly #file: string;
  readonly #session: SessionName;

  constructor(dataDir: string, session: SessionName) {
    this.#file = join(dataDir, FILE);
    this.#session = session;
  }

  /** The client id under which the daemon was connected to this broker last; undefined before the first time. */
  get lastClientId(): string | undefined {
    const { broker, clientId } = this.#stored();
    return broker === this.#session.broker && typeof clientId === "string" ? clientId : undefined;
  }

  /** The filters of this session; none if another one was used last. */
  list(): readonly string[] {
    const { filters } = this.#stored();
    if (this.lastClientId !== this.#session.clientId || !Array.isArray(filters)) return [];
    return filters.filter((filter) => typeof filter === "string");
  }

  /** @throws the error of the file system */
  save(filters: readonly string[]): void {
    writeDurably(this.#file, `${JSON.stringify({ ...this.#session, filters })}\n`);
  }

  #stored(): Partial<Record<keyof SessionName | "filters", unknown>> {
    return readJson(this.#file) ?? {};
  }
}
