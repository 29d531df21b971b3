import { isoTime } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { messageOf } from "../../domain/errors.ts";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../../domain/objective.ts";
import { compareLists } from "../../domain/objective-list-diff.ts";
import { backOffMs } from "../../domain/backoff.ts";
import { UpstreamObjectiveStore } from "../../store/upstream-objectives.ts";
import { isStorageError } from "../../store/database.ts";
import { isDamage } from "../../store/integrity.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import type { Link } from "../link.ts";
import { KnownLists } from "./known-lists.ts";
import { INTERRUPTED, readList, writeList } from "./objective-list.ts";
import type { MirrorWriterOptions, PullProgress } from "./objective-list.ts";
import type { NextRun } from "../schedule.ts";

/** The outcome of reading one objective list. */
export interface ListOutcome {
  readonly type: ObjectiveType;
  /** `refused`: read completely but implausible. `failed`: not read completely. */
  readonly result: "taken" | "refused" | "failed";
  /** Number of objectives read. */
  readonly read: number;
  /** Why the list was not taken; null if it was. */
  readonly reason: string | null;
}

/** Options of reading the lists. */
interface PullOptions {
  /** Accepts a list even if most of its objectives are missing. */
  readonly isLossAccepted: boolean;
  /** Whether ETags may be used; otherwise every page is read. */
  readonly mayTrustTags?: boolean;
}

interface ObjectiveMirrorOptions extends MirrorWriterOptions {
  readonly centre: Pick<UpstreamClient, "read">;
  readonly link: Pick<Link, "state" | "note">;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly conditions: Conditions;
  /** When the lists are read automatically; undefined for never. */
  readonly timetable: NextRun | undefined;
  /** Resolves when no record is being sent. */
  readonly untilIdle: () => Promise<void>;
  /** Called when a list was stored. */
  readonly onListed?: () => void;
  /** Called when all lists were read: missing objectives may exist now. */
  readonly onPulled: () => void;
}

/** Maximum random delay, so that sites do not all pull at once after a power cut. */
const SPREAD_MS = 300_000;
/** Back-off after a failed pull, in milliseconds: base and limit. */
const RETRY_BASE_MS = 60_000;
const RETRY_CAP_MS = 3_600_000;

/**
 * Mirrors the objective lists of the dispatch centre. Each list is read completely before it is written, always
 * after the records that are due. A list that has lost most of its objectives is rejected.
 */
export class ObjectiveMirror {
  readonly #options: ObjectiveMirrorOptions;
  readonly #lists: UpstreamObjectiveStore;
  readonly #known: KnownLists;
  readonly #outcomes = new Map<ObjectiveType, ListOutcome>();
  #progress: PullProgress | undefined;
  #pulling: Promise<readonly ListOutcome[]> | undefined;
  /** The next pull, shared by all callers during the current one. */
  #following: Promise<readonly ListOutcome[]> | undefined;
  /** Monotonic time of the next wanted pull; undefined for none. */
  #wantedAtMs: number | undefined;
  #failures = 0;
  /** True until the first check after the start. */
  #isNew = false;
  #isStopped = false;

  constructor(options: ObjectiveMirrorOptions) {
    this.#options = options;
    this.#lists = new UpstreamObjectiveStore(options.database);
    this.#known = new KnownLists(this.#lists);
  }

  /** Plans the first pull for when the link is up. */
  start(): void {
    this.#options.timetable?.plan();
    this.#isNew = true;
  }

  /** Called after a clock step. */
  clockStepped(): void {
    this.#options.timetable?.plan();
  }

