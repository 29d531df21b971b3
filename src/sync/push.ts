import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { MarkerField } from "../domain/marker.ts";
import { PATIENCE, type Patience } from "../domain/waits.ts";
import type { Database } from "../store/database.ts";
import type { OutboxLane } from "../store/outbox.ts";
import { unprovedAlarms } from "../store/unproved-alarms.ts";
import type { Centre } from "./centre.ts";
import { Comparing } from "./comparing.ts";
import { Ledger } from "./ledger.ts";
import type { Link } from "./link.ts";
import { LinkWatch } from "./link-watch.ts";
import { Operator } from "./operator.ts";
import type { SyncParts } from "./parts.ts";
import { Posting } from "./posting.ts";
import { Reconciling } from "./reconciling.ts";
import { ReferenceWatch } from "./reference-watch.ts";
import { INCOMPLETE_LISTS } from "./search.ts";
import { StrangerWatch } from "./stranger-watch.ts";
import { Sweeping } from "./sweeping.ts";

export interface PushOptions {
  readonly database: Database;
  readonly centre: Centre;
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
  readonly patience?: Patience;
}

/** Of each kind of check, so many are made in one go: what is new must not wait for what is only looked at again. */
const CHECKS_MAX = 20;
/** A person is asked about an alarm once this time has passed: by then the search would have found it. */
const UNPROVED_AFTER_MS = 30_000;
/** Doubles of so many records are looked for in one reading of the centre's list. */
const SWEEPS_MAX = 500;

/**
 * Brings the records to the centre: takes what is due in the outbox, one request at a time in each of two lanes, and
 * writes each step down before and after it is taken. Whatever happens in between, the outbox says how to go on.
 */
