import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { differingFields, fieldsOf, type Intervention } from "../domain/intervention.ts";
import type { Log } from "../domain/log.ts";
import { markerOf, withMarker, type MarkerField } from "../domain/marker.ts";
import { nextPhase, type OutboxAttempt, type OutboxEntry, type OutboxEvent } from "../domain/outbox.ts";
import { transaction, type Database } from "../store/database.ts";
import { EventLog } from "../store/event-log.ts";
import { InterventionStore, type StoredIntervention } from "../store/interventions.ts";
import { OutboxStore } from "../store/outbox.ts";
import { itemsOf, type Verdict } from "./answer.ts";
import type { Centre } from "./centre.ts";
import type { Link } from "./link.ts";
import { believedAnswer, changesAfter } from "./settlement.ts";

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
  readonly failpoint: (name: string) => void;
}

/** The longest wait that an answer can ask for: a Retry-After of an hour. */
const WAIT_MAX_MS = 3_600_000;
/** So many records in a row that meet a fault are the link after all, whatever a read says. */
const DOUBTFUL_IN_A_ROW_MAX = 3;

/**
 * Brings the records to the centre: takes what is due in the outbox, one request at a time, and writes each step down
 * before and after it is taken. Whatever happens in between, the outbox says how to go on.
 */
export class Push {
  readonly #options: PushOptions;
  readonly #outbox: OutboxStore;
  readonly #interventions: InterventionStore;
  readonly #events: EventLog;
  #running: Promise<void> | undefined;
  #onceMore = false;
  #isStopped = false;
  /** False before the first cycle and after one that the database ended: what was left on the wire is taken up first. */
  #isHealthy = false;
  #doubtfulInARow = 0;

  constructor(options: PushOptions) {
    this.#options = options;
    this.#outbox = new OutboxStore(options.database);
    this.#interventions = new InterventionStore(options.database);
    this.#events = new EventLog(options.database);
  }

  /** Takes up what a dead process left on the wire, and forgets waits that a wrong clock has made. */
  start(): void {
    transaction(this.#options.database, () => {
      for (const entry of this.#outbox.inPhases(["posting", "writing"], Number.MAX_SAFE_INTEGER))
        this.#apply(entry, "restart", {});
      this.forgetWrongWaits();
    });
    this.#isHealthy = true;
  }

  /** Lets nothing wait longer than any wait can be by the clock as it is now: the clock was set back. */
  forgetWrongWaits(): void {
    this.#outbox.clampNextAt(this.#options.clock.wallMs() + WAIT_MAX_MS);
  }

  /** Works through everything that is due. Called during a cycle, it makes that one look once more. */
  cycle(): Promise<void> {
    this.#onceMore = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Makes everything due that only waits for time to pass. */
  makeAllDue(): void {
    this.#outbox.makeAllDue();
  }

  /** Lets the request under way finish and takes no further one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** How long until there is something to do; undefined when only a change can make it so. */
  nextWorkInMs(): number | undefined {
    const dueAtMs = this.#outbox.nextDueAtMs();
    if (dueAtMs === undefined) return undefined;
    return Math.max(0, dueAtMs - this.#options.clock.wallMs(), this.#options.link.state.waitMs);
  }

  async #run(): Promise<void> {
    if (!this.#isHealthy) this.start();
    this.#isHealthy = false;
    while (this.#onceMore && !this.#isStopped) {
      this.#onceMore = false;
      await this.#drain();
    }
    this.#declareRefusals();
    this.#isHealthy = true;
  }

  async #drain(): Promise<void> {
    const { clock, link } = this.#options;
    while (!this.#isStopped && link.state.waitMs === 0) {
      const entry = this.#outbox.nextDue(clock.wallMs());
      if (!entry) return;
      await this.#work(entry);
    }
  }

  async #work(entry: OutboxEntry): Promise<void> {
    const stored = this.#interventions.findStored(entry.interventionId);
    if (!stored) throw new Error(`outbox entry without intervention ${entry.interventionId}`);
    if (entry.phase === "linked") return this.#write(entry, stored);
    if (entry.deleted && entry.sends === 0)
      return this.#apply(entry, "withdrawn", { syncedRev: entry.wantRev });
    return this.#post(entry, stored);
  }

