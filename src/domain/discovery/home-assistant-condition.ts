import { isOneOf, type Scalar } from "../plain-value.ts";
import { pointerTo } from "./values.ts";

/** Where a template looks: a value of the message, or some bits of it. */
export interface TemplateValue {
  /** JSON Pointer; undefined for the whole payload. */
  readonly path: string | undefined;
  /** Sum of the bits that count; undefined for the value as it is. */
  readonly bits?: number;
}

/** A value that a condition looks at, and the values with which it holds; undefined for all others. */
export interface Condition extends TemplateValue {
  readonly holds: readonly Scalar[] | undefined;
  readonly fails: readonly Scalar[] | undefined;
}

/** Filters that do not change the meaning of a value: numbers and texts compare by meaning. */
const HARMLESS_FILTERS =
  /(?: ?\| ?(?:default|d|is_defined|int|float|string|lower|upper|trim|bool|tojson|to_json)\b(?: ?\([^()]*\))?)+$/;
/** Bits of a value, as a filter and as a function. */
const BITS = /^(?:(?<piped>.+?) ?\| ?bitwise_and ?\(|bitwise_and ?\((?<given>.+?),) ?(?<bits>\d{1,5}) ?\)$/;
/** Of an option of the configuration. */
const BITS_MAX = 65_535;
/** Bits with more combinations than a zone has values are not read. */
const COMBINATIONS_MAX = 16;

/** The condition of a template; undefined for one that no zone can read. */
export function conditionIn(expression: string): Condition | undefined {
  const text = withoutParentheses(expression);
  // `not` binds more closely than `and`, and that than `or`.
  const joined = anyOf(text.split(" or ")) ?? allOf(text.split(" and "));
  if (joined) return joined;
  const negated = /^not (.+)$/s.exec(text)?.[1];
  if (negated !== undefined) return swapped(conditionIn(negated));
  const bare = valueIn(text);
  if (bare) return truthOf(bare);
  const [, counted = ""] = /^(.+?) ?(?:> ?0|>= ?1)$/s.exec(text) ?? [];
  const bits = valueIn(counted);
  if (bits?.bits !== undefined) return truthOf(bits);
  return comparisonIn(text) ?? listIn(text);
}

/** `x == 'a' or x == 'b'` */
function anyOf(parts: readonly string[]): Condition | undefined {
  if (parts.length < 2) return undefined;
  const all = parts.map(conditionIn);
  const holds = all.map((one) => one?.holds);
  const [first] = all;
  if (!first || !isOfOne(all) || !holds.every((values) => values !== undefined)) return undefined;
  return { ...first, holds: holds.flat(), fails: undefined };
}

/** `x != 'a' and x != 'b'`; that the message has the value need not be tested. */
function allOf(parts: readonly string[]): Condition | undefined {
  if (parts.length < 2) return undefined;
  const others = parts.filter((part) => !part.trim().endsWith(" is defined"));
  const all = others.map(conditionIn);
  const guards = parts
    .filter((part) => !others.includes(part))
    .map((part) => valueIn(part.trim().replace(/ is defined$/, "")));
  const [first] = all;
  if (!first || !isOfOne([...all, ...guards])) return undefined;
  if (all.length === 1) return first;
  const fails = all.map((one) => one?.fails);
  return fails.every((values) => values !== undefined)
    ? { ...first, holds: undefined, fails: fails.flat() }
    : undefined;
}

/** Whether all look at one value. */
function isOfOne(values: readonly (TemplateValue | undefined)[]): boolean {
  const [first] = values;
  return values.every((one) => one && one.path === first?.path && one.bits === first?.bits);
}

function comparisonIn(text: string): Condition | undefined {
  const compared = /^(.+?) ?(==|!=) ?(.+)$/s.exec(text);
  if (compared) {
    const [, left = "", operator, right = ""] = compared;
    const equal = equality(left, right) ?? equality(right, left);
    return operator === "==" ? equal : swapped(equal);
  }
  const tested = /^(.+?) is (not )?(?:(?:sameas|equalto|eq|==) ?(.+)|(true|false))$/is.exec(text);
  if (!tested) return undefined;
  const equal = equality(tested[1] ?? "", withoutParentheses(tested[3] ?? tested[4] ?? ""));
  return tested[2] === undefined ? equal : swapped(equal);
}

function listIn(text: string): Condition | undefined {
  const listed = /^(.+?) (not )?in [[(]([^[\]()]*)[\])]$/s.exec(text);
  const value = listed && valueIn(listed[1] ?? "");
  if (!listed || !value) return undefined;
  const values = (listed[3] ?? "").split(",").map((one) => literalIn(one));
  if (values.some((one) => one === undefined) || values.length === 0) return undefined;
  const among = { ...value, holds: values as Scalar[], fails: undefined };
  return listed[2] === undefined ? among : swapped(among);
}

/** A value by itself: true or false, or any of its bits. */
function truthOf(value: TemplateValue): Condition | undefined {
  if (value.bits === undefined) return { ...value, holds: [true], fails: [false] };
  const holds = combinationsOf(value.bits);
  return holds && { ...value, holds, fails: [0] };
}

function equality(side: string, literal: string): Condition | undefined {
  const value = valueIn(side);
  const equal = literalIn(literal);
  if (!value || equal === undefined) return undefined;
  const all = value.bits === undefined ? undefined : [0, ...(combinationsOf(value.bits) ?? [])];
  if (all) return { ...value, holds: [equal], fails: all.filter((one) => !isOneOf([equal], one)) };
  // Of two truth values the other one is known.
  return { ...value, holds: [equal], fails: typeof equal === "boolean" ? [!equal] : undefined };
}

/** The values that some bits have while any of them is set; undefined if there are too many. */
function combinationsOf(bits: number): number[] | undefined {
  const found: number[] = [];
  for (let value = bits; value > 0; value = (value - 1) & bits) {
    if (found.length >= COMBINATIONS_MAX) return undefined;
    found.push(value);
  }
  return found.toReversed();
}

function swapped(condition: Condition | undefined): Condition | undefined {
  return condition && { ...condition, holds: condition.fails, fails: condition.holds };
}

/** A text in quotes, a number, or a truth value. */
export function literalIn(expression: string): Scalar | undefined {
  const text = expression.trim();
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2];
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined;
}

