import type { MarkerField } from "../domain/marker.ts";
import { DEFAULT_SYNC_TIMEOUTS, type SyncTimeouts } from "../domain/backoff.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { Locale } from "../domain/trip-text.ts";
import { isStorageError } from "../store/database.ts";
import { DueEntries, type DueEntry, type OutboxQueue } from "../store/due-entries.ts";
import { DueVerifications } from "../store/due-verifications.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { SyncContext, SyncPorts } from "./context.ts";
import { CreateFlow } from "./create-flow.ts";
import { LinkFaultDetector, type Link } from "./link.ts";
import { ActiveRecords, PushQueue } from "./push-queue.ts";
import { Reconciler } from "./reconciler.ts";
import { DuplicateSweep } from "./recovery/duplicate-sweep.ts";
import { LinkedIdHistory } from "./recovery/highest-id.ts";
import { RecordAudit } from "./recovery/record-audit.ts";
import { SeparateWork } from "./separate-work.ts";
import { SyncCommands } from "./sync-commands.ts";
import { SyncConditions } from "./sync-conditions.ts";
import { SyncStore } from "./sync-store.ts";

interface PushOptions extends SyncPorts {
  readonly centre: UpstreamClient;
  readonly link: Link;
  readonly marker: MarkerField;
  readonly siteRef: string;
  readonly baseUrl?: string;
  /** IANA time zone of dates without an offset. */
  readonly timezone: string;
  readonly locale: Locale;
  readonly timeouts?: SyncTimeouts;
}

/** The verifications of a cycle end after half the interval of the regular sync, which leaves the link to others. */
const VERIFYING_MS_MAX = 30_000;
/** As many are made also on a slow link, and for a while after it has failed during further ones: the centre may limit requests. */
const VERIFICATIONS_MIN = 20;
const FEW_FOR_MS = 3_600_000;
/** Maximum records swept with one read of the list. */
const SWEEPS_MAX = 500;

/**
 * Maximum records in flight. With 200 ms latency, eight send forty records a second, about what an SD card can
 * store. Several alarms, because one that hangs must not block the next.
 */
export const IN_FLIGHT_MAX: Readonly<Record<OutboxQueue, number>> = { urgent: 4, bulk: 8 };

/**
 * Pushes records to the dispatch centre. Takes what is due in the outbox: several records at once in two queues,
 * the requests of one record in sequence. Each step is stored before and after it is taken, so that the outbox
 * shows how to continue after any interruption.
 */
