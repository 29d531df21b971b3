import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../domain/objective.ts";
import { compareLists } from "../domain/objective-list-diff.ts";
import { backOffMs } from "../domain/backoff.ts";
import { UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import { isStorageError, type Database } from "../store/database.ts";
import type { ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { Link } from "./link.ts";
import { KnownLists } from "./known-lists.ts";
import { MirrorWriter } from "./mirror-writer.ts";
import type { ListOutcome, PullOptions, PullProgress } from "./list-outcome.ts";
import { INTERRUPTED, readList } from "./objective-list-reader.ts";
import type { NextRun } from "./next-run.ts";

export interface ObjectiveMirrorOptions {
  readonly centre: Pick<UpstreamClient, "read">;
  readonly link: Pick<Link, "state" | "note">;
  readonly database: Database;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Which centre this is: a list that was another one's says nothing of what is missing. */
  readonly baseUrl: string;
  /** When the lists are read by themselves; undefined for never. */
  readonly timetable: NextRun | undefined;
  /** Comes back when no record is on its way to the centre. */
  readonly untilIdle: () => Promise<void>;
  /** Told when all lists were read to their end: what the centre lacked it may have now. */
  readonly onPulled: () => void;
}

/** Sites that come back together after a power cut do not ask together. */
const SPREAD_MS = 300_000;
/** A list that cannot be read is tried again after a random wait below so long, doubling to the second number. */
const RETRY_BASE_MS = 60_000;
const RETRY_CAP_MS = 3_600_000;

/**
 * Keeps a copy of the centre's objectives. Each list is read to its end before anything of it is written, always after
 * the records that are due, and a list that has lost most of what it had is not believed.
 */
export class ObjectiveMirror {
  readonly #options: ObjectiveMirrorOptions;
  readonly #lists: UpstreamObjectiveStore;
  readonly #copy: MirrorWriter;
  readonly #known: KnownLists;
  readonly #outcomes = new Map<ObjectiveType, ListOutcome>();
  #progress: PullProgress | undefined;
  #pulling: Promise<readonly ListOutcome[]> | undefined;
  /** One for all who have asked during a pull. */
  #following: Promise<readonly ListOutcome[]> | undefined;
  /** Monotonic clock from which on a pull is wanted; undefined while none is. */
  #wantedAtMs: number | undefined;
  #failures = 0;
  /** Before the first look after the start. */
  #isNew = false;
  #isStopped = false;

  constructor(options: ObjectiveMirrorOptions) {
    this.#options = options;
    this.#lists = new UpstreamObjectiveStore(options.database);
    this.#copy = new MirrorWriter(options);
    this.#known = new KnownLists(this.#lists);
  }

  /** Has the lists read as soon as the link is up. */
  start(): void {
    this.#options.timetable?.plan();
    this.#isNew = true;
  }

  /** Says that the wall clock was set. */
  clockStepped(): void {
    this.#options.timetable?.plan();
  }

  /** Begins a pull when one is due and the link is free. */
  look(): void {
    const { timetable, clock, link } = this.#options;
    if (timetable?.isDue() === true) {
      timetable.plan();
      this.#want(SPREAD_MS);
    }
    // A site that does not know this centre's lists yet cannot wait.
    if (timetable && this.#isNew) this.#want(this.#isKnown() ? SPREAD_MS : 0);
    this.#isNew = false;
    const isWanted = this.#wantedAtMs !== undefined && clock.monotonicMs() >= this.#wantedAtMs;
    if (isWanted && !this.#pulling && link.state.waitMs === 0)
      void this.pull({ isLossAccepted: false, mayTrustTags: true });
  }

  /**
   * Reads all lists as they are now: a call during a pull, which may have read a page too early, waits for another one.
   */
  pull(options: PullOptions): Promise<readonly ListOutcome[]> {
    const again = (): Promise<readonly ListOutcome[]> => {
      if (!options.isLossAccepted) this.#following = undefined;
      return this.pull(options);
    };
    // What is accepted now may not be for whoever else waits.
    if (this.#pulling && options.isLossAccepted) return this.#pulling.then(again, again);
    if (this.#pulling) return (this.#following ??= this.#pulling.then(again, again));
    this.#pulling = this.#pull(options).finally(() => {
      this.#pulling = undefined;
      this.#progress = undefined;
    });
    return this.#pulling;
  }

  /** Lets the page under way come in and asks for no further one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pulling;
  }

  get progress(): PullProgress | undefined {
    return this.#progress;
  }

  /** What became of a list at the last try since the start. */
  outcome(type: ObjectiveType): ListOutcome | undefined {
    return this.#outcomes.get(type);
  }

  #isKnown(): boolean {
    const { baseUrl } = this.#options;
    return OBJECTIVE_TYPES.every((type) => this.#lists.walk(type)?.centre === baseUrl);
  }

  #want(withinMs: number): void {
    const { clock, random } = this.#options;
    this.#wantedAtMs ??= clock.monotonicMs() + Math.floor(random() * withinMs);
  }

  async #pull(options: PullOptions): Promise<readonly ListOutcome[]> {
    const { clock, random, link, timetable, onPulled } = this.#options;
    this.#wantedAtMs = undefined;
    const outcomes: ListOutcome[] = [];
    for (const type of OBJECTIVE_TYPES) {
      const outcome = await this.#attempt(type, options);
      this.#outcomes.set(type, outcome);
      outcomes.push(outcome);
    }
    if (outcomes.every(({ result }) => result !== "failed")) {
      this.#failures = 0;
      onPulled();
    } else if (timetable) {
      // What only the link has held up goes on when the link does.
      const isLink = link.state.waitMs > 0;
      const waitMs = isLink ? 0 : backOffMs(this.#failures, random(), RETRY_BASE_MS, RETRY_CAP_MS);
      this.#wantedAtMs = clock.monotonicMs() + waitMs;
      this.#failures += isLink ? 0 : 1;
    }
    return outcomes;
  }

  /** A database in trouble fails this pull and no more: the next one tries again. */
  async #attempt(type: ObjectiveType, options: PullOptions): Promise<ListOutcome> {
    try {
      return await this.#read(type, options);
    } catch (error) {
      if (!isStorageError(error)) throw error;
      this.#options.log.error("objectives-mirror-write-failed", { type, error });
      const reason = `the copy cannot be written: ${messageOf(error)}`;
      return { type, result: "failed", read: this.#progress?.read ?? 0, reason };
    }
  }

  async #read(
    type: ObjectiveType,
    { isLossAccepted, mayTrustTags = false }: PullOptions,
  ): Promise<ListOutcome> {
    const { centre, clock, link, conditions, baseUrl } = this.#options;
    this.#progress = { type, read: 0 };
    const reader = this.#known.reader(type, { centre, mayTrustTags, nowMs: clock.monotonicMs() });
    const walk = await readList(reader, type, {
      mayGoOn: () => this.#mayGoOn(),
      onPage: (read, outcome) => {
        this.#progress = { type, read };
        link.note(outcome);
      },
    });
    this.#known.noteAnswers(reader);
    if (walk.kind === "unfinished") return this.#failed(type, walk.outcome);
    const read = walk.rows.size;
    const isOtherCentre = (this.#lists.walk(type)?.centre ?? "") !== baseUrl;
    const outcome = compareLists(this.#lists.listed(type), walk.rows, isLossAccepted || isOtherCentre);
    if (outcome.kind === "refused") return this.#refused(type, read, outcome.reason);
    await this.#copy.write(type, walk.rows, outcome);
    this.#known.keep(type, reader, clock.monotonicMs());
    conditions.clear("objectives-mirror-stale", type);
    return { type, result: "taken", read, reason: null };
  }

  /** Records go first: a page is only asked for when none of them is on its way, and not while the link rests. */
  async #mayGoOn(): Promise<boolean> {
    const { untilIdle, link } = this.#options;
    await untilIdle();
    return !this.#isStopped && link.state.waitMs === 0;
  }

  #failed(type: ObjectiveType, { link: fault, ...outcome }: ReadOutcome): ListOutcome {
    const { link, log } = this.#options;
    const { mayBeRecordSpecific = false, code } = outcome;
    const reason = code === INTERRUPTED ? (link.state.reason ?? "the daemon stops") : outcome.reason;
    // A list that the centre cannot give says nothing about the records that it takes.
    if (fault !== "ok" && !mayBeRecordSpecific) link.note({ ...outcome, link: fault });
    // Once can be the line; a list that fails again while the link is well is somebody's business.
    else if (this.#failures > 0 && code !== INTERRUPTED)
      this.#tell(type, `cannot be read: ${reason}`, "It is tried again by itself.");
    log.info("objectives-pull-failed", { type, reason });
    return { type, result: "failed", read: this.#progress?.read ?? 0, reason };
  }

  #refused(type: ObjectiveType, read: number, reason: string): ListOutcome {
    const remedy = "If it is right nevertheless: santinela objectives pull --accept-loss.";
    this.#tell(type, `is not believed: ${reason}`, remedy);
    this.#options.log.warn("objectives-rejected", { type, reason });
    return { type, result: "refused", read, reason };
  }

  #tell(type: ObjectiveType, what: string, remedy: string): void {
    const walk = this.#lists.walk(type);
    const copy = walk
      ? `The copy of ${new Date(walk.completedAtMs).toISOString()} stays in use.`
      : "Only the configured and imported objectives are known.";
    const said = `the centre's list ${type} ${what}. ${copy} ${remedy}`;
    this.#options.conditions.raise("objectives-mirror-stale", said, type);
  }
}
