import { createHash } from "node:crypto";
import { RECORD_FIELDS } from "../domain/intervention.ts";
import type { MatchCandidate } from "../domain/match-candidate.ts";
import type { UpstreamRecord } from "../domain/merge.ts";

/*
 * What is kept of a record of the centre: it is stored with each record here, and the comparison keeps every row of the
 * list. A centre decides what its records contain, and a response may have 16 MiB.
 */

/**
 * Characters of the texts. Above the limit of the contract (4,000 code points) by so much that the merge never takes a
 * shortened text for one that is valid here, even after lines have been removed.
 */
const TEXT_CHARACTERS_MAX = 16 * 1024;
/** Of every other field, such as a name (200 by the contract) or a date. */
const VALUE_CHARACTERS_MAX = 1_024;
/** Also a link with a signature; a file does not fit. */
const INVOICE_CHARACTERS_MAX = 8 * 1024;

/** The characters kept of each field. */
function charactersMax(field: string): number {
  if (field === "invoicePdf") return INVOICE_CHARACTERS_MAX;
  return field === "notes" || field === "description" ? TEXT_CHARACTERS_MAX : VALUE_CHARACTERS_MAX;
}

/** The known fields of a record of the centre, without values that no field can have. */
export function keptOf(record: UpstreamRecord): UpstreamRecord {
  const kept: Record<string, unknown> = {};
  for (const field of RECORD_FIELDS) {
    const value = record[field];
    if (value === undefined || (value !== null && typeof value === "object")) continue;
    kept[field] = typeof value === "string" ? shortened(value, charactersMax(field)) : value;
  }
  return kept;
}

/** A long value ends with its hash, so that two values are equal only if they were. */
function shortened(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const hash = createHash("sha256").update(text).digest("base64url");
  // Copied, because a part of a string keeps the whole one in memory.
  return Buffer.from(`${text.slice(0, charactersMax)}\n${hash}`).toString();
}

/** Whether an invoice is stored here: a longer one stays at the centre. */
export function isInvoiceKept(invoice: string): boolean {
  return invoice.length <= INVOICE_CHARACTERS_MAX;
}

/** Memory of a row without its texts. */
const ROW_BYTES = 320;

/** Memory of rows; characters beyond Latin-1 take two bytes each. */
export function bytesOf(rows: readonly MatchCandidate[]): number {
  let bytes = 0;
  for (const row of rows) {
    bytes += ROW_BYTES;
    for (const value of Object.values(row))
      if (typeof value === "string") bytes += BEYOND_LATIN_1.test(value) ? 2 * value.length : value.length;
  }
  return bytes;
}

const BEYOND_LATIN_1 = /[\u0100-\uffff]/;