  async #post(entry: OutboxEntry, stored: StoredIntervention): Promise<void> {
    const { centre, failpoint } = this.#options;
    const attempt = this.#attempt(entry, stored);
    const opened =
      entry.phase === "blocked" ? { ...entry, phase: nextPhase("blocked", "retry", false) } : entry;
    this.#apply(opened, "send", { attempt, sends: entry.sends + 1 });
    failpoint("sync-posting-committed");
    const verdict = await centre.write({
      method: "POST",
      path: "/interventii",
      body: attempt.body,
      headers: { "Idempotency-Key": quoted(attempt.key) },
    });
    failpoint("sync-answered");
    await this.#settle(entry.interventionId, verdict, attempt.rev);
  }

  /** The bytes that are sent: those of an attempt that may have arrived, or the record as it is now. */
  #attempt(entry: OutboxEntry, { record, uid, rev }: StoredIntervention): OutboxAttempt {
    if (entry.phase === "unsure" && entry.attempt) return entry.attempt;
    // An attempt that is still there was refused: other content must not travel under the same key.
    const key = entry.attempt && entry.attempt.rev !== rev ? `${uid}.${rev}` : (entry.attempt?.key ?? uid);
    return {
      key,
      body: JSON.stringify(this.#outgoing(record, uid)),
      rev,
      atMs: this.#options.clock.wallMs(),
    };
  }

  async #write(entry: OutboxEntry, stored: StoredIntervention): Promise<void> {
    const { centre, failpoint } = this.#options;
    const path = `/interventii/${entry.upstreamId}`;
    const base = JSON.parse(entry.base ?? "{}") as Intervention;
    const changes = differingFields(fieldsOf(base), this.#outgoing(stored.record, stored.uid));
    if (!entry.deleted && Object.keys(changes).length === 0)
      return this.#save({ ...entry, syncedRev: stored.rev, attempts: 0, lastError: null });
    this.#apply(entry, "send", {});
    const verdict = await centre.write(
      entry.deleted ? { method: "DELETE", path } : { method: "PUT", path, body: JSON.stringify(changes) },
    );
    failpoint("sync-answered");
    await this.#settle(entry.interventionId, verdict, stored.rev);
  }

  /** Writes an answer down, on the entry as it is now: a person may have changed the record meanwhile. */
  async #settle(interventionId: number, answer: Verdict, sentRev: number): Promise<void> {
    const { database, log, clock, random } = this.#options;
    const believed = transaction(database, () => {
      const entry = this.#outbox.find(interventionId);
      if (!entry) throw new Error(`the outbox entry of intervention ${interventionId} is gone`);
      const owner = answer.record && this.#outbox.findByUpstreamId(answer.record.id);
      const believed = believedAnswer(entry, answer, owner);
      const moment = { wallMs: clock.wallMs(), random: random() };
      this.#apply(entry, believed.event, changesAfter(entry, believed, sentRev, moment));
      this.#tellConflict(entry, believed);
      return believed;
    });
    const { event, code, reason, record } = believed;
    const fields = { interventionId, outcome: event, code, ...(record ? { upstreamId: record.id } : {}) };
    if (event === "applied" || event === "removed") log.info("record-synced", fields);
    else log.warn("record-not-synced", { ...fields, reason });
    await this.#noteLink(believed);
  }

  /**
   * Tells the link what an answer says about it. A fault that the record itself may have caused is held against a read,
   * which no record's content can spoil: one record that a gateway dislikes must not hold up the alarms behind it.
   */
  async #noteLink(verdict: Verdict): Promise<void> {
    const { link, centre } = this.#options;
    this.#doubtfulInARow = verdict.doubtful === true ? this.#doubtfulInARow + 1 : 0;
    if (verdict.doubtful !== true || this.#doubtfulInARow >= DOUBTFUL_IN_A_ROW_MAX) link.note(verdict);
    else {
      const probed = await centre.read("/interventii?_start=0&_end=1");
      link.note(probed.link === "ok" && itemsOf(probed.value) ? probed : verdict);
    }
  }

  /** What only a person can settle stands in the event log, once. */
  #tellConflict({ interventionId, phase: before }: OutboxEntry, { code, reason }: Verdict): void {
    const phase = this.#outbox.find(interventionId)?.phase;
    if (phase === before || (phase !== "rejected" && phase !== "gone")) return;
    const detail = { phase, code, reason };
    const subject = `intervention ${interventionId}`;
    const atMs = this.#options.clock.wallMs();
    const event = { event: "sync-conflict", who: "sync", from: "dispatch centre", subject, detail } as const;
    this.#events.add(event, atMs);
  }

  #apply(entry: OutboxEntry, event: OutboxEvent, changes: Partial<OutboxEntry>): void {
    const linked = (changes.upstreamId ?? entry.upstreamId) !== null;
    this.#save({ ...entry, ...changes, phase: nextPhase(entry.phase, event, linked) });
  }

  #save(entry: OutboxEntry): void {
    this.#outbox.save(entry);
  }

  #outgoing(record: Intervention, uid: string): ReturnType<typeof fieldsOf> {
    const { marker, siteRef } = this.#options;
    return withMarker(fieldsOf(record), marker, markerOf(siteRef, uid));
  }

  #declareRefusals(): void {
    const { conditions } = this.#options;
    const { blocked, rejected, gone } = this.#outbox.summary();
    if (blocked + rejected + gone === 0) conditions.clear("upstream-refuses-records");
    else
      conditions.raise(
        "upstream-refuses-records",
        `${rejected} records refused, ${blocked} waiting for their objective at the centre, ${gone} deleted there; santinela sync status names them`,
      );
  }
}

/** A structured-field string (RFC 9651, 3.3.3). */
function quoted(key: string): string {
  return `"${key.replaceAll(/["\\]/g, "\\$&")}"`;
}
