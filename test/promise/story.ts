import type { Intervention } from "../../src/domain/intervention.ts";
import type { Happening, PlayedZone, Reload, Side, Week } from "./building.ts";
import type { CentreRecord } from "./dispatch-centre.ts";
import type { Taken } from "./sensor-broker.ts";

/** Everything readable at one time. */
export interface Observation {
  readonly atMs: number;
  readonly records: readonly Intervention[];
  readonly centre: readonly CentreRecord[];
  readonly status: {
    readonly conditions: readonly {
      readonly code: string;
      readonly subject: string;
      readonly text: string;
    }[];
    readonly trips: { readonly waiting: number };
    readonly headline?: { readonly level: string };
    readonly [field: string]: unknown;
  };
}

/** A time span; open while its end is undefined. */
export interface Span {
  readonly zone?: string;
  readonly fromMs: number;
  untilMs: number;
}

export interface Edit {
  readonly atMs: number;
  readonly side: Side;
  readonly id: number;
  readonly how: "append" | "prepend" | "replace" | "fill" | "delete" | "done" | "re-open";
  /** The text written by the user. */
  readonly words: string;
  /** The complete text after the edit. */
  readonly after: string | null;
  readonly before: string;
}

/** A row of GET /site/trips. */
export interface TripRow {
  readonly seq: number;
  readonly zoneId: string;
  readonly type: string;
  readonly cause: string;
  readonly state: string;
  readonly reason: string | null;
  readonly interventionId: number | null;
  readonly moment: { readonly wallMs: number };
  readonly isDated: boolean;
  readonly earliestWallMs: number | null;
}

/** An opening or closing in GET /site/zones/history. */
export interface ContactRow {
  readonly at: string;
  readonly event: string;
  readonly state: string;
  readonly reason: string | null;
}

/** An entry of GET /site/journal. */
export interface JournalRow {
  readonly at: string;
  readonly event: string;
  readonly who: string;
  readonly detail?: { readonly state?: string; readonly reason?: string };
}

/** All events of a week, and all observations. */
export class Story {
  readonly week: Week;
  readonly lines: string[] = [];
  readonly contacts: { readonly zone: string; readonly isOpen: boolean; readonly atMs: number }[] = [];
  /** Times in which the daemon ran; `settledMs` is the end of the power-up delay. */
  readonly runs: { readonly fromMs: number; readonly isBoot: boolean; untilMs: number }[] = [];
  readonly bypasses: Span[] = [];
  readonly walkTests: Span[] = [];
  readonly brokerAway: Span[] = [];
  /** Times in which a zone is not configured. */
  readonly absences: Span[] = [];
  readonly reloads: { readonly atMs: number; readonly how: Reload; readonly status: number }[] = [];
  readonly keys: { readonly atMs: number; readonly isArmed: boolean }[] = [];
  readonly clocks: { readonly atMs: number; readonly wrongByMs: number }[] = [];
  readonly edits: Edit[] = [];
  readonly observations: Observation[] = [];
  /** Times at which a request or a message did not complete. */
  stuck: readonly number[] = [];
  taken: readonly Taken[] = [];
  trips: readonly TripRow[] = [];
  history: readonly { readonly id: string; readonly contacts: readonly ContactRow[] }[] = [];
  journal: readonly JournalRow[] = [];
  answers: { readonly atMs: number; readonly what: Happening["what"]; readonly value: unknown }[] = [];

  constructor(week: Week) {
    this.week = week;
  }

  tell(atMs: number, text: string): void {
    this.lines.push(`${clockText(atMs)}  ${text}`);
  }

  zone(id: string): PlayedZone {
    const zone = this.week.building.zones.find((each) => each.id === id);
    if (!zone) throw new Error(`no zone ${id}`);
    return zone;
  }

  /** Error of the wall clock of the site at a time. */
  wrongBy(atMs: number): number {
    return this.clocks.findLast((each) => each.atMs <= atMs)?.wrongByMs ?? 0;
  }
}

/** Bucharest is two hours ahead of UTC in all simulated weeks. */
export const LOCAL_OFFSET_MS = 7_200_000;

export function clockText(atMs: number): string {
  return new Date(atMs + LOCAL_OFFSET_MS).toISOString().slice(5, 19).replace("T", " ");
}
