import { createHash, randomUUID } from "node:crypto";
import type { Intervention } from "../../src/generated/types.ts";

/** A record that a site creates; each has contents of its own, so that a mixed-up response or row shows. */
export interface Creation {
  readonly key: string;
  readonly body: Readonly<Record<string, string | number | boolean>>;
}

/** What a request with a key was answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const PRIORITIES = ["low", "medium", "high"] as const;

/** @param writer number of the site @param turn number of its record */
export function creation(writer: number, turn: number): Creation {
  const key = randomUUID();
  const body = {
    name: `Site ${writer}, record ${turn}`,
    objectiveType: "obiective/cladiri",
    objectiveId: 1 + (turn % 2),
    priority: PRIORITIES[turn % PRIORITIES.length] ?? "low",
    dateStart: `2026-01-${10 + (turn % 20)}T02:00:00`,
    police: turn % 2 === 0,
    // What differs between encodings, and between JSON and SQL.
    notes: `${key}\nȘ„ț” 'quoted' \\ ${"🔥".repeat(turn % 3)}`,
  };
  return { key, body };
}

/**
 * What is wrong with an acknowledgement; undefined for one that is complete.
 * @param isRepeated whether the record was acknowledged before
 */
export function faultOf({ key, body }: Creation, answer: Answer, isRepeated: boolean): string | undefined {
  const record = recordOf(answer.text);
  if (record === undefined) return `no record: ${answer.text.slice(0, 200)}`;
  const header = (name: string): string | null => answer.headers.get(name);
  const wanted: Readonly<Record<string, unknown>> = {
    ...body,
    Location: `/interventii/${record.id}`,
    ETag: '"1"',
    "Idempotency-Key": key,
    "Content-Type": "application/json; charset=utf-8",
    ...(isRepeated ? { "Idempotency-Replayed": "true" } : {}),
  };
  const found: Readonly<Record<string, unknown>> = {
    ...record,
    Location: header("Location"),
    ETag: header("ETag"),
    "Idempotency-Key": header("Idempotency-Key"),
    "Content-Type": header("Content-Type"),
    "Idempotency-Replayed": header("Idempotency-Replayed"),
  };
  const different = Object.keys(wanted).filter((name) => found[name] !== wanted[name]);
  if (!Number.isSafeInteger(record.id) || record.id <= 0) different.push("id");
  if (different.length === 0) return undefined;
  const pairs = different.map(
    (name) => `${name} is ${JSON.stringify(found[name])} instead of ${JSON.stringify(wanted[name])}`,
  );
  return pairs.join(", ");
}

/** The record of a response; undefined if it has none. */
export function recordOf(text: string): Intervention | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "id" in value ? (value as Intervention) : undefined;
  } catch {
    return undefined;
  }
}

/** Short form of a record by which two responses are compared: a run acknowledges more than memory should hold. */
export function digestOf(record: Intervention): string {
  const fields = Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(fields)).digest("base64");
}
