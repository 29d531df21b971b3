import { parseDateTime } from "../domain/calendar.ts";
import {
  traitFinding,
  type CentreTraits,
  type TraitCode,
  type TraitFinding,
  type TraitValues,
} from "../domain/centre-trait.ts";
import type { Clock } from "../domain/clock.ts";
import type { InterventionFields } from "../domain/intervention.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { MatchCandidate } from "../domain/match-candidate.ts";
import { testMarkerOf, testRecord, textTrait, type TestObjective } from "../domain/test-record.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { UpstreamCapabilities } from "../store/upstream-capabilities.ts";
import type { WriteOutcome } from "./reply-classification.ts";
import {
  TEST_RECORD_WAIT_MAX_MS,
  waitForNextPoll,
  readPage,
  removeOldTestRecords,
  TestRecords,
} from "./test-records.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { itemsOf } from "./wrapped-body.ts";

interface CentreTrialsOptions {
  readonly centre: UpstreamClient;
  readonly clock: Clock;
  readonly database: Database;
  readonly baseUrl: string;
  readonly siteRef: string;
  /** Creates a UUID of version 7. */
  readonly newKey: () => string;
}

interface TrialResult {
  readonly findings: readonly TraitFinding[];
  /** Null if the test ended before they were known. */
  readonly traits: CentreTraits | null;
}

/** Tests the dispatch centre with test records, one run at a time, and stores the results for the sync. */
export class CentreTrials {
  readonly #options: CentreTrialsOptions;
  readonly #facts: UpstreamCapabilities;
  #running: Promise<TrialResult> | undefined;

  constructor(options: CentreTrialsOptions) {
    this.#options = options;
    this.#facts = new UpstreamCapabilities(options.database);
    this.#applyTraits();
  }

  /** Starts a test run; a call during a run returns the result of that run. */
  run(objective: TestObjective | undefined): Promise<TrialResult> {
    this.#running ??= this.#run(objective).finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #run(objective: TestObjective | undefined): Promise<TrialResult> {
    const { database } = this.#options;
    const result = await new CentreTrial(this.#options, objective).run();
    const { traits } = result;
    if (traits) transaction(database, () => this.#facts.noteTraits(traits));
    this.#applyTraits();
    return result;
  }

  /** The marker field is chosen per record; only the maximum page size is applied here. */
  #applyTraits(): void {
    const { centre, baseUrl } = this.#options;
    const { traits } = this.#facts;
    const { habits } = centre;
    if (traits?.baseUrl === baseUrl) habits.rowsMax = Math.max(habits.rowsMax, traits.rowsMax);
  }
}

/**
 * Tests how a dispatch centre handles records, with a few test records that it removes afterwards. It touches
 * no other record.
 */
class CentreTrial {
  readonly #options: CentreTrialsOptions;
  readonly #objective: TestObjective | undefined;
  readonly #findings: TraitFinding[] = [];
  readonly #records: TestRecords;

  /** @param objective the objective of the test records; undefined for the first building of the dispatch centre */
  constructor(options: CentreTrialsOptions, objective: TestObjective | undefined) {
    this.#options = options;
    this.#objective = objective;
    this.#records = new TestRecords(options);
  }

  /** Never rejects because of the dispatch centre: problems are reported as findings. */
  async run(): Promise<TrialResult> {
    const traits = await this.#testAll();
    await this.#removeAll();
    return { findings: this.#findings, traits };
  }

  async #testAll(): Promise<CentreTraits | null> {
    const { clock, baseUrl, newKey, siteRef } = this.#options;
    await this.#removeOld();
    const key = newKey();
    const objective = this.#objective ?? (await this.#firstObjective());
    const sent = testRecord(siteRef, key, objective);
    const first = await this.#createFirst(key, sent);
    if (!first) return null;
    await this.#testRepeatedKey(key, sent, first.id);
    await this.#testReadLag(first.id);
    const texts = textTrait(sent, first, testMarkerOf(siteRef, key));
    this.#report(texts.code, texts.values);
    this.#testDates(sent, first);
    await this.#testIds(objective);
    const rowsMax = await this.#testList();
    await this.#testUpdate(first.id);
    const isFound = (...codes: TraitCode[]): boolean =>
      this.#findings.some(({ code }) => codes.includes(code));
    const ignoresKeys = isFound("keys-ignored");
    const honoursKeys = isFound("keys-honoured", "keys-unsaid");
    return { baseUrl, atMs: clock.wallMs(), marker: texts.marker, rowsMax, ignoresKeys, honoursKeys };
  }

  async #firstObjective(): Promise<TestObjective> {
    const { value } = await this.#options.centre.read("/obiective/cladiri?_start=0&_end=1");
    const [first] = itemsOf(value) ?? [];
    return {
      objectiveType: "obiective/cladiri",
      objectiveId: (first as { id?: number } | undefined)?.id ?? 1,
    };
  }

