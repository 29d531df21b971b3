import { isOneOf, type Scalar } from "../plain-value.ts";
import { pointerTo } from "./values.ts";

/**
 * What a template reads from a message, as far as a zone can read it without the template: a value and which of its values the
 * template turns into "on" and "off". Format: https://jinja.palletsprojects.com/en/stable/templates/
 */
export interface TemplateReading {
  /** JSON Pointer; undefined for the whole payload. */
  readonly path: string | undefined;
  readonly on: readonly Scalar[];
  /** Undefined if every other value is off. */
  readonly off: readonly Scalar[] | undefined;
  /** Whether the values are those of the template's result, which the message may not have. */
  readonly isComputed: boolean;
}

/** The values of the template's result. */
interface Results {
  readonly on: Scalar;
  readonly off: Scalar;
}

/** A value that a condition looks at, and the values with which it holds; undefined for all others. */
interface Condition {
  readonly path: string | undefined;
  readonly holds: readonly Scalar[] | undefined;
  readonly fails: readonly Scalar[] | undefined;
}

/** In an option of the configuration. */
const VALUES_MAX = 16;

/** Filters that do not change the meaning of a value: numbers and texts compare by meaning. */
const HARMLESS_FILTERS =
  /(?: ?\| ?(?:default|d|is_defined|int|float|string|lower|upper|trim|bool|tojson|to_json)\b(?: ?\([^()]*\))?)+$/;

/** Reads a template; a value that cannot be derived is computed, with the path to the only value in it. */
export function readTemplate(template: string, results: Results): TemplateReading {
  // Others decide what is in a template: single spaces keep the search for its parts short.
  const text = template.trim().replaceAll(/\s+/g, " ");
  const expression = /^\{\{-?((?:(?!\{\{|\}\}).)+?)-?\}\}$/s.exec(text)?.[1]?.trim();
  const operand = operandIn(guardedIn(text) ?? expression ?? "");
  if (operand) return { path: operand.path, on: [results.on], off: [results.off], isComputed: false };
  const chosen = expression === undefined ? statementIn(text) : choiceIn(expression);
  const reading = chosen && readingOf(chosen, results);
  return reading ?? { path: onlyPathIn(text), on: [results.on], off: [results.off], isComputed: true };
}

