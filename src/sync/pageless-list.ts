import { PRIORITIES, STATUSES, TYPES } from "../domain/intervention.ts";
import type { MatchCandidate } from "../domain/match-candidate.ts";
import { itemsOf, type ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";

/** The filters of the interface, with every value that a record can have: what they split a list into is all of it. */
const SPLITS = [
  ["status", STATUSES],
  ["priority", PRIORITIES],
  ["type", TYPES],
] as const;

/** Rows that were read, or why that is not all of them. */
export type PartsRead =
  | { readonly kind: "whole"; readonly rows: readonly MatchCandidate[] }
  /** There are more than these. */
  | { readonly kind: "cut"; readonly rows: readonly MatchCandidate[] }
  | { readonly kind: "failed"; readonly outcome: ReadOutcome };

/**
 * Reads the list of a centre that gives one page whatever is asked for, part by part. A part that has fewer rows than an
 * answer of this centre is known to hold is all of that part; a larger one is split by the next filter. Where one cannot be
 * split any more the others are read nevertheless: a double may be among them.
 * @param page what the centre gives of the whole list; each of these rows must be in a part, or the filters are not what
 *   they seem
 * @param rowsMax the most rows that one answer of this centre has held
 */
export async function readByParts(
  centre: UpstreamClient,
  page: readonly MatchCandidate[],
  rowsMax: number,
): Promise<PartsRead> {
  if (page.length < rowsMax) return { kind: "whole", rows: page };
  const read = await split(centre, { filters: {}, splits: SPLITS, rowsMax });
  if (read.kind !== "whole") return read;
  const ids = new Set(read.rows.map(({ id }) => id));
  return page.every(({ id }) => ids.has(id)) ? read : { kind: "cut", rows: read.rows };
}

interface Part {
  readonly filters: Readonly<Record<string, string>>;
  /** By what it may still be split. */
  readonly splits: readonly (typeof SPLITS)[number][];
  readonly rowsMax: number;
}

async function split(centre: UpstreamClient, { filters, splits, rowsMax }: Part): Promise<PartsRead> {
  const [next, ...rest] = splits;
  if (!next) return { kind: "cut", rows: [] };
  const [field, values] = next;
  const rows: MatchCandidate[] = [];
  let kind: "whole" | "cut" = "whole";
  for (const value of values) {
    const read = await readPart(centre, { filters: { ...filters, [field]: value }, splits: rest, rowsMax });
    if (read.kind === "failed") return read;
    if (read.kind === "cut") kind = "cut";
    rows.push(...read.rows);
  }
  return { kind, rows };
}

async function readPart(centre: UpstreamClient, part: Part): Promise<PartsRead> {
  const { filters, rowsMax } = part;
  const outcome = await centre.read(`/interventii?${new URLSearchParams(filters).toString()}`);
  const items = itemsOf(outcome.value);
  if (!items) return { kind: "failed", outcome };
  const rows = items.filter(isMatchCandidate);
  // A centre that ignores the filter shows others as well, and then it says nothing about this part.
  const isFiltered = rows.every((row) =>
    Object.entries(filters).every(([name, value]) => row[name] === value),
  );
  if (!isFiltered) return { kind: "cut", rows };
  if (items.length < rowsMax) return { kind: "whole", rows };
  const parts = await split(centre, part);
  return parts.kind === "cut" ? { kind: "cut", rows: [...rows, ...parts.rows] } : parts;
}

/** Whether an item of a list is a record. */
export function isMatchCandidate(item: unknown): item is MatchCandidate {
  return item !== null && typeof item === "object" && Number.isSafeInteger((item as { id?: unknown }).id);
}
