import type { MessageCondition } from "../generated/types.ts";
import { isOneOf, plainValue, scalarOf, type Scalar } from "./plain-value.ts";

/**
 * Whether a message meets a condition.
 * @param found value at the condition's path; null or undefined if missing
 */
export function isMet({ in: wanted, not, exists }: MessageCondition, found: unknown): boolean {
  const isPresent = found !== undefined && found !== null;
  if (exists !== undefined && exists !== isPresent) return false;
  const values = valuesOf(found);
  if (wanted !== undefined && !values.some((value) => isOneOf(wanted, value))) return false;
  return not === undefined || !values.some((value) => isOneOf(not, value));
}

/** A plain value, or the plain values of a list: a camera review lists all its objects. */
function valuesOf(found: unknown): readonly Scalar[] {
  return [found].flat().flatMap((value) => scalarOf(value) ?? []);
}

/** Requirements on a value from all conditions with its path. */
interface Requirement {
  /** Plain values; null for any. */
  readonly allowed: ReadonlySet<string> | null;
  readonly forbidden: ReadonlySet<string>;
  readonly mustExist: boolean;
  readonly mustBeAbsent: boolean;
}

function requirementAt(conditions: readonly MessageCondition[], path: string): Requirement {
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
  const [first, ...others] = lists;
  const allowed =
    first === undefined
      ? null
      : new Set(first.filter((value) => others.every((list) => list.includes(value))));
  return { allowed, forbidden, mustExist, mustBeAbsent };
}

/** Whether any value can meet a demand. */
function canBe({ allowed, forbidden }: Requirement): boolean {
  return allowed === null || [...allowed].some((value) => !forbidden.has(value));
}

/**
 * Finds a contradiction, so that no message can meet all conditions.
 * @returns the index of the condition that contradicts earlier ones, with the reason; undefined without a contradiction
 */
export function contradictionIn(
  conditions: readonly MessageCondition[],
): { readonly index: number; readonly reason: string } | undefined {
  for (const [index, { path, in: wanted, not, exists }] of conditions.entries()) {
    if (wanted === undefined && not === undefined && exists === undefined)
      return {
        index,
        reason: "a condition needs in: with values, not: with values, or exists: true or false",
      };
    if (wanted?.length === 0) return { index, reason: "in: [] matches no value. List the values" };
    const known = conditions.slice(0, index + 1);
    const requirement = requirementAt(known, path);
    if (requirement.mustBeAbsent && requirement.mustExist)
      return {
        index,
        reason: `${path} cannot be missing and have a value. Remove exists: false, or the other condition`,
      };
    if (!canBe(requirement))
      return {
        index,
        reason: `no value of ${path} meets every condition on it. Use one condition with the intended values`,
      };
    const absent = known.find(
      (condition) => condition.exists === false && path.startsWith(`${condition.path}/`),
    );
    if (absent && requirement.mustExist)
      return { index, reason: `${path} cannot have a value where ${absent.path} must be missing` };
  }
  return undefined;
}

/**
 * Whether conditions exclude every message that has one of these values at a path.
 * @param values undefined for any value
 */
export function isShutOut(
  conditions: readonly MessageCondition[],
  path: string,
  values: readonly Scalar[] | undefined,
): boolean {
  if (conditions.some(({ path: absent, exists }) => exists === false && isAtOrBelow(path, absent)))
    return true;
  if (values === undefined || values.length === 0) return false;
  const { allowed, forbidden } = requirementAt(conditions, path);
  return values
    .map(plainValue)
    .every((value) => forbidden.has(value) || (allowed !== null && !allowed.has(value)));
}

function isAtOrBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** Whether no message can meet both lists of conditions, so that they separate two zones on one topic. */
export function excludeEachOther(
  condition: readonly MessageCondition[],
  other: readonly MessageCondition[],
): boolean {
  return contradictionIn([...condition, ...other]) !== undefined;
}
