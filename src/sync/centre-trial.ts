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
  /** What the test records are tied to; undefined for the first building that the centre lists. */
  readonly objective: TestObjective | undefined;
  /** Makes a UUID of version 7. */
  readonly newKey: () => string;
}

export interface TrialResult {
  readonly findings: readonly TraitFinding[];
  /** Null where the try ended before they were known. */
  readonly traits: CentreTraits | null;
}

/** Longest wait until a new record is shown. */
const LAG_MAX_MS = 10_000;
const LOOK_AGAIN_MS = 250;

/** Finds out with a few test records how a centre treats records, and removes them. No other record is touched. */
export class CentreTrial {
  readonly #options: CentreTrialOptions;
  readonly #findings: TraitFinding[] = [];
  readonly #made: number[] = [];

  constructor(options: CentreTrialOptions) {
    this.#options = options;
  }

  /** Never rejects because of the centre: what went wrong is a finding. */
  async run(): Promise<TrialResult> {
    const traits = await this.#try();
    await this.#removeAll();
    return { findings: this.#findings, traits };
  }

  async #try(): Promise<CentreTraits | null> {
    const { clock, baseUrl, newKey, siteRef } = this.#options;
    await this.#removeOld();
    const key = newKey();
    const objective = this.#options.objective ?? (await this.#firstObjective());
    const sent = testRecord(siteRef, key, objective);
    const first = await this.#create(key, sent);
    if (!first) return null;
    await this.#repeatKey(key, sent, first.id);
    await this.#readLag(first.id);
    const texts = textTrait(sent, first, testMarkerOf(siteRef, key));
    this.#say(texts.code, texts.values);
    this.#dates(sent, first);
    await this.#ids(objective);
    const rowsMax = await this.#list();
    await this.#change(first.id);
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

  #say(code: TraitCode, values: TraitValues = {}): void {
    this.#findings.push(traitFinding(code, values));
  }

