import { markersIn } from "./marker.ts";
import { FINGERPRINT, isSameCall } from "./match-candidate.ts";
import type { UpstreamRecord } from "./merge.ts";

/** Values by which any record of the centre is identified later. */
export function recordFingerprint(row: UpstreamRecord): UpstreamRecord {
  const marker = markersIn(row)[0] ?? null;
  return { marker, ...Object.fromEntries(FINGERPRINT.map((field) => [field, row[field] ?? null])) };
}

/**
 * Compares a record of the centre with a fingerprint.
 * @returns `another` only if it has another marker, because a dispatcher can have changed everything else
 */
export function compareFingerprints(
  row: UpstreamRecord,
  traits: UpstreamRecord,
): "same" | "unlike" | "another" {
  const markers = markersIn(row);
  const { marker } = traits;
  if (typeof marker === "string" && markers.length > 0) return markers.includes(marker) ? "same" : "another";
  return isSameCall(row, [traits]) ? "same" : "unlike";
}
