import { PRIORITIES, STATUSES, TYPES } from "../domain/intervention.ts";
import type { RawValue } from "./pages.ts";

/** The values of a row by column. */
export type NamedRow = ReadonlyMap<string, RawValue>;

interface Word {
  readonly known: readonly RawValue[];
  readonly otherwise: (row: NamedRow) => RawValue;
}

const STATES = "waiting posted merged refused bypassed test gated swinger cancelled recorded".split(" ");
const FLAG: Word = { known: [0, 1], otherwise: () => 0 };

/**
 * What takes the place of a word or number that a memory card has damaged, where the schema accepts only some of them: with it the
 * alarm that the row may carry is not lost. A second crew is better than none.
 */
const WORDS: Readonly<Record<string, Readonly<Record<string, Word>>>> = {
  trips: {
    about: {
      known: ["trip", "standing", "restore", "fault", "fault-over", "signal"],
      otherwise: () => "trip",
    },
    dated: FLAG,
    state: { known: STATES, otherwise: stateOf },
  },
  interventions: {
    status: { known: STATUSES, otherwise: () => "planned" },
    priority: { known: PRIORITIES, otherwise: () => "high" },
    type: { known: TYPES, otherwise: () => "other" },
    police: FLAG,
    ambulance: FLAG,
    firetruck: FLAG,
  },
};

/** What shows that a trip no longer needs a crew: its record, or the reason why it has none. */
function stateOf(row: NamedRow): RawValue {
  if (typeof row.get("intervention_id") === "number") return "posted";
  return row.get("about") === "restore" || typeof row.get("reason") === "string" ? "recorded" : "waiting";
}

/** A row that its table has rejected, with known words and numbers; undefined if it has no others. */
export function correctedWords(table: string, row: NamedRow): NamedRow | undefined {
  const damaged = Object.entries(WORDS[table] ?? {}).filter(([column, { known }]) => {
    const value = row.get(column);
    return value !== undefined && !known.includes(value);
  });
  if (damaged.length === 0) return undefined;
  return new Map([...row, ...damaged.map(([column, { otherwise }]) => [column, otherwise(row)] as const)]);
}
