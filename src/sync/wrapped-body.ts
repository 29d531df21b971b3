import type { UpstreamRecord } from "../domain/merge.ts";

/* The contract does not show the bodies of reads: a list, and a record read by its id, may be wrapped in an object. */

/** Fields that may have an array beside or instead of the items of a list. */
const NO_ITEMS = /^(?:errors?|details|warnings?|messages?|_?links|sort)$/i;
/** Objects within other objects that are searched. */
const DEPTH_MAX = 2;

/**
 * The items of a list: a bare array, or one wrapped in an object, in a field with a usual name or in the only one that has an array.
 * @returns undefined if it is not a list, or an error that is sent with the status of a success
 */
export function itemsOf(value: unknown, depth = DEPTH_MAX): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  if (Boolean(value["error"]) || Number(value["statusCode"]) >= 400) return undefined;
  const usual = [value["data"], value["items"], value["results"]].find((part) => Array.isArray(part));
  if (usual) return usual;
  const parts = Object.entries(value).filter(([name]) => !NO_ITEMS.test(name));
  const arrays = parts.flatMap(([, part]) => (Array.isArray(part) ? [part as unknown[]] : []));
  if (arrays.length > 0 || depth === 0) return arrays.length === 1 ? arrays[0] : undefined;
  const inner = parts.flatMap(([, part]) => {
    const items = isObject(part) ? itemsOf(part, depth - 1) : undefined;
    return items ? [items] : [];
  });
  return inner.length === 1 ? inner[0] : undefined;
}

/**
 * The record with this id: bare, wrapped in objects, or alone in an array; undefined if the body does not have it. An object beside or
 * within it, such as its office, may have the same id.
 */
export function recordIn(value: unknown, id: number | null): UpstreamRecord | undefined {
  if (isObject(value) && value["id"] === id) return value;
  const records = objectsIn(value, DEPTH_MAX).filter((part) => part["id"] === id && isIntervention(part));
  return records.length === 1 ? records[0] : undefined;
}

/** The objects in a body, but not those within a record. */
function objectsIn(value: unknown, depth: number): readonly UpstreamRecord[] {
  if (depth < 0 || (Array.isArray(value) && value.length > 1)) return [];
  if (isObject(value) && isIntervention(value)) return [value];
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return parts.flatMap((part) => objectsIn(part, depth - 1));
}

function isIntervention(value: UpstreamRecord): boolean {
  return "objectiveId" in value || ("name" in value && "status" in value);
}

function isObject(value: unknown): value is UpstreamRecord {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
