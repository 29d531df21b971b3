import type { Conditions } from "../../domain/condition.ts";
import type { AlarmPanelReport } from "../../store/alarm-panels.ts";
import type { Journal } from "../../store/journal.ts";
import { TransactionalMap } from "../../store/transactional-map.ts";
import type { AlarmPanelEvent } from "./alarm-panel-code.ts";
import { isOfPartition } from "./alarm-panel-zones.ts";
import { contactIdMeaning } from "./contact-id.ts";
import { siaMeaning } from "./sia-code.ts";

/** Open reports of one account; a panel has a few hundred zones and modules. */
const REPORTS_PER_ACCOUNT_MAX = 256;
/**
 * The code of the report that stands for those beyond the limit; no code of an alarm panel. Which they were is not known, so their
 * ends would end nothing: it lasts as long as any other.
 */
const FURTHER = "#";

/** Troubles and bypassed zones that panels have reported: each is a condition until the panel restores it. */
export class AlarmPanelReports {
  readonly #journal: Journal;
  readonly #conditions: Conditions;
  readonly #open: TransactionalMap<string, AlarmPanelReport>;

  constructor({ journal, conditions }: { readonly journal: Journal; readonly conditions: Conditions }) {
    this.#journal = journal;
    this.#conditions = conditions;
    this.#open = new TransactionalMap(journal);
  }

  /** Raises the conditions of an earlier run. Reports of accounts that were removed are deleted. */
  start(accounts: ReadonlySet<string>): void {
    for (const report of this.#journal.alarmPanels.reports()) {
      if (!accounts.has(report.account)) {
        this.#journal.alarmPanels.removeReport(report);
        continue;
      }
      this.#open.set(keyOf(report), report);
      this.#raise(report);
    }
  }

  /** Stores a report in the caller's transaction. @throws any error of the journal */
  take(account: string, what: AlarmPanelReport["what"], event: AlarmPanelEvent): void {
    const { code, number, partition } = event;
    const own = { account, what, code, number: number ?? -1, partition: partition ?? 0 };
    if (this.#open.has(keyOf(own))) return;
    const report = this.#isFull(account) ? furtherOf(account) : own;
    if (this.#open.has(keyOf(report))) return;
    this.#open.set(keyOf(report), report);
    this.#journal.alarmPanels.addReport(report);
    this.#journal.afterCommit(() => this.#raise(report));
  }

  /** Stores the end of what a restoral ends, in the caller's transaction. @throws any error of the journal */
  end(account: string, event: AlarmPanelEvent): void {
    const number = event.number ?? 0;
    for (const base of event.bases) {
      const open = [...this.#open.values()].filter((one) => one.account === account && one.code === base);
      const same = open.filter((one) => Math.max(one.number, 0) === number);
      // Without a number it ends what came without one; if there is nothing, all.
      for (const report of ofPartition(number === 0 && same.length === 0 ? open : same, event))
        this.#remove(report);
    }
  }

  /** Ends what lasts until an opening or closing of its partition, in the caller's transaction. @throws any error of the journal */
  endAt(account: string, at: "opening" | "closing", { partition }: AlarmPanelEvent): void {
    const ended = [...this.#open.values()].filter(
      (report) => report.account === account && isReportOf(report, partition) && endOf(report) === at,
    );
    for (const report of ended) this.#remove(report);
  }

  #remove(report: AlarmPanelReport): void {
    this.#open.delete(keyOf(report));
    this.#journal.alarmPanels.removeReport(report);
    this.#journal.afterCommit(() => this.#conditions.clear(codeOf(report), subjectOf(report)));
    const further = furtherOf(report.account);
    if (this.#open.has(keyOf(further)) && this.#countOf(report.account) === 0) this.#remove(further);
  }

  /** Without the one that stands for further ones. */
  #countOf(account: string): number {
    return [...this.#open.values()].filter((report) => report.account === account && report.code !== FURTHER)
      .length;
  }

  #isFull(account: string): boolean {
    return this.#countOf(account) >= REPORTS_PER_ACCOUNT_MAX;
  }

  #raise(report: AlarmPanelReport): void {
    const { account, code } = report;
    if (code === FURTHER)
      return this.#conditions.raise(
        "alarm-panel-trouble",
        `alarm panel ${account} has reported more than ${REPORTS_PER_ACCOUNT_MAX} faults and bypassed zones that it has not ended. Further ones are in the event log only (alarm-panel-reported). Look at the alarm panel, and end there or with santinela dc09 send what no longer applies`,
        subjectOf(report),
      );
    const detail = { account, code, number: placeOf(report) };
    if (report.what === "bypass") this.#conditions.raise("alarm-panel-bypass", detail, subjectOf(report));
    else this.#conditions.raise("alarm-panel-trouble", detail, subjectOf(report));
  }
}

function furtherOf(account: string): AlarmPanelReport {
  return { account, what: "trouble", code: FURTHER, number: -1, partition: 0 };
}

function codeOf({ what }: AlarmPanelReport): "alarm-panel-bypass" | "alarm-panel-trouble" {
  return what === "bypass" ? "alarm-panel-bypass" : "alarm-panel-trouble";
}

function subjectOf(report: AlarmPanelReport): string {
  return `${report.account} ${report.code} ${placeOf(report)}`;
}

/**
 * A number with its partition, because each partition may have a zone of that number; what has none is the alarm panel's, but a
 * missing closing is of its partition.
 */
function placeOf(report: AlarmPanelReport): string | number {
  const { number, partition } = report;
  const name = number < 0 ? "-" : number;
  const hasPartition = partition > 0 && (number > 0 || endOf(report) === "closing");
  return hasPartition ? `${partition}/${name}` : name;
}

/** Those of an event's partition. If there are none, all: a report that never ends would be worse than one that ends early. */
function ofPartition(
  reports: readonly AlarmPanelReport[],
  { partition }: AlarmPanelEvent,
): readonly AlarmPanelReport[] {
  const own = reports.filter((report) => isReportOf(report, partition));
  return own.length > 0 ? own : reports;
}

function isReportOf(report: AlarmPanelReport, partition: AlarmPanelEvent["partition"]): boolean {
  return isOfPartition(report.partition || undefined, partition);
}

function keyOf(report: AlarmPanelReport): string {
  return `${report.what} ${subjectOf(report)}`;
}

/** What ends a report although the panel does not report it. */
function endOf({ code }: AlarmPanelReport): "opening" | "closing" | undefined {
  const meaning = /^\d{3}$/.test(code) ? contactIdMeaning(Number(code)) : siaMeaning(code)?.meaning;
  return meaning && "endsAt" in meaning ? meaning.endsAt : undefined;
}