  /** Starts a pull if one is due and the link is up. */
  runIfDue(): void {
    const { timetable, clock, link } = this.#options;
    if (timetable?.isDue() === true) {
      timetable.plan();
      this.#want(SPREAD_MS);
    }
    // A site without the lists of this dispatch centre pulls at once.
    if (timetable && this.#isNew) this.#want(this.#isKnown() ? SPREAD_MS : 0);
    this.#isNew = false;
    const isWanted = this.#wantedAtMs !== undefined && clock.monotonicMs() >= this.#wantedAtMs;
    if (isWanted && !this.#pulling && link.state.waitMs === 0)
      void this.pull({ isLossAccepted: false, mayTrustTags: true });
  }

  /**
   * Reads all lists. A call during a pull waits for another one: the current pull may already have read an outdated
   * page.
   */
  pull(options: PullOptions): Promise<readonly ListOutcome[]> {
    const again = (): Promise<readonly ListOutcome[]> => {
      if (!options.isLossAccepted) this.#following = undefined;
      return this.pull(options);
    };
    // Loss is accepted for this caller only, so its pull is not shared.
    if (this.#pulling && options.isLossAccepted) return this.#pulling.then(again, again);
    if (this.#pulling) return (this.#following ??= this.#pulling.then(again, again));
    this.#pulling = this.#pull(options).finally(() => {
      this.#pulling = undefined;
      this.#progress = undefined;
    });
    return this.#pulling;
  }

  /** Finishes the current page and requests no further one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pulling;
  }

  get progress(): PullProgress | undefined {
    return this.#progress;
  }

  /** The outcome of the last read of each list since the start. */
  get outcomes(): Readonly<Partial<Record<ObjectiveType, ListOutcome>>> {
    return Object.fromEntries(this.#outcomes);
  }

  #isKnown(): boolean {
    const { baseUrl } = this.#options;
    return OBJECTIVE_TYPES.every((type) => this.#lists.lastRead(type)?.centre === baseUrl);
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
      // A pull that failed because of the link continues when the link is up.
      const isLink = link.state.waitMs > 0;
      const waitMs = isLink ? 0 : backOffMs(this.#failures, random(), RETRY_BASE_MS, RETRY_CAP_MS);
      this.#wantedAtMs = clock.monotonicMs() + waitMs;
      this.#failures += isLink ? 0 : 1;
    }
    return outcomes;
  }

  /** A database error fails only this pull; the next one retries. */
  async #attempt(type: ObjectiveType, options: PullOptions): Promise<ListOutcome> {
    try {
      return await this.#read(type, options);
    } catch (error) {
      if (!isStorageError(error)) throw error;
      if (isDamage(error)) this.#options.onDamage?.(error);
      this.#options.log.error("objectives-mirror-write-failed", { type, error });
      const reason = `the mirror cannot be written: ${messageOf(error)}`;
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
    const onPage = (read: number, outcome: ReadOutcome): void => {
      this.#progress = { type, read };
      link.note(outcome);
    };
    const found = await readList(reader, type, () => this.#mayContinue(), onPage);
    if (found.kind === "unfinished") return this.#fail(type, found.outcome);
    const read = found.rows.size;
    // A list from another dispatch centre does not show what is missing.
    const isOtherCentre = (this.#lists.lastRead(type)?.centre ?? "") !== baseUrl;
    const outcome = compareLists(this.#lists.listed(type), found.rows, isLossAccepted || isOtherCentre);
    if (outcome.kind === "refused") return this.#reject(type, read, outcome.reason);
    await writeList(this.#options, type, found.rows, outcome);
    this.#known.keep(type, reader, clock.monotonicMs());
    this.#options.onListed?.();
    conditions.clear("objectives-mirror-stale", type);
    return { type, result: "taken", read, reason: null };
  }

  /** Records have priority: a page is only requested when none is being sent and the link is up. */
  async #mayContinue(): Promise<boolean> {
    const { untilIdle, link } = this.#options;
    await untilIdle();
    return !this.#isStopped && link.state.waitMs === 0;
  }

  #fail(type: ObjectiveType, { link: fault, ...outcome }: ReadOutcome): ListOutcome {
    const { link, log } = this.#options;
    const { mayBeRecordSpecific: isOwn = false, code, retryAfterMs } = outcome;
    const reason = code === INTERRUPTED ? (link.state.reason ?? "the daemon is stopping") : outcome.reason;
    // A list that fails does not mean that the link is down for records, unless the centre asks for time.
    if (fault !== "ok" && (!isOwn || retryAfterMs !== undefined)) link.note({ ...outcome, link: fault });
    // One failure can be the network; a repeated one while the link is up is reported.
    else if (this.#failures > 0 && code !== INTERRUPTED)
      this.#report(type, `cannot be read: ${reason}`, "It is retried automatically.");
    log.info("objectives-pull-failed", { type, reason });
    return { type, result: "failed", read: this.#progress?.read ?? 0, reason };
  }

  #reject(type: ObjectiveType, read: number, reason: string): ListOutcome {
    const remedy = "If the list is correct, run santinela objectives pull --accept-removals.";
    this.#report(type, `was rejected as implausible: ${reason}`, remedy);
    this.#options.log.warn("objectives-rejected", { type, reason });
    return { type, result: "refused", read, reason };
  }

  #report(type: ObjectiveType, what: string, remedy: string): void {
    const found = this.#lists.lastRead(type);
    const fallback = found
      ? `The mirror of ${isoTime(found.completedAtMs)} stays in use.`
      : "Only the configured and imported objectives are known.";
    this.#options.conditions.raise("objectives-mirror-stale", { type, what, fallback, remedy }, type);
  }
}