/** The value that a template takes if the message has it, in `x if x is defined else …` or as a statement. */
function guardedIn(text: string): string | undefined {
  const found =
    /^\{\{-? ?(?<value>.+?) if (?<tested>.+?) is defined else .+\}\}$/s.exec(text) ??
    /^\{%-? ?if (?<tested>.+?) is defined ?-?%\} ?\{\{-? ?(?<value>.+?) ?-?\}\} ?\{%/s.exec(text);
  const { value, tested } = found?.groups ?? {};
  return value === tested ? value : undefined;
}

/** A condition with the results of both cases. */
interface Choice {
  readonly condition: Condition;
  readonly yes: Scalar;
  readonly no: Scalar;
}

function readingOf({ condition, yes, no }: Choice, { on, off }: Results): TemplateReading | undefined {
  const isOn = isOneOf([on], yes);
  // A result that is neither leaves the sensor as it was.
  if (isOn === isOneOf([on], no) || !(isOneOf([off], yes) || isOneOf([off], no))) return undefined;
  const open = isOn ? condition.holds : condition.fails;
  const normal = isOn ? condition.fails : condition.holds;
  const others = open ?? oppositesOf(normal ?? []);
  if (!others || others.length > VALUES_MAX || (normal?.length ?? 0) > VALUES_MAX) return undefined;
  return { path: condition.path, on: others, off: normal, isComputed: open === undefined };
}

/** `{% if … %}ON{% else %}OFF{% endif %}`, or with a second condition in place of `else` */
function statementIn(text: string): Choice | undefined {
  const parts = text.split(/\{%-? ?((?:el)?if [^%]*|else|endif) ?-?%\}/).map((part) => part.trim());
  const [before, opening = "", yes = "", middle = "", no = "", ...rest] = parts;
  const [end, after] = rest.slice(-2);
  const condition = testedIn(opening, "if ");
  if (before !== "" || after !== "" || end !== "endif" || !condition) return undefined;
  if (/[{}]/.test(`${plain(yes)}${plain(no)}`)) return undefined;
  const results = { yes: plain(yes), no: plain(no) };
  if (middle === "else") return rest.length === 2 ? { condition, ...results } : undefined;
  const second = testedIn(middle, "elif ");
  // What is neither leaves the sensor as it was.
  const [otherwise, other = ""] = rest.length === 4 ? rest : [];
  const isNeither = rest.length === 2 || (otherwise === "else" && other !== yes && other !== no);
  if (!isNeither || second?.holds === undefined || second.path !== condition.path) return undefined;
  return { condition: { ...condition, fails: second.holds }, ...results };
}

function testedIn(statement: string, word: "if " | "elif "): Condition | undefined {
  if (!statement.startsWith(word)) return undefined;
  return conditionIn(statement.slice(word.length).replace(/-$/, ""));
}

/** A text of a statement, which may be an expression with one literal. */
function plain(text: string): Scalar {
  const inner = /^\{\{-? ?([^{}]*?) ?-?\}\}$/.exec(text)?.[1];
  return (inner === undefined ? undefined : literalIn(inner)) ?? text;
}

/** `'ON' if … else 'OFF'`, `iif(…, 'ON', 'OFF')`, or a condition by itself, whose result is True or False. */
function choiceIn(expression: string): Choice | undefined {
  const text = withoutParentheses(expression);
  const ternary = /^(.+?) if (.+) else (.+)$/s.exec(text);
  if (ternary) return choiceOf(ternary[2], ternary[1], ternary[3]);
  const call = /^iif ?\((.+),([^,]+),([^,]+)\)$/s.exec(text);
  if (call) return choiceOf(call[1], call[2], call[3]);
  const filter = /^(.+)\| ?iif ?\(([^,()]+),([^,()]+)\)$/s.exec(text);
  if (filter) return choiceOf(filter[1], filter[2], filter[3]);
  return choiceOf(text, "true", "false");
}

function choiceOf(condition = "", yes = "", no = ""): Choice | undefined {
  const tested = conditionIn(condition);
  const [first, second] = [literalIn(yes), literalIn(no)];
  if (!tested || first === undefined || second === undefined) return undefined;
  return { condition: tested, yes: first, no: second };
}

function conditionIn(expression: string): Condition | undefined {
  const text = withoutParentheses(expression);
  const negated = /^not (.+)$/s.exec(text)?.[1];
  if (negated !== undefined) return swapped(conditionIn(negated));
  const bare = operandIn(text);
  if (bare) return { path: bare.path, holds: [true], fails: [false] };
  const compared = /^(.+?) ?(==|!=) ?(.+)$/s.exec(text);
  if (compared) {
    const [, left = "", operator, right = ""] = compared;
    const equal = equality(left, right) ?? equality(right, left);
    return operator === "==" ? equal : swapped(equal);
  }
  const tested = /^(.+?) is (not )?(?:(?:sameas|equalto|eq|==) ?(.+)|(true|false))$/is.exec(text);
  if (tested) {
    const equal = equality(tested[1] ?? "", withoutParentheses(tested[3] ?? tested[4] ?? ""));
    return tested[2] === undefined ? equal : swapped(equal);
  }
  const listed = /^(.+?) (not )?in [[(]([^[\]()]*)[\])]$/s.exec(text);
  const operand = listed && operandIn(listed[1] ?? "");
  if (!listed || !operand) return undefined;
  const values = (listed[3] ?? "").split(",").map((one) => literalIn(one));
  if (values.some((one) => one === undefined) || values.length === 0) return undefined;
  const among = { path: operand.path, holds: values as Scalar[], fails: undefined };
  return listed[2] === undefined ? among : swapped(among);
}

function equality(value: string, literal: string): Condition | undefined {
  const operand = operandIn(value);
  const equal = literalIn(literal);
  if (!operand || equal === undefined) return undefined;
  // Of two truth values the other one is known.
  return { path: operand.path, holds: [equal], fails: typeof equal === "boolean" ? [!equal] : undefined };
}

function swapped(condition: Condition | undefined): Condition | undefined {
  return condition && { path: condition.path, holds: condition.fails, fails: condition.holds };
}

/** Usual names of two states, for a template that names only one of them; a guess that a person has to check. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ["on", "off"],
  ["open", "closed"],
  ["opened", "closed"],
  ["open", "close"],
  ["unlocked", "locked"],
  ["alarm", "normal"],
  ["active", "inactive"],
  ["detected", "clear"],
  ["yes", "no"],
  ["1", "0"],
];

function oppositesOf(values: readonly Scalar[]): Scalar[] | undefined {
  const found = OPPOSITES.flatMap(([one, other]) => {
    if (isOneOf(values, one)) return [other];
    return isOneOf(values, other) ? [one] : [];
  });
  return found.length > 0 ? [...new Set(found)] : undefined;
}

/** A text in quotes, a number, or a truth value. */
function literalIn(expression: string): Scalar | undefined {
  const text = expression.trim();
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2];
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined;
}

const STEP =
  /\.get\( ?(?:'([^']*)'|"([^"]*)") ?(?:,[^()]*)?\)|\.(\w+)|\[ ?(?:'([^']*)'|"([^"]*)"|(\d+)) ?\]/y;

/** The JSON Pointer of `value`, `value_json.a['b'].get('c', 0)[1]`, also with harmless filters. */
export function operandIn(expression: string): { readonly path: string | undefined } | undefined {
  const text = withoutParentheses(withoutParentheses(expression).replace(HARMLESS_FILTERS, ""));
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

/** The path of the only value that a template reads, whatever it does with it. */
function onlyPathIn(template: string): string | undefined {
  const used = template.match(/value_json(?:\.get\([^()]*\)|\.\w+|\[[^[\]]*\])+/g) ?? [];
  const paths = new Set(used.map((one) => operandIn(one)?.path));
  return paths.size === 1 ? [...paths][0] : undefined;
}

/** Without parentheses around the whole. */
function withoutParentheses(expression: string): string {
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