  /** What a try that was interrupted has left: none runs beside this one. */
  async #removeOld(): Promise<void> {
    const { centre, siteRef } = this.#options;
    const removed: number[] = [];
    for (const row of await this.#page(0)) {
      if (testRecordMs(row, siteRef) === undefined) continue;
      if ((await removeTestRecord(centre, row.id, { siteRef, isFresh: false })) === undefined)
        removed.push(row.id);
    }
    if (removed.length > 0) this.#say("old-removed", { ids: removed.join(", ") });
  }

  async #create(key: string, sent: InterventionFields): Promise<MatchCandidate | undefined> {
    const outcome = await this.#post(key, sent);
    if (outcome.record) return JSON.parse(outcome.record.json) as MatchCandidate;
    const found = outcome.event === "ambiguous" ? await this.#find(sent.name) : undefined;
    if (found) this.#made.push(found.id);
    else if (isOpenEnded(outcome)) this.#say("not-found-out", { answer: outcome.reason });
    else this.#say("create-refused", { answer: outcome.reason });
    return found;
  }

  async #post(key: string, sent: InterventionFields): Promise<WriteOutcome> {
    const body = JSON.stringify(sent);
    const headers = keyHeader(key);
    const { centre } = this.#options;
    const outcome = await centre.write({ method: "POST", path: "/interventii", body, headers });
    if (outcome.record && !this.#made.includes(outcome.record.id)) this.#made.push(outcome.record.id);
    return outcome;
  }

  async #repeatKey(key: string, sent: InterventionFields, firstId: number): Promise<void> {
    const { record, echoesKey, reason, event } = await this.#post(key, sent);
    if (record?.id === firstId) return this.#say(echoesKey === true ? "keys-honoured" : "keys-unsaid");
    if (record) return this.#say("keys-ignored");
    this.#say(event === "ambiguous" ? "not-found-out" : "keys-refused", { answer: reason });
  }

  /** How long a new record takes to be shown. */
  async #readLag(id: number): Promise<void> {
    const { centre, clock } = this.#options;
    const beganMs = clock.monotonicMs();
    for (let isFirst = true; ; isFirst = false) {
      const { value } = await centre.read(`/interventii/${id}`);
      const waitedMs = clock.monotonicMs() - beganMs;
      const seconds = Math.ceil(waitedMs / 1000);
      if ((value as MatchCandidate | undefined)?.id === id)
        return isFirst ? this.#say("reads-current") : this.#say("reads-late", { seconds });
      if (waitedMs > LAG_MAX_MS) return this.#say("reads-too-late", { seconds });
      await pause(clock, LOOK_AGAIN_MS);
    }
  }

  #dates({ dateStart }: InterventionFields, { dateStart: there }: UpstreamRecord): void {
    const sent = dateStart ?? "";
    const shown = typeof there === "string" ? there : "nothing";
    if (shown === sent) return this.#say("dates-kept");
    const isSame = parseDateTime(shown, "UTC") === parseDateTime(sent, "UTC");
    this.#say(isSame ? "dates-rewritten" : "dates-changed", { sent, shown });
  }

  /** Deletes the newest test record and makes another one. */
  async #ids(objective: TestObjective): Promise<void> {
    const { centre, siteRef, newKey } = this.#options;
    const key = newKey();
    const second = (await this.#post(key, testRecord(siteRef, key, objective))).record?.id;
    if (second === undefined) return;
    const { event, reason } = await centre.write({ method: "DELETE", path: `/interventii/${second}` });
    if (event !== "removed") return this.#say("delete-refused", { answer: reason });
    this.#forget(second);
    const next = newKey();
    const third = (await this.#post(next, testRecord(siteRef, next, objective))).record?.id;
    if (third !== undefined) this.#say(third === second ? "ids-given-again" : "ids-new");
  }

  /** @returns the most rows that one answer has held */
  async #list(): Promise<number> {
    const { centre } = this.#options;
    const { rows, outcome } = await readPage(centre, 0);
    if (!rows) {
      this.#say("list-unread", { answer: outcome.reason });
      return 0;
    }
    const further = await this.#page(1);
    const isSorted = rows.every(({ id }, index) => index === 0 || id < (rows[index - 1]?.id ?? 0));
    const isPaged = rows.length < 2 || further[0]?.id !== rows[0]?.id;
    if (!isSorted) this.#say("order-ignored");
    if (!isPaged) this.#say("pages-ignored");
    if (isSorted && isPaged) this.#say("list-kept");
    return Math.max(rows.length, further.length);
  }

  async #change(id: number): Promise<void> {
    // With the same value: only the right to change is asked for.
    const body = JSON.stringify({ status: "done" });
    const { event, reason } = await this.#options.centre.write({
      method: "PUT",
      path: `/interventii/${id}`,
      body,
    });
    if (event === "applied") {
      if (!this.#findings.some(({ code }) => code === "delete-refused")) this.#say("writes-allowed");
    } else if (event === "ambiguous") this.#say("not-found-out", { answer: reason });
    else this.#say("change-refused", { answer: reason });
  }

  async #removeAll(): Promise<void> {
    const { centre, clock, siteRef } = this.#options;
    const made = [...this.#made];
    let answer = "";
    const endMs = clock.monotonicMs() + LAG_MAX_MS;
    for (const id of made)
      for (;;) {
        const left = await removeTestRecord(centre, id, { siteRef, isFresh: true });
        if (left === undefined) {
          this.#forget(id);
          break;
        }
        answer = left;
        if (clock.monotonicMs() > endMs) break;
        await pause(clock, LOOK_AGAIN_MS);
      }
    if (this.#made.length > 0) this.#say("left-behind", { ids: this.#made.join(", "), answer });
    else if (made.length > 0) this.#say("removed");
  }

  #forget(id: number): void {
    this.#made.splice(this.#made.indexOf(id), 1);
  }

  async #find(name: string): Promise<MatchCandidate | undefined> {
    return (await this.#page(0)).find((row) => row["name"] === name);
  }

  async #page(start: number): Promise<readonly MatchCandidate[]> {
    return (await readPage(this.#options.centre, start)).rows ?? [];
  }
}

/** Whether the answer says nothing about the right to create. */
function isOpenEnded({ event, link }: WriteOutcome): boolean {
  return event === "ambiguous" || link === "unreachable" || link === "busy" || link === "signed-out";
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
