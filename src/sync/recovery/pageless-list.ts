import { PRIORITIES, STATUSES, TYPES } from "../../domain/intervention.ts";
import type { MatchCandidate } from "../../domain/match-candidate.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { bytesOf, ROWS_BYTES_MAX } from "../upstream-records.ts";
import { itemsOf } from "../wrapped-body.ts";

/** The filters of the API with all their values: together the parts are the whole list. */
const SPLITS = [
  ["status", STATUSES],
  ["priority", PRIORITIES],
  ["type", TYPES],
] as const;

/** The rows read, or why they are incomplete. */
type PartsRead =
  | { readonly kind: "whole"; readonly rows: readonly MatchCandidate[] }
  /** There are more rows than these. */
  | { readonly kind: "cut"; readonly rows: readonly MatchCandidate[] }
  | { readonly kind: "failed"; readonly outcome: ReadOutcome };

/**
 * Reads the list of a server that ignores paging, part by part. A part with fewer rows than the server's page size
 * is complete; a larger one is split by the next filter. If a part cannot be split further the others are still
 * read: one may contain a duplicate.
 * @param page the first page of the whole list; each of its rows must be in a part, or the filters do not work
 * @param rowsMax the maximum number of rows this server has returned
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
  /** Filters that can still split it. */
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
    if (bytesOf(rows) > ROWS_BYTES_MAX) return { kind: "cut", rows };
  }
  return { kind, rows };
}

async function readPart(centre: UpstreamClient, part: Part): Promise<PartsRead> {
  const { filters, rowsMax } = part;
  const outcome = await centre.filtered(filters);
  const items = itemsOf(outcome.value);
  if (!items) return { kind: "failed", outcome };
  const rows = items.filter(isMatchCandidate);
  if (lacksIds(items, rows)) return { kind: "cut", rows };
  // A server that ignores the filter also returns other rows, so the part is unknown.
  const isFiltered = rows.every((row) =>
    Object.entries(filters).every(([name, value]) => row[name] === value),
  );
  if (!isFiltered) return { kind: "cut", rows };
  if (items.length < rowsMax) return { kind: "whole", rows };
  const parts = await split(centre, part);
  return parts.kind === "cut" ? { kind: "cut", rows: [...rows, ...parts.rows] } : parts;
}

/** Whether a list item is a record: an object with an integer id. */
export function isMatchCandidate(item: unknown): item is MatchCandidate {
  return item !== null && typeof item === "object" && Number.isSafeInteger((item as { id?: unknown }).id);
}

/**
 * Whether a list has records without an id as the contract defines it: one of them may be ours.
 * @param rows those with an id
 */
export function lacksIds(items: readonly unknown[], rows: readonly MatchCandidate[]): boolean {
  return rows.length < items.length;
}
