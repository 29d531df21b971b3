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
import {
  testMarkerOf,
  testRecord,
  testRecordMs,
  textTrait,
  type TestObjective,
} from "../domain/test-record.ts";
import { itemsOf, type WriteOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { keyHeader } from "./key-header.ts";
import { readPage, removeTestRecord } from "./test-records.ts";

export interface CentreTrialOptions {
  readonly centre: UpstreamClient;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly siteRef: string;
  /** The objective of the test records; undefined for the first building of the dispatch centre. */
  readonly objective: TestObjective | undefined;
  /** Creates a UUID of version 7. */
  readonly newKey: () => string;
}

export interface TrialResult {
  readonly findings: readonly TraitFinding[];
  /** Null if the test ended before they were known. */
  readonly traits: CentreTraits | null;
}

/** Maximum wait until a new record can be read or deleted. */
const LAG_MAX_MS = 10_000;
const POLL_INTERVAL_MS = 250;

/**
 * Tests how a dispatch centre handles records, with a few test records that it removes afterwards. It touches
 * no other record.
 */
export class CentreTrial {
  readonly #options: CentreTrialOptions;
  readonly #findings: TraitFinding[] = [];
  readonly #createdIds: number[] = [];

  constructor(options: CentreTrialOptions) {
    this.#options = options;
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
    const objective = this.#options.objective ?? (await this.#firstObjective());
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
    return { baseUrl, atMs: clock.wallMs(), marker: texts.marker, rowsMax };
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
    const { centre, siteRef } = this.#options;
    const removed: number[] = [];
    for (const row of await this.#page(0)) {
      if (testRecordMs(row, siteRef) === undefined) continue;
      if ((await removeTestRecord(centre, row.id, { siteRef, isFresh: false })) === undefined)
        removed.push(row.id);
    }
    if (removed.length > 0) this.#report("old-removed", { ids: removed.join(", ") });
  }

  async #createFirst(key: string, sent: InterventionFields): Promise<MatchCandidate | undefined> {
    const outcome = await this.#post(key, sent);
    if (outcome.record) return JSON.parse(outcome.record.json) as MatchCandidate;
    const found = outcome.event === "ambiguous" ? await this.#find(sent.name) : undefined;
    if (found) this.#createdIds.push(found.id);
    else if (isInconclusive(outcome)) this.#report("not-found-out", { answer: outcome.reason });
    else this.#report("create-refused", { answer: outcome.reason });
    return found;
  }

  async #post(key: string, sent: InterventionFields): Promise<WriteOutcome> {
    const body = JSON.stringify(sent);
    const headers = keyHeader(key);
    const { centre } = this.#options;
    const outcome = await centre.write({ method: "POST", path: "/interventii", body, headers });
    if (outcome.record && !this.#createdIds.includes(outcome.record.id))
      this.#createdIds.push(outcome.record.id);
    return outcome;
  }

  async #testRepeatedKey(key: string, sent: InterventionFields, firstId: number): Promise<void> {
    const { record, echoesKey, reason, event } = await this.#post(key, sent);
    if (record?.id === firstId) return this.#report(echoesKey === true ? "keys-honoured" : "keys-unsaid");
    if (record) return this.#report("keys-ignored");
    this.#report(event === "ambiguous" ? "not-found-out" : "keys-refused", { answer: reason });
  }

  /** Measures the time until a new record can be read. */
  async #testReadLag(id: number): Promise<void> {
    const { centre, clock } = this.#options;
    const beganMs = clock.monotonicMs();
    for (let isFirst = true; ; isFirst = false) {
      const { value } = await centre.read(`/interventii/${id}`);
      const waitedMs = clock.monotonicMs() - beganMs;
      const seconds = Math.ceil(waitedMs / 1000);
      if ((value as MatchCandidate | undefined)?.id === id)
        return isFirst ? this.#report("reads-current") : this.#report("reads-late", { seconds });
      if (waitedMs > LAG_MAX_MS) return this.#report("reads-too-late", { seconds });
      await pause(clock, POLL_INTERVAL_MS);
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
    const second = (await this.#post(key, testRecord(siteRef, key, objective))).record?.id;
    if (second === undefined) return;
    const { event, reason } = await centre.write({ method: "DELETE", path: `/interventii/${second}` });
    if (event !== "removed") return this.#report("delete-refused", { answer: reason });
    this.#forget(second);
    const next = newKey();
    const third = (await this.#post(next, testRecord(siteRef, next, objective))).record?.id;
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
    const body = JSON.stringify({ status: "done" });
    const { event, reason } = await this.#options.centre.write({
      method: "PUT",
      path: `/interventii/${id}`,
      body,
    });
    if (event === "applied") {
      if (!this.#findings.some(({ code }) => code === "delete-refused")) this.#report("writes-allowed");
    } else if (event === "ambiguous") this.#report("not-found-out", { answer: reason });
    else this.#report("change-refused", { answer: reason });
  }

  async #removeAll(): Promise<void> {
    const { centre, clock, siteRef } = this.#options;
    const createdIds = [...this.#createdIds];
    let answer = "";
    const endMs = clock.monotonicMs() + LAG_MAX_MS;
    for (const id of createdIds)
      for (;;) {
        const left = await removeTestRecord(centre, id, { siteRef, isFresh: true });
        if (left === undefined) {
          this.#forget(id);
          break;
        }
        answer = left;
        if (clock.monotonicMs() > endMs) break;
        await pause(clock, POLL_INTERVAL_MS);
      }
    if (this.#createdIds.length > 0)
      this.#report("left-behind", { ids: this.#createdIds.join(", "), answer });
    else if (createdIds.length > 0) this.#report("removed");
  }

  #forget(id: number): void {
    this.#createdIds.splice(this.#createdIds.indexOf(id), 1);
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

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
