import type { MessageCondition } from "../generated/types.ts";
import { isOneOf, plainValue, scalarOf, type Scalar } from "./plain-value.ts";

/**
 * Whether a message meets a condition.
 * @param found what the message has at the condition's path; null and undefined for nothing
 */
export function isMet({ in: wanted, not, exists }: MessageCondition, found: unknown): boolean {
  const isThere = found !== undefined && found !== null;
  if (exists !== undefined && exists !== isThere) return false;
  const values = valuesOf(found);
  if (wanted !== undefined && !values.some((value) => isOneOf(wanted, value))) return false;
  return not === undefined || !values.some((value) => isOneOf(not, value));
}

/** A plain value, or the plain values of a list: a camera's review names all its objects in one. */
function valuesOf(found: unknown): readonly Scalar[] {
  return [found].flat().flatMap((value) => scalarOf(value) ?? []);
}

/** What a value needs to pass every condition on its path. */
interface Demand {
  /** Plain values; null for any. */
  readonly allowed: ReadonlySet<string> | null;
  readonly forbidden: ReadonlySet<string>;
  readonly mustExist: boolean;
  readonly mustBeAbsent: boolean;
}

function demandAt(conditions: readonly MessageCondition[], path: string): Demand {
  const lists: (readonly string[])[] = [];
  const forbidden = new Set<string>();
  let mustExist = false;
  let mustBeAbsent = false;
  for (const condition of conditions) {
    if (condition.path !== path) continue;
    const { in: wanted, not = [], exists } = condition;
    for (const value of not) forbidden.add(plainValue(value));
    if (exists === false) mustBeAbsent = true;
    if (exists === true) mustExist = true;
    if (wanted === undefined) continue;
    lists.push(wanted.map(plainValue));
    mustExist = true;
  }
  const [first, ...more] = lists;
  const allowed =
    first === undefined ? null : new Set(first.filter((value) => more.every((list) => list.includes(value))));
  return { allowed, forbidden, mustExist, mustBeAbsent };
}

/** Whether something can be there for a demand to be met. */
function canBe({ allowed, forbidden }: Demand): boolean {
  return allowed === null || [...allowed].some((value) => !forbidden.has(value));
}

/**
 * Why no message can meet all conditions, as a sentence; undefined where one can.
 * @returns the index of the condition that contradicts those before it
 */
export function contradictionIn(
  conditions: readonly MessageCondition[],
): { readonly index: number; readonly reason: string } | undefined {
  for (const [index, { path, in: wanted, not, exists }] of conditions.entries()) {
    if (wanted === undefined && not === undefined && exists === undefined)
      return { index, reason: "a condition needs in: the values, not: the values, or exists: true or false" };
    if (wanted?.length === 0) return { index, reason: "in: [] holds for no value. Name the values" };
    const known = conditions.slice(0, index + 1);
    const demand = demandAt(known, path);
    if (demand.mustBeAbsent && demand.mustExist)
      return {
        index,
        reason: `${path} cannot be missing and have a value. Remove exists: false, or the rest`,
      };
    if (!canBe(demand))
      return {
        index,
        reason: `no value of ${path} meets every condition on it. Name it once, with the values that are meant`,
      };
    const absent = known.find((one) => one.exists === false && path.startsWith(`${one.path}/`));
    if (absent && demand.mustExist)
      return { index, reason: `${path} cannot have a value where ${absent.path} must be missing` };
  }
  return undefined;
}

/**
 * Why conditions let no message through that has one of these values at a path; undefined where they do.
 * @param values undefined where any value will do
 */
export function isShutOut(
  conditions: readonly MessageCondition[],
  path: string,
  values: readonly Scalar[] | undefined,
): boolean {
  if (conditions.some(({ path: absent, exists }) => exists === false && isAtOrBelow(path, absent)))
    return true;
  if (values === undefined || values.length === 0) return false;
  const { allowed, forbidden } = demandAt(conditions, path);
  return values
    .map(plainValue)
    .every((value) => forbidden.has(value) || (allowed !== null && !allowed.has(value)));
}

function isAtOrBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** Whether no message can meet both lists of conditions: then two zones on one topic are told apart by them. */
export function excludeEachOther(
  one: readonly MessageCondition[],
  other: readonly MessageCondition[],
): boolean {
  return contradictionIn([...one, ...other]) !== undefined;
}