const STEP =
  /\.get\( ?(?:'([^']*)'|"([^"]*)") ?(?:,[^()]*)?\)|\.(\w+)|\[ ?(?:'([^']*)'|"([^"]*)"|(\d+)) ?\]/y;

/** The place of `value`, `value_json.a['b'].get('c', 0)[1]`, also with harmless filters, and of the bits of one. */
export function valueIn(expression: string): TemplateValue | undefined {
  const text = withoutParentheses(withoutParentheses(expression).replace(HARMLESS_FILTERS, ""));
  const { piped, given, bits } = BITS.exec(text)?.groups ?? {};
  if (bits !== undefined) return bitsIn(piped ?? given ?? "", Number(bits));
  const root = /^value(_json)?/.exec(text)?.[0];
  if (root === undefined || (root === "value" && text !== root)) return undefined;
  const names: string[] = [];
  STEP.lastIndex = root.length;
  while (STEP.lastIndex < text.length) {
    const found = STEP.exec(text)
      ?.slice(1)
      .find((name) => name !== undefined);
    if (found === undefined) return undefined;
    names.push(found);
  }
  return { path: names.length === 0 ? undefined : pointerTo(...names) };
}

function bitsIn(expression: string, bits: number): TemplateValue | undefined {
  const value = valueIn(expression);
  return value && value.bits === undefined && bits > 0 && bits <= BITS_MAX ? { ...value, bits } : undefined;
}

/** Without parentheses around the whole. */
export function withoutParentheses(expression: string): string {
  const text = expression.trim();
  if (!text.startsWith("(") || !text.endsWith(")")) return text;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "(") depth += 1;
    if (text[index] === ")") depth -= 1;
    if (depth === 0 && index < text.length - 1) return text;
  }
  return depth === 0 ? withoutParentheses(text.slice(1, -1)) : text;
}