  #report(code: TraitCode, values: TraitValues = {}): void {
    this.#findings.push(traitFinding(code, values));
  }

  /** Removes test records of an interrupted run: no other run is active. */
  async #removeOld(): Promise<void> {
    const removed = await removeOldTestRecords(this.#options, await this.#page(0), 0);
    if (removed.length > 0) this.#report("old-removed", { ids: removed.join(", ") });
  }

  async #createFirst(key: string, sent: InterventionFields): Promise<MatchCandidate | undefined> {
    const outcome = await this.#records.create(key, sent);
    if (outcome.record) return JSON.parse(outcome.record.json) as MatchCandidate;
    const found = outcome.event === "ambiguous" ? await this.#find(sent.name) : undefined;
    if (found) this.#records.add(found.id);
    else if ((await readPage(this.#options.centre, 0)).isWithoutIds)
      this.#report("ids-not-numbers", { name: sent.name });
    else if (isInconclusive(outcome)) this.#report("not-found-out", { answer: outcome.reason });
    else this.#report("create-refused", { answer: outcome.reason });
    return found;
  }

  async #testRepeatedKey(key: string, sent: InterventionFields, firstId: number): Promise<void> {
    const { record, echoesKey, reason, event } = await this.#records.create(key, sent);
    if (record?.id === firstId) return this.#report(echoesKey === true ? "keys-honoured" : "keys-unsaid");
    if (record) return this.#report("keys-ignored");
    this.#report(event === "ambiguous" ? "not-found-out" : "keys-refused", { answer: reason });
  }

  /** Measures the time until a new record can be read. */
  async #testReadLag(id: number): Promise<void> {
    const { centre, clock } = this.#options;
    const beganMs = clock.monotonicMs();
    for (let isFirst = true; ; isFirst = false) {
      const { value } = await centre.record(id);
      const waitedMs = clock.monotonicMs() - beganMs;
      const seconds = Math.ceil(waitedMs / 1000);
      if ((value as MatchCandidate | undefined)?.id === id)
        return isFirst ? this.#report("reads-current") : this.#report("reads-late", { seconds });
      if (waitedMs > TEST_RECORD_WAIT_MAX_MS) return this.#report("reads-too-late", { seconds });
      await waitForNextPoll(clock);
    }
  }

  #testDates({ dateStart }: InterventionFields, { dateStart: there }: UpstreamRecord): void {
    const sent = dateStart ?? "";
    const shown = typeof there === "string" ? there : "nothing";
    if (shown === sent) return this.#report("dates-kept");
    const isSame = parseDateTime(shown, "UTC") === parseDateTime(sent, "UTC");
    this.#report(isSame ? "dates-rewritten" : "dates-changed", { sent, shown });
  }

  /** Deletes the newest test record and creates another, to see whether ids are reused. */
  async #testIds(objective: TestObjective): Promise<void> {
    const { centre, siteRef, newKey } = this.#options;
    const key = newKey();
    const second = (await this.#records.create(key, testRecord(siteRef, key, objective))).record?.id;
    if (second === undefined) return;
    const { event, reason } = await centre.remove(second);
    if (event !== "removed") return this.#report("delete-refused", { answer: reason });
    this.#records.forget(second);
    const next = newKey();
    const third = (await this.#records.create(next, testRecord(siteRef, next, objective))).record?.id;
    if (third !== undefined) this.#report(third === second ? "ids-given-again" : "ids-new");
  }

  /** @returns the maximum number of rows in one response */
  async #testList(): Promise<number> {
    const { centre } = this.#options;
    const { rows, outcome } = await readPage(centre, 0);
    if (!rows) {
      this.#report("list-unread", { answer: outcome.reason });
      return 0;
    }
    const further = await this.#page(1);
    const isSorted = rows.every(({ id }, index) => index === 0 || id < (rows[index - 1]?.id ?? 0));
    const isPaged = rows.length < 2 || further[0]?.id !== rows[0]?.id;
    if (!isSorted) this.#report("order-ignored");
    if (!isPaged) this.#report("pages-ignored");
    if (isSorted && isPaged) this.#report("list-kept");
    return Math.max(rows.length, further.length);
  }

  async #testUpdate(id: number): Promise<void> {
    // The value stays the same: this only tests the right to update.
    const { event, reason } = await this.#options.centre.update(id, { status: "done" });
    if (event === "applied") {
      if (!this.#findings.some(({ code }) => code === "delete-refused")) this.#report("writes-allowed");
    } else if (event === "ambiguous") this.#report("not-found-out", { answer: reason });
    else this.#report("change-refused", { answer: reason });
  }

  async #removeAll(): Promise<void> {
    const { count, left, reason } = await this.#records.removeAll();
    if (left.length > 0) this.#report("left-behind", { ids: left.join(", "), answer: reason });
    else if (count > 0) this.#report("removed");
  }

  async #find(name: string): Promise<MatchCandidate | undefined> {
    return (await this.#page(0)).find((row) => row["name"] === name);
  }

  async #page(start: number): Promise<readonly MatchCandidate[]> {
    return (await readPage(this.#options.centre, start)).rows ?? [];
  }
}

/** Whether the outcome leaves open if the account may create records. */
function isInconclusive({ event, link }: WriteOutcome): boolean {
  return event === "ambiguous" || link === "unreachable" || link === "busy" || link === "signed-out";
}