export class Push {
  /** What people can do about single records. */
  readonly operator: Operator;
  readonly #options: PushOptions;
  readonly #parts: SyncParts;
  readonly #ledger: Ledger;
  readonly #watch: LinkWatch;
  readonly #posting: Posting;
  readonly #reconciling: Reconciling;
  readonly #sweeping: Sweeping;
  /** Holds the centre's list against this site's records. */
  readonly comparing: Comparing;
  readonly #lanes: Readonly<Record<OutboxLane, Lane>> = {
    alarms: { running: undefined, isWanted: false },
    others: { running: undefined, isWanted: false },
  };
  /** False before the first cycle and after one that the database ended: what was left on the wire is taken up first. */
  #isHealthy = false;
  #areChecksWanted = false;
  #isStopped = false;

  constructor(options: PushOptions) {
    this.#options = options;
    this.#ledger = new Ledger(options);
    this.#watch = new LinkWatch(options);
    const parts: SyncParts = {
      ...options,
      ledger: this.#ledger,
      watch: this.#watch,
      reference: new ReferenceWatch({ ...options, ledger: this.#ledger }),
      strangers: new StrangerWatch({ ...options, ledger: this.#ledger }),
      patience: options.patience ?? PATIENCE,
    };
    this.operator = new Operator(parts);
    this.#posting = new Posting(parts);
    this.#reconciling = new Reconciling(parts, options.timezone);
    this.#sweeping = new Sweeping(parts);
    this.comparing = new Comparing(parts, options);
    this.#parts = parts;
  }

  /** Takes up what a dead process left on the wire, and forgets waits that a wrong clock has made. */
  start(): void {
    const { outbox } = this.#ledger;
    this.#ledger.write(() => {
      for (const entry of outbox.inPhases(["posting", "writing"], Number.MAX_SAFE_INTEGER))
        this.#ledger.apply(entry, "restart", entry.phase === "posting" ? { doubted: true } : {});
      outbox.clampMoments(this.#options.clock.wallMs());
    });
    this.#parts.reference.declare();
    this.#parts.strangers.declare();
    this.#isHealthy = true;
  }

  /** Works through everything that is due. Called during a cycle, it makes that one look once more. */
  async cycle(): Promise<void> {
    const isIdle = Object.values(this.#lanes).every(({ running }) => running === undefined);
    if (!this.#isHealthy && isIdle) this.start();
    // Also while the link rests: after a power cut nobody knows any more that the clock was set.
    this.#ledger.followClock();
    await Promise.all([this.#run("alarms"), this.#run("others")]);
  }

  /** The same, and then looks at the centre's records for doubles and for what the dispatcher has changed. */
  async cycleWithChecks(): Promise<void> {
    this.#areChecksWanted = true;
    await this.cycle();
  }

  /** Makes everything due that only waits for time to pass. */
  makeAllDue(): void {
    this.#ledger.write(() => this.#ledger.outbox.makeAllDue());
  }

  /** Lets the requests under way finish and takes no further one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(Object.values(this.#lanes).map(({ running }) => running ?? Promise.resolve()));
  }

  /** Has every record tried again that the centre had no objective for: it may have it now. */
  retryBlocked(): void {
    this.#ledger.write(() => this.#ledger.outbox.makeBlockedDue());
  }

  /** Comes back when nothing is on its way to the centre. */
  async untilQuiet(): Promise<void> {
    const running = (): Promise<void>[] => Object.values(this.#lanes).flatMap((lane) => lane.running ?? []);
    while (running().length > 0) await Promise.allSettled(running());
  }

  /** How long until there is something to do; undefined when only a change can make it so. */
  nextWorkInMs(): number | undefined {
    const dueAtMs = this.#ledger.outbox.nextDueAtMs();
    if (dueAtMs === undefined) return undefined;
    return Math.max(0, dueAtMs - this.#options.clock.wallMs(), this.#options.link.state.waitMs);
  }

  #run(name: OutboxLane): Promise<void> {
    const lane = this.#lanes[name];
    lane.isWanted = true;
    lane.running ??= this.#runLane(name, lane).finally(() => (lane.running = undefined));
    return lane.running;
  }

  async #runLane(name: OutboxLane, lane: Lane): Promise<void> {
    try {
      while (lane.isWanted && !this.#isStopped) {
        lane.isWanted = false;
        await this.#drain(name);
        if (name === "others" && this.#areChecksWanted) await this.#check();
      }
      this.#declareRefusals();
    } catch (error) {
      this.#isHealthy = false;
      throw error;
    }
  }

  async #drain(lane: OutboxLane): Promise<void> {
    const { outbox } = this.#ledger;
    while (!this.#isStopped && this.#watch.isOpen) {
      // A thin line is the alarms' first: the others go on when those are through.
      if (lane === "others") await this.#lanes.alarms.running;
      this.#ledger.followClock();
      const entry = outbox.nextDue(lane, this.#options.clock.wallMs());
      if (!entry) return;
      await (entry.phase === "linked" ? this.#reconciling.work(entry) : this.#posting.work(entry));
    }
  }

  async #check(): Promise<void> {
    const { outbox } = this.#ledger;
    this.#areChecksWanted = false;
    this.#ledger.followClock();
    const nowMs = this.#options.clock.wallMs();
    const checks = [
      () => this.#sweeping.work(outbox.dueChecks("sweep", nowMs, SWEEPS_MAX)),
      ...outbox.dueChecks("verify", nowMs, CHECKS_MAX).map((entry) => () => this.#reconciling.work(entry)),
    ];
    for (const check of checks) if (!this.#isStopped && this.#watch.isOpen) await check();
  }

  #declareRefusals(): void {
    const { conditions, clock, database } = this.#options;
    const unproved = unprovedAlarms(database, [...INCOMPLETE_LISTS], clock.wallMs() - UNPROVED_AFTER_MS);
    const [first] = unproved;
    if (first)
      conditions.raise("upstream-alarm-unproved", { interventionId: first, alarms: unproved.length });
    else conditions.clear("upstream-alarm-unproved");
    const { blocked, rejected, gone, rejectedAlarms } = this.#ledger.outbox.summary();
    if (blocked + rejected + gone === 0) conditions.clear("upstream-refuses-records");
    else conditions.raise("upstream-refuses-records", { rejected, blocked, gone });
    if (rejectedAlarms === 0) conditions.clear("upstream-refuses-alarm");
    else conditions.raise("upstream-refuses-alarm", { rejected: rejectedAlarms });
  }
}

interface Lane {
  running: Promise<void> | undefined;
  /** Somebody has asked for another look since the last one began. */
  isWanted: boolean;
}
