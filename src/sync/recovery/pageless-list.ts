import { PRIORITIES, STATUSES, TYPES } from "../../domain/intervention.ts";
import type { MatchCandidate } from "../../domain/match-candidate.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { bytesOf } from "../upstream-records.ts";
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
  /** There are more rows than these, maybe because of their size. */
  | { readonly kind: "cut"; readonly rows: readonly MatchCandidate[]; readonly isTooLarge?: true }
  | { readonly kind: "failed"; readonly outcome: ReadOutcome };

/**
 * Reads the list of a server that ignores paging, part by part. A part with fewer rows than the server's page size
 * is complete; a larger one is split by the next filter. If a part cannot be split further the others are still
 * read: one may contain a duplicate.
 * @param page the first page of the whole list; each of its rows must be in a part, or the filters do not work
 * @param rowsMax the maximum number of rows this server has returned
 * @param bytesMax of the rows of all parts, as `bytesOf`
 */
export async function readByParts(
  centre: UpstreamClient,
  page: readonly MatchCandidate[],
  rowsMax: number,
  bytesMax: number,
): Promise<PartsRead> {
  if (page.length < rowsMax) return { kind: "whole", rows: page };
  const read = await split(centre, { filters: {}, splits: SPLITS, rowsMax, bytesMax });
  if (read.kind !== "whole") return read;
  const ids = new Set(read.rows.map(({ id }) => id));
  return page.every(({ id }) => ids.has(id)) ? read : { kind: "cut", rows: read.rows };
}

interface Part {
  readonly filters: Readonly<Record<string, string>>;
  /** Filters that can still split it. */
  readonly splits: readonly (typeof SPLITS)[number][];
  readonly rowsMax: number;
  readonly bytesMax: number;
}

async function split(centre: UpstreamClient, part: Part): Promise<PartsRead> {
  const { filters, bytesMax } = part;
  const [next, ...rest] = part.splits;
  if (!next) return { kind: "cut", rows: [] };
  const [field, values] = next;
  const rows: MatchCandidate[] = [];
  let bytes = 0;
  let kind: "whole" | "cut" = "whole";
  for (const value of values) {
    const read = await readPart(centre, {
      ...part,
      filters: { ...filters, [field]: value },
      splits: rest,
      bytesMax: bytesMax - bytes,
    });
    if (read.kind === "failed") return read;
    bytes += bytesOf(read.rows);
    if (bytes > bytesMax) return { kind: "cut", rows, isTooLarge: true };
    rows.push(...read.rows);
    if (read.kind !== "cut") continue;
    kind = "cut";
    if (read.isTooLarge === true) return { kind, rows, isTooLarge: true };
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
  return parts.kind === "cut" ? { ...parts, rows: [...rows, ...parts.rows] } : parts;
}

/**
 * Reads the same list with the lowest id first. A centre that returns a page of a longer list shows other records then; the same
 * ones in the opposite order are the whole list, apart from newer ones.
 */
export async function readOtherEnd(
  centre: UpstreamClient,
  down: readonly MatchCandidate[],
): Promise<"same" | "different" | "unordered"> {
  const { value } = await centre.oldest();
  // Without their texts: this is the second list at a time.
  const up = (itemsOf(value) ?? []).filter(isMatchCandidate).map(({ id }) => ({ id }));
  if (up.length === 0 || !rises(up) || !rises(down.toReversed())) return "unordered";
  const top = down[0]?.id ?? 0;
  const known = up.filter(({ id }) => id <= top);
  const isSame =
    known.length === down.length && known.every(({ id }, index) => id === down.at(-1 - index)?.id);
  return isSame ? "same" : "different";
}

function rises(rows: readonly Pick<MatchCandidate, "id">[]): boolean {
  return rows.every(({ id }, index) => index === 0 || id > (rows[index - 1]?.id ?? 0));
}

/** Ids read one by one: as many as a busy centre assigns while a response is late. */
const IDS_READ_MAX = 32;
/** Ids in a row without a record: deleted ones, or ids after the newest. */
const ABSENT_IN_A_ROW_MAX = 8;

/** Reads the ids directly above the watermark: a record that was posted since has one of them, whatever the list shows. */
export async function readSingly(centre: UpstreamClient, watermarkId: number): Promise<MatchCandidate[]> {
  const rows: MatchCandidate[] = [];
  let absent = 0;
  for (let id = watermarkId + 1; id <= watermarkId + IDS_READ_MAX && absent < ABSENT_IN_A_ROW_MAX; id += 1) {
    const { value, link } = await centre.record(id);
    // A lost link answers none of the others either, and each would wait for its timeout.
    if (link !== "ok") break;
    const row = isMatchCandidate(value) && value.id === id ? value : undefined;
    absent = row ? 0 : absent + 1;
    if (row) rows.push(row);
  }
  return rows;
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
