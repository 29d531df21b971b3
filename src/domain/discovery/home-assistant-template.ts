import { isOneOf, type Scalar } from "../plain-value.ts";
import {
  conditionIn,
  literalIn,
  valueIn,
  withoutParentheses,
  type Condition,
} from "./home-assistant-condition.ts";
import type { TemplateValue } from "./home-assistant-condition.ts";

/**
 * What a template reads from a message, as far as a zone can read it without the template: a value and which of its values the
 * template turns into "on" and "off". Format: https://jinja.palletsprojects.com/en/stable/templates/
 */
export interface TemplateReading extends TemplateValue {
  readonly on: readonly Scalar[];
  /** Undefined if every other value is off. */
  readonly off: readonly Scalar[] | undefined;
  /** Whether the values have to be checked: those of the template's result, which the message may not have, or a guess. */
  readonly isComputed: boolean;
  /** Set for a guess from what the template compares. */
  readonly isGuess?: true;
  /** Set if nothing is off: every other value leaves the sensor as it was. */
  readonly isEndless?: true;
}

/** The values of the template's result. */
interface Results {
  readonly on: Scalar;
  readonly off: Scalar;
}

/** In an option of the configuration. */
const VALUES_MAX = 16;

/** Reads a template; a value that cannot be derived is computed, with the path to the only value in it. */
export function readTemplate(template: string, results: Results): TemplateReading {
  // Others decide what is in a template: single spaces keep the search for its parts short.
  const text = template.trim().replaceAll(/\s+/g, " ");
  const expression = /^\{\{-?((?:(?!\{\{|\}\}).)+?)-?\}\}$/s.exec(text)?.[1]?.trim();
  const value = valueIn(guardedIn(text) ?? expression ?? "");
  if (value) return { ...value, on: [results.on], off: [results.off], isComputed: false };
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
  /** Undefined if it is the former state. */
  readonly no: Scalar | undefined;
}

function readingOf({ condition, yes, no }: Choice, { on, off }: Results): TemplateReading | undefined {
  const { path, bits, holds, fails } = condition;
  const value = { path, ...(bits === undefined ? {} : { bits }) };
  const isOn = isOneOf([on], yes);
  if (no === undefined)
    return isOn && holds && holds.length <= VALUES_MAX
      ? { ...value, on: holds, off: undefined, isComputed: false, isEndless: true }
      : undefined;
  // A result that is neither leaves the sensor as it was.
  if (isOn === isOneOf([on], no) || !(isOneOf([off], yes) || isOneOf([off], no))) return undefined;
  const open = isOn ? holds : fails;
  const normal = isOn ? fails : holds;
  const others = open ?? oppositesOf(normal ?? []);
  if (!others || others.length > VALUES_MAX || (normal?.length ?? 0) > VALUES_MAX) return undefined;
  if (open) return { ...value, on: open, off: normal, isComputed: false };
  return { ...value, on: others, off: normal, isComputed: true, isGuess: true };
}

/** `{% if … %}ON{% else %}OFF{% endif %}`, or with a second condition, the former state or nothing in place of `OFF` */
function statementIn(text: string): Choice | undefined {
  const parts = text.split(/\{%-? ?((?:el)?if [^%]*|else|endif) ?-?%\}/).map((part) => part.trim());
  const [before, opening = "", yes = "", middle = "", no = "", ...rest] = parts;
  const [end, after] = rest.slice(-2);
  const condition = testedIn(opening, "if ");
  if (before !== "" || !condition || /[{}]/.test(String(plain(yes)))) return undefined;
  // Home Assistant ignores an empty result.
  if (middle === "endif" && no === "" && rest.length === 0)
    return { condition, yes: plain(yes), no: undefined };
  if (after !== "" || end !== "endif") return undefined;
  if (middle === "else" && rest.length === 2 && (no === "" || isFormerState(no)))
    return { condition, yes: plain(yes), no: undefined };
  if (/[{}]/.test(String(plain(no)))) return undefined;
  const results = { yes: plain(yes), no: plain(no) };
  if (middle === "else") return rest.length === 2 ? { condition, ...results } : undefined;
  const second = testedIn(middle, "elif ");
  // What is neither leaves the sensor as it was.
  const [otherwise, other = ""] = rest.length === 4 ? rest : [];
  const isNeither = rest.length === 2 || (otherwise === "else" && other !== yes && other !== no);
  if (!isNeither || second?.holds === undefined) return undefined;
  if (second.path !== condition.path || second.bits !== condition.bits) return undefined;
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
  const [, result = "", only] = /^(.+?) if (.+)$/s.exec(text) ?? [];
  if (only !== undefined) return choiceOf(only, result, "''");
  const call = /^iif ?\((.+),([^,]+),([^,]+)\)$/s.exec(text);
  if (call) return choiceOf(call[1], call[2], call[3]);
  const filter = /^(.+)\| ?iif ?\(([^,()]+),([^,()]+)\)$/s.exec(text);
  if (filter) return choiceOf(filter[1], filter[2], filter[3]);
  return choiceOf(text, "true", "false");
}

function choiceOf(condition = "", yes = "", no = ""): Choice | undefined {
  const tested = conditionIn(condition);
  const [first, second] = [literalIn(yes), literalIn(no)];
  if (!tested || first === undefined) return undefined;
  if (second === "" || isFormerState(no)) return { condition: tested, yes: first, no: undefined };
  return second === undefined ? undefined : { condition: tested, yes: first, no: second };
}

/** `states('binary_sensor.x')` and `this.state` are what the sensor was before the message. */
function isFormerState(text: string): boolean {
  return /^(?:\{\{-? ?)?(?:states ?\([^(){}]*\)|this\.state)(?: ?-?\}\})?$/.test(text.trim());
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

/** The path of the only value that a template reads, whatever it does with it. */
function onlyPathIn(template: string): string | undefined {
  const used = template.match(/value_json(?:\.get\([^()]*\)|\.\w+|\[[^[\]]*\])+/g) ?? [];
  const paths = new Set(used.map((one) => valueIn(one)?.path));
  return paths.size === 1 ? [...paths][0] : undefined;
}
