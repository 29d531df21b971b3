import type { SiteReport, SiteFault, SiteLevel, SiteReason } from "../generated/types.ts";
import type { Comparison } from "./difference.ts";
import type { Headline } from "./headline.ts";
import type { OutboxSummary } from "./outbox.ts";
import { foreignName } from "./single-line.ts";

export type { SiteReport, SiteLevel };

/** What the sensing thread knows for a report. */
export interface SiteReportFacts {
  readonly ref: string;
  readonly name: string;
  readonly version: string;
  /** Seconds since the start of the daemon. */
  readonly upS: number;
  readonly headline: Pick<Headline, "level" | "reasons">;
  /** Codes of the open conditions, the most serious first. */
  readonly conditions: readonly string[];
  readonly faults: readonly SiteFault[];
  /** The most urgent unfinished alarm, with the time of its contact or else of its record; undefined if there is none. */
  readonly alarm: { readonly name: string; readonly sinceMs: number } | undefined;
  /** Unfinished interventions that have begun. */
  readonly unfinished: number;
  /** The objective of most zones, as `type/id`; undefined without zones. */
  readonly objective: string | undefined;
  readonly diskFreeMb: number;
  /** Used share of the storage's life in per cent; undefined if the storage does not tell it. */
  readonly cardWear: number | undefined;
}

/** What the records know for a report. */
interface SyncedState {
  readonly outbox: Pick<OutboxSummary, "waiting" | "oldestWaitingMs">;
  readonly comparison: Comparison | null;
}

/** Limits of the schema: a report stays one small request however bad the state of a site is. */
const CONDITIONS_MAX = 40;
const FAULTS_MAX = 40;
const REASONS_MAX = 4;
const NAMES_MAX = 2;
const NAME_LENGTH_MAX = 100;
const MORE_FAULTS_MAX = 100_000;
const REPORT_BYTES_MAX = 16 * 1024;

/**
 * The report of a site. Everything that does not apply is left out, because a healthy site sends one every minute.
 * @param nowMs wall clock, milliseconds since 1970
 */
export function siteReport(
  {
    headline,
    alarm,
    unfinished,
    objective,
    conditions,
    faults,
    cardWear,
    ...siteReportFacts
  }: SiteReportFacts,
  { outbox, comparison }: SyncedState,
  nowMs: number,
): SiteReport {
  const ageS = (sinceMs: number): number => Math.max(0, Math.round((nowMs - sinceMs) / 1000));
  const reasons = reasonsOf(headline);
  const named = faults.slice(0, FAULTS_MAX).map(({ zone, fault }) => ({ zone: cleanName(zone), fault }));
  return shortened({
    ...siteReportFacts,
    name: cleanName(siteReportFacts.name),
    at: Math.round(nowMs),
    level: headline.level,
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(alarm === undefined ? {} : { alarm: { name: cleanName(alarm.name), ageS: ageS(alarm.sinceMs) } }),
    ...(unfinished === 0 ? {} : { unfinished }),
    ...(objective === undefined ? {} : { objective }),
    ...(conditions.length === 0 ? {} : { conditions: conditions.slice(0, CONDITIONS_MAX) }),
    ...(named.length === 0 ? {} : { faults: named }),
    ...(faults.length > FAULTS_MAX
      ? { moreFaults: Math.min(faults.length - FAULTS_MAX, MORE_FAULTS_MAX) }
      : {}),
    ...(outbox.waiting === 0
      ? {}
      : { backlog: { records: outbox.waiting, oldestS: ageS(outbox.oldestWaitingMs ?? nowMs) } }),
    ...(comparison === null
      ? {}
      : { compared: { ageS: ageS(comparison.atMs), differing: comparison.differing } }),
    ...(cardWear === undefined ? {} : { cardWear }),
  });
}

/** Why the site has its level, with the names of what is concerned if these are few. */
function reasonsOf({ level, reasons }: SiteReportFacts["headline"]): SiteReason[] {
  return reasons
    .filter((reason) => reason.level === level)
    .slice(0, REASONS_MAX)
    .map(({ code, count, items }) => {
      const names = items.map(({ name }) => cleanName(name));
      return { code, count, ...(names.length === 0 || count > NAMES_MAX ? {} : { names }) };
    });
}

/**
 * The fields of a report that this release knows; a newer site may send more, also within a reason or a fault. Nothing else of a
 * report is kept, so that no site decides what the centre stores.
 */
export function knownReport(report: SiteReport): SiteReport {
  const { reasons, alarm, faults, backlog, compared } = report;
  const known = {
    ...picked(report, PLAIN_FIELDS),
    ...(reasons && { reasons: reasons.map((one) => picked(one, ["code", "count", "names"])) }),
    ...(alarm && { alarm: picked(alarm, ["name", "ageS"]) }),
    ...(faults && { faults: faults.map((one) => picked(one, ["zone", "fault"])) }),
    ...(backlog && { backlog: picked(backlog, ["records", "oldestS"]) }),
    ...(compared && { compared: picked(compared, ["ageS", "differing"]) }),
  };
  // A site without a readable name is found by its reference.
  return shortened({ ...known, name: foreignName(report.name, NAME_LENGTH_MAX) || report.ref });
}

const PLAIN_FIELDS = [
  "ref",
  "name",
  "version",
  "at",
  "upS",
  "level",
  "unfinished",
  "objective",
  "conditions",
  "moreFaults",
  "diskFreeMb",
  "cardWear",
] as const;

/** Those of these fields that an object has. */
function picked<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  const present = names.filter((name) => from[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, from[name]])) as Pick<T, Name>;
}

/** A report of at most `REPORT_BYTES_MAX`: faults with very long names are only counted. */
function shortened(report: SiteReport): SiteReport {
  let shorter = report;
  while (Buffer.byteLength(JSON.stringify(shorter)) > REPORT_BYTES_MAX) {
    const { faults = [], moreFaults = 0, ...rest } = shorter;
    if (faults.length === 0) break;
    const more = Math.min(moreFaults + 1, MORE_FAULTS_MAX);
    shorter = { ...rest, faults: faults.slice(0, -1), moreFaults: more };
  }
  return shorter;
}

/**
 * The faults of a report, each once: those of the zones themselves first, then those of bridges and alarm panels, with the name
 * of the zone of their intervention.
 * @param open `owner` is the zone itself, or the bridge of several zones
 */
export function reportedFaults(
  open: readonly (Pick<SiteFault, "fault"> & { readonly owner: string; readonly zoneId: string })[],
  zones: readonly { readonly id: string; readonly name: string }[],
): SiteFault[] {
  const names = new Map(zones.map(({ id, name }) => [id, name]));
  const found = open.flatMap(({ owner, zoneId, fault }) => {
    const zone = names.get(zoneId);
    return zone === undefined ? [] : [{ isOwn: owner === zoneId, zone, fault }];
  });
  const ordered = found.toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn));
  return ordered.map(({ zone, fault }) => ({ zone, fault }));
}

/** The objective that occurs most often; the first of equals. */
export function mainObjective(objectives: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const one of objectives) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].reduce<[string, number] | undefined>(
    (most, one) => (most === undefined || one[1] > most[1] ? one : most),
    undefined,
  )?.[0];
}

/** A name on one line, with at most as many characters as a report may have. */
function cleanName(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ");
  return [...line].slice(0, NAME_LENGTH_MAX).join("") || "-";
}
