import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { Journal } from "../store/journal.ts";
import { storedJson } from "../store/stored-json.ts";
import { TransactionalMap } from "../store/transactional-map.ts";

interface ActiveTopicsOptions {
  readonly journal: Pick<Journal, "onRollback" | "noteError" | "activeTopics">;
  readonly log: Log;
  /** Of MQTT sources: shows those with more topics than the limit. */
  readonly conditions?: Conditions;
}

/** Maximum number of topics tracked for one source; a larger site has more than one zone. */
export const TOPICS_OF_SOURCE_MAX = 256;
/**
 * Stands in the list of a source for the topics beyond the limit. It is no topic, so no message ends it: a client that invents
 * topics must not make the daemon forget the real one. Only another configuration of its zone or gate does, or a closing if the
 * zone has one sensor or restores itself.
 */
export const OTHER_TOPICS = "#";
/** Kinds of the sources of alarm panels: their "topics" are numbers of zones, or partitions. */
export const NUMBERS = "numbers";
export const PARTITIONS = "partitions";
type KindOfTopics = "topics" | typeof NUMBERS | typeof PARTITIONS;
const LOGGED_AS: Readonly<Record<KindOfTopics, string>> = {
  topics: "mqtt-topic-active",
  numbers: "alarm-panel-number-open",
  partitions: "alarm-panel-partition-noted",
};

/**
 * Of each source with several topics, those that are active: open, tampered, low, unavailable or armed. They are stored, because
 * after a restart the message of one topic must not end what another one has reported.
 */
export class ActiveTopics {
  readonly #options: ActiveTopicsOptions | undefined;
  readonly #loggedAs: string;
  readonly #topics: Map<string, readonly string[]>;
  /** The last message of each topic of sources with one sensor, which are stored only at times. */
  readonly seen: Map<string, readonly string[]>;
  /** For the condition: those whose state does not end once they have more topics than the limit. */
  #limitNames: ReadonlyMap<string, string> = new Map();
  /** Sources whose last change could not be stored; the next message stores it. */
  readonly #unstored = new Set<string>();

  /**
   * @param options none for a recording, of which nothing is stored
   * @param of which sources it has: those of MQTT, or one kind of those of alarm panels, which share the table
   */
  constructor(options?: ActiveTopicsOptions, of: KindOfTopics = "topics") {
    this.#options = options;
    this.#loggedAs = LOGGED_AS[of];
    this.#topics = options ? new TransactionalMap(options.journal) : new Map();
    this.seen = options ? new TransactionalMap(options.journal) : new Map();
    for (const [source, topics] of options ? storedTopics(options) : [])
      if (kindOf(source) === of) this.#topics.set(source, topics);
  }

  /** The active topics of a source. */
  of(source: string): readonly string[] {
    return this.#topics.get(source) ?? [];
  }

  /** Notes the state of one topic. @returns whether any topic of the source is active */
  note(source: string, topic: string, isActive: boolean): boolean {
    const before = this.#topics.get(source) ?? [];
    // A topic beyond the limit must not push out another one, which may be that of the real sensor.
    const isBeyond = isActive && !before.includes(topic) && before.length >= TOPICS_OF_SOURCE_MAX;
    const noted = isBeyond ? OTHER_TOPICS : topic;
    const isChanged = before.includes(noted) !== isActive;
    const others = before.filter((other) => other !== noted);
    const changed = isActive ? [...others, noted] : others;
    const topics = isChanged ? changed : before;
    if (isChanged && isActive) this.#logActive(source, topic);
    if (isChanged || this.#unstored.has(source)) this.#set(source, topics);
    return topics.length > 0;
  }

  /** Forgets a topic that is gone. @returns as `note`; undefined if it was not active */
  forget(source: string, topic: string): boolean | undefined {
    return this.#topics.get(source)?.includes(topic) === true ? this.note(source, topic, false) : undefined;
  }

  /** Sets the topics of a source. */
  replace(source: string, topics: readonly string[]): void {
    const before = this.of(source);
    const isSame = before.length === topics.length && topics.every((topic, at) => topic === before[at]);
    if (!isSame || this.#unstored.has(source)) this.#set(source, topics);
  }

  /**
   * Forgets the topics of all other sources.
   * @param limitNames what a person calls those of these sources that more topics than the limit keep active
   */
  keep(sources: ReadonlySet<string>, limitNames: ReadonlyMap<string, string> = new Map()): void {
    for (const source of this.#topics.keys()) if (!sources.has(source)) this.#set(source, []);
    for (const source of this.seen.keys()) if (!sources.has(source)) this.seen.delete(source);
    this.#limitNames = limitNames;
    for (const source of this.#topics.keys()) this.#showLimit(source);
  }

  /** So that a person finds a topic that never ends what it has reported. */
  #logActive(source: string, topic: string): void {
    const [kind, of] = storedJson<readonly string[]>(source, [source]);
    this.#options?.log.info(this.#loggedAs, { kind, of, topic });
  }

  #showLimit(source: string): void {
    const [kind = "", owner = source] = storedJson<readonly string[]>(source, []);
    const subject = `${kind} ${owner}`;
    const of = this.#limitNames.get(source);
    if (of !== undefined && this.of(source).includes(OTHER_TOPICS))
      this.#options?.conditions?.raise("mqtt-topics-at-limit", { of, max: TOPICS_OF_SOURCE_MAX }, subject);
    else this.#options?.conditions?.clear("mqtt-topics-at-limit", subject);
  }

  /** A change that cannot be stored still applies: a tamper or an arming must not wait for the disk. */
  #set(source: string, topics: readonly string[]): void {
    if (topics.length === 0) this.#topics.delete(source);
    else this.#topics.set(source, topics);
    this.#showLimit(source);
    try {
      this.#options?.journal.activeTopics.save(source, topics);
      this.#unstored.delete(source);
    } catch (error) {
      // Once, not at each message.
      if (!this.#unstored.has(source))
        this.#options?.log.error("active-topics-write-failed", { source, error });
      this.#unstored.add(source);
      this.#options?.journal.noteError(error);
    }
  }
}

function kindOf(source: string): KindOfTopics {
  return ([NUMBERS, PARTITIONS] as const).find((kind) => source.startsWith(`["${kind}",`)) ?? "topics";
}

/** The topics that are still valid; none if the disk does not accept that they are forgotten. */
function storedTopics({ journal, log }: ActiveTopicsOptions): ReadonlyMap<string, readonly string[]> {
  try {
    journal.activeTopics.forgetOutdated();
  } catch (error) {
    log.error("active-topics-write-failed", { error });
    journal.noteError(error);
    return new Map();
  }
  return journal.activeTopics.all();
}
