import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { MarkerField } from "../domain/marker.ts";
import { DEFAULT_SYNC_TIMEOUTS, type SyncTimeouts } from "../domain/backoff.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { isStorageError, type Database } from "../store/database.ts";
import { DueEntries, type DueEntry, type OutboxQueue } from "../store/due-entries.ts";
import { unprovedAlarms } from "../store/unproved-alarms.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { RecordAudit } from "./record-audit.ts";
import { PushQueue, ActiveRecords } from "./push-queue.ts";
import { SyncStore } from "./sync-store.ts";
import type { Link } from "./link.ts";
import { LinkFaultDetector } from "./link-fault-detector.ts";
import { SyncCommands } from "./sync-commands.ts";
import type { SyncContext } from "./context.ts";
import { CreateFlow } from "./create-flow.ts";
import { Reconciler } from "./reconciler.ts";
import { LinkedIdHistory } from "./upstream-restore.ts";
import { ReferenceWatch } from "./reference-watch.ts";
import { INCOMPLETE_LISTS } from "./record-search.ts";
import { ReassignedIds } from "./reassigned-ids.ts";
import { DuplicateSweep } from "./duplicate-sweep.ts";

export interface PushOptions {
  readonly database: Database;
  readonly centre: UpstreamClient;
  readonly link: Link;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly marker: MarkerField;
  readonly siteRef: string;
  /** The centre's address. */
  readonly baseUrl?: string;
  /** IANA zone in which dates without an offset are read. */
  readonly timezone: string;
  readonly failpoint: (name: string) => void;
  readonly timeouts?: SyncTimeouts;
}

/** Of each kind of check, so many are made in one go: what is new must not wait for what is only looked at again. */
const CHECKS_MAX = 20;
/** A person is asked about an alarm once this time has passed: by then the search would have found it. */
const UNPROVED_AFTER_MS = 30_000;
/** Doubles of so many records are looked for in one reading of the centre's list. */
const SWEEPS_MAX = 500;

/**
 * Maximum records in flight. Behind 200 ms eight bring forty records a second, which is about what an SD card can record
 * of them. Of alarms several, because one that hangs must not hold up the next.
 */
export const IN_FLIGHT_MAX: Readonly<Record<OutboxQueue, number>> = { urgent: 4, bulk: 8 };

/**
 * Brings the records to the centre: takes what is due in the outbox, several records at once in each of two queues and the
 * requests of one record one after the other. It records each step before and after it is taken, so that the outbox shows
 * how to go on whatever happens in between.
 */