export class Push {
  /** Commands of users for single records. */
  readonly operator: SyncCommands;
  readonly #options: PushOptions;
  readonly #conditions: SyncConditions;
  readonly #store: SyncStore;
  readonly #linkFaults: LinkFaultDetector;
  readonly #createFlow: CreateFlow;
  readonly #reconciler: Reconciler;
  readonly #sweep: DuplicateSweep;
  /** Compares the centre's list with the records of this site. */
  readonly audit: RecordAudit;
  readonly #separate: SeparateWork;
  readonly #due: DueEntries;
  readonly #verifications: DueVerifications;
  readonly #active = new ActiveRecords();
  readonly #queues: Readonly<Record<OutboxQueue, PushQueue>>;
  /** False before the first cycle and after an error: interrupted requests and damaged texts are handled first. */
  #isHealthy = false;
  #areChecksWanted = false;
  #fewUntilMs = 0;
  #warming: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: PushOptions) {
    this.#options = options;
    this.#store = new SyncStore(options);
    this.#linkFaults = new LinkFaultDetector(options);
    this.#due = new DueEntries(options.database);
    const context: SyncContext = {
      ...options,
      store: this.#store,
      linkedIds: new LinkedIdHistory({ store: this.#store, clock: options.clock }),
      linkFaults: this.#linkFaults,
      syncConditions: new SyncConditions({ ...options, store: this.#store, due: this.#due }),
      timeouts: options.timeouts ?? DEFAULT_SYNC_TIMEOUTS,
    };
    this.#verifications = new DueVerifications(options.database, context.timeouts.pullIntervalMs);
    this.operator = new SyncCommands(context);
    this.#createFlow = new CreateFlow(context);
    this.#reconciler = new Reconciler(context);
    this.#sweep = new DuplicateSweep(context);
    this.#separate = new SeparateWork(context);
    this.audit = new RecordAudit(context, () => (this.#nextOf("urgent") ?? this.#nextOf("bulk"))?.entry);
    this.#conditions = context.syncConditions;
    this.#queues = { urgent: this.#makeQueue("urgent"), bulk: this.#makeQueue("bulk") };
  }

  /** Marks requests interrupted by a crash, and shortens waits that a wrong clock has made too long. */
  start(): void {
    const { outbox } = this.#store;
    this.#store.write(() => {
      // Before any entry is read.
      this.#store.replaceDamagedTexts();
      if (this.#options.baseUrl !== undefined) this.#store.facts.noteCentre(this.#options.baseUrl);
      this.#store.shortenBases();
      for (const entry of outbox.inPhases(["posting", "writing"], Number.MAX_SAFE_INTEGER))
        this.#store.apply(entry, "restart", entry.phase === "posting" ? { possiblyDuplicated: true } : {});
      outbox.clampDeadlines(this.#options.clock.wallMs());
    });
    this.#conditions.declareFacts();
    this.#options.centre.habits.areIdsOrdered = !this.#store.facts.hasUnorderedIds;
    this.#isHealthy = true;
  }

  /** Pushes everything that is due; a call during a cycle makes it check again. */
  async cycle(): Promise<void> {
    const isIdle = Object.values(this.#queues).every(({ running }) => running === undefined);
    if (!this.#isHealthy && isIdle) this.start();
    // Also while the link is down: after a restart a clock step can no longer be detected.
    this.#store.followClock();
    this.operator.sendJoined();
    this.#separate.clearClosed();
    await Promise.all([this.#queues.urgent.run(), this.#queues.bulk.run()]);
  }

  /** Runs a cycle, then verifies linked records and sweeps for duplicates. */
  async cycleWithChecks(): Promise<void> {
    this.#areChecksWanted = true;
    await this.cycle();
  }

  makeAllDue(): void {
    this.#store.write(() => this.#store.outbox.makeAllDue());
  }

  /** Finishes the requests in flight and starts no further one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(Object.values(this.#queues).map(({ running }) => running ?? Promise.resolve()));
    await this.#warming;
    this.#separate.stop();
  }

  /** Retries blocked records: their objectives may exist now. */
  retryBlocked(): void {
    this.#store.write(() => this.#store.outbox.makeBlockedDue());
  }

  /** Resolves when no record is being sent. */
  async untilIdle(): Promise<void> {
    const running = (): Promise<void>[] =>
      Object.values(this.#queues).flatMap((queue) => queue.running ?? []);
    while (running().length > 0) await Promise.allSettled(running());
  }

  /** Milliseconds until the next due work; undefined if only a change can create some. */
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
      afterDrain: async (giveWay) => {
        if (isBulk && this.#areChecksWanted) await this.#check(giveWay);
        this.#conditions.declareRejections();
      },
      failed: () => (this.#isHealthy = false),
    });
  }

  #slotsOf(queue: OutboxQueue): number {
    const isOpen = queue === "urgent" ? this.#linkFaults.isOpenForAlarms : this.#linkFaults.isOpen;
    if (this.#isStopped || !isOpen) return 0;
    // On an unproven link only one record is risked, not eight.
    const isProven = this.#options.link.state.state === "up";
    return isProven || queue === "urgent" ? IN_FLIGHT_MAX[queue] : 1;
  }

  /**
   * Alarms have priority on a slow link: the bulk queue waits until they are sent, including those that become due
   * now.
   */
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
      this.#alone(entry, () =>
        entry.phase === "linked" ? this.#reconciler.work(entry) : this.#createFlow.work(entry),
      ),
    );
  }

  async #alone({ interventionId }: OutboxEntry, work: () => Promise<void>): Promise<void> {
    if (!(await this.#separate.run(interventionId, work))) this.#isHealthy = false;
  }

  #nextOf(queue: OutboxQueue): DueEntry | undefined {
    const { clock } = this.#options;
    return this.#due.next(queue, clock.wallMs(), (due) => this.#active.isFree(queue, due));
  }

  /** Runs beside the records. Database errors are ignored here: they already end the work on the records. */
  #keepUrgentWarm(): void {
    this.#warming = this.#createFlow.keepUrgentWarm().catch((error: unknown) => {
      if (!isStorageError(error)) throw error;
    });
  }

  /** @param giveWay pushes what has become due, so that a new record waits for one check only */
  async #check(giveWay: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    this.#areChecksWanted = false;
    this.#store.followClock();
    const startMs = clock.monotonicMs();
    const [nowMs, untilMs] = [clock.wallMs(), startMs < this.#fewUntilMs ? 0 : startMs + VERIFYING_MS_MAX];
    const mayCheck = (): boolean => !this.#isStopped && this.#linkFaults.isOpen;
    for (const [made, entry] of this.#verifications.next(nowMs).entries()) {
      if (!mayCheck() || (made >= VERIFICATIONS_MIN && clock.monotonicMs() >= untilMs)) break;
      await this.#verify(entry).then(giveWay);
      if (made >= VERIFICATIONS_MIN && !this.#linkFaults.isOpen) this.#fewUntilMs = startMs + FEW_FOR_MS;
    }
    // What the centre makes of a name or a start tells a duplicate from a dispatcher's record.
    const sweeps = this.#store.outbox.dueSweeps(nowMs, SWEEPS_MAX);
    if (mayCheck()) await this.#sweep.work(sweeps, giveWay).then(giveWay);
  }

  async #verify(entry: OutboxEntry): Promise<void> {
    const due = { entry, similarityKey: `check of ${entry.interventionId}` };
    if (!this.#active.isFree("bulk", due)) return;
    await this.#active.hold("bulk", due, () => this.#alone(entry, () => this.#reconciler.work(entry)));
  }
}