export class Push {
  /** What people can do about single records. */
  readonly operator: SyncCommands;
  readonly #options: PushOptions;
  readonly #parts: SyncContext;
  readonly #store: SyncStore;
  readonly #watch: LinkFaultDetector;
  readonly #createFlow: CreateFlow;
  readonly #reconciler: Reconciler;
  readonly #sweep: DuplicateSweep;
  /** Holds the centre's list against this site's records. */
  readonly audit: RecordAudit;
  readonly #due: DueEntries;
  readonly #active = new ActiveRecords();
  readonly #queues: Readonly<Record<OutboxQueue, PushQueue>>;
  /** False before the first cycle and after one that the database ended: what was left on the wire is taken up first. */
  #isHealthy = false;
  #areChecksWanted = false;
  #warming: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: PushOptions) {
    this.#options = options;
    this.#store = new SyncStore(options);
    this.#watch = new LinkFaultDetector(options);
    const parts: SyncContext = {
      ...options,
      store: this.#store,
      linkedIds: new LinkedIdHistory({ store: this.#store, clock: options.clock }),
      watch: this.#watch,
      reference: new ReferenceWatch({ ...options, store: this.#store }),
      reassignedIds: new ReassignedIds({ ...options, store: this.#store }),
      timeouts: options.timeouts ?? DEFAULT_SYNC_TIMEOUTS,
    };
    this.operator = new SyncCommands(parts);
    this.#createFlow = new CreateFlow(parts);
    this.#reconciler = new Reconciler(parts, options.timezone);
    this.#sweep = new DuplicateSweep(parts);
    this.audit = new RecordAudit(parts, options);
    this.#parts = parts;
    this.#due = new DueEntries(options.database);
    this.#queues = { urgent: this.#makeQueue("urgent"), bulk: this.#makeQueue("bulk") };
  }

  /** Takes up what a dead process left on the wire, and forgets waits that a wrong clock has made. */
  start(): void {
    const { outbox } = this.#store;
    this.#store.write(() => {
      for (const entry of outbox.inPhases(["posting", "writing"], Number.MAX_SAFE_INTEGER))
        this.#store.apply(entry, "restart", entry.phase === "posting" ? { possiblyDuplicated: true } : {});
      outbox.clampDeadlines(this.#options.clock.wallMs());
    });
    this.#parts.reference.declare();
    this.#parts.reassignedIds.declare();
    this.#isHealthy = true;
  }

  /** Works through everything that is due. Called during a cycle, it makes that one look once more. */
  async cycle(): Promise<void> {
    const isIdle = Object.values(this.#queues).every(({ running }) => running === undefined);
    if (!this.#isHealthy && isIdle) this.start();
    // Also while the link rests: after a power cut nobody knows any more that the clock was set.
    this.#store.followClock();
    this.operator.sendJoined();
    await Promise.all([this.#queues.urgent.run(), this.#queues.bulk.run()]);
  }

  /** The same, and then looks at the centre's records for doubles and for what the dispatcher has changed. */
  async cycleWithChecks(): Promise<void> {
    this.#areChecksWanted = true;
    await this.cycle();
  }

  /** Makes everything due that only waits for time to pass. */
  makeAllDue(): void {
    this.#store.write(() => this.#store.outbox.makeAllDue());
  }

  /** Lets the requests under way finish and takes no further one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(Object.values(this.#queues).map(({ running }) => running ?? Promise.resolve()));
    await this.#warming;
  }

  /** Has every record tried again that the centre had no objective for: it may have it now. */
  retryBlocked(): void {
    this.#store.write(() => this.#store.outbox.makeBlockedDue());
  }

  /** Comes back when nothing is on its way to the centre. */
  async untilQuiet(): Promise<void> {
    const running = (): Promise<void>[] => Object.values(this.#queues).flatMap((queue) => queue.running ?? []);
    while (running().length > 0) await Promise.allSettled(running());
  }

  /** How long until there is something to do; undefined when only a change can make it so. */
  nextWorkInMs(): number | undefined {
    const dueAtMs = this.#due.nextAtMs();
    if (dueAtMs === undefined) return undefined;
    return Math.max(0, dueAtMs - this.#options.clock.wallMs(), this.#options.link.state.waitMs);
  }

  #makeQueue(name: OutboxQueue): PushQueue {
    const isBulk = name === "bulk";
    return new PushQueue({
      slots: () => this.#slotsOf(name),
      giveWay: () => (isBulk ? this.#urgentFirst() : Promise.resolve()),
      takeNext: () => this.#takeNext(name),
      rest: async (giveWay) => {
        if (isBulk && this.#areChecksWanted) await this.#check(giveWay);
        this.#declareRejections();
      },
      failed: () => (this.#isHealthy = false),
    });
  }

  #slotsOf(queue: OutboxQueue): number {
    if (this.#isStopped || !this.#watch.isOpen) return 0;
    // Over a link that may swallow everything, one record is put in doubt and not eight.
    const isProven = this.#options.link.state.state === "up";
    return isProven || queue === "urgent" ? IN_FLIGHT_MAX[queue] : 1;
  }

  /** A thin line is the alarms' first: the others go on when those are through, also those that have come due just now. */
  async #urgentFirst(): Promise<void> {
    const { urgent } = this.#queues;
    await (urgent.running === undefined && this.#nextOf("urgent") ? urgent.run() : urgent.running);
  }

  #takeNext(queue: OutboxQueue): Promise<void> | undefined {
    this.#store.followClock();
    const due = this.#nextOf(queue);
    if (!due) return undefined;
    if (queue === "bulk") this.#keepUrgentWarm();
    const { entry } = due;
    return this.#active.hold(queue, due, () =>
      entry.phase === "linked" ? this.#reconciler.work(entry) : this.#createFlow.work(entry),
    );
  }

  #nextOf(queue: OutboxQueue): DueEntry | undefined {
    const { clock } = this.#options;
    return this.#due.next(queue, clock.wallMs(), (due) => this.#active.isFree(queue, due));
  }

  /** Beside the records: a database in trouble ends their work, and that is enough. */
  #keepUrgentWarm(): void {
    this.#warming = this.#createFlow.keepUrgentWarm().catch((error: unknown) => {
      if (!isStorageError(error)) throw error;
    });
  }

  /** @param giveWay works through what has come due: a record that is new waits for one check and not for all */
  async #check(giveWay: () => Promise<void>): Promise<void> {
    const { outbox } = this.#store;
    this.#areChecksWanted = false;
    this.#store.followClock();
    const nowMs = this.#options.clock.wallMs();
    const checks = [
      () => this.#sweep.work(outbox.dueChecks("sweep", nowMs, SWEEPS_MAX), giveWay),
      ...outbox.dueChecks("verify", nowMs, CHECKS_MAX).map((entry) => () => this.#verify(entry)),
    ];
    for (const check of checks) if (!this.#isStopped && this.#watch.isOpen) await check().then(giveWay);
  }

  async #verify(entry: OutboxEntry): Promise<void> {
    const due = { entry, likeness: `check of ${entry.interventionId}` };
    if (!this.#active.isFree("bulk", due)) return;
    await this.#active.hold("bulk", due, () => this.#reconciler.work(entry));
  }

  #declareRejections(): void {
    const { conditions, clock, database } = this.#options;
    const unproved = unprovedAlarms(database, [...INCOMPLETE_LISTS], clock.wallMs() - UNPROVED_AFTER_MS);
    const [first] = unproved;
    if (first)
      conditions.raise("upstream-alarm-unproved", { interventionId: first, alarms: unproved.length });
    else conditions.clear("upstream-alarm-unproved");
    const { blocked, rejected, gone, rejectedAlarms } = this.#store.outbox.summary();
    if (blocked + rejected + gone === 0) conditions.clear("upstream-rejects-records");
    else conditions.raise("upstream-rejects-records", { rejected, blocked, gone });
    if (rejectedAlarms === 0) conditions.clear("upstream-refuses-alarm");
    else conditions.raise("upstream-refuses-alarm", { rejected: rejectedAlarms });
  }
}
