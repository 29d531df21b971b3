/** An English text of the daemon with its placeholders, and the same in another language. */
export type Translation = readonly [from: string, to: string];

interface Pattern {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly to: string;
}

/** Longest text that is translated; the daemon's own are shorter. */
const LENGTH_MAX = 2_000;
/** Texts whose translation is kept: the same ones are drawn again at each change, and a list has hundreds of them. */
const KEPT_MAX = 2_000;
/** Depth to which values of a text are translated. */
const DEPTH_MAX = 4;

/**
 * Translates what the daemon says in English: the messages of refusals, errors of the configuration, reasons. A value in
 * braces is translated too if it is known; `{problem}` must be, and `{description}` is left out otherwise.
 * @returns a function that gives undefined for a text that is not in the list
 */
export function translator(translations: readonly Translation[]): (text: string) => string | undefined {
  const hasValues = ([from]: Translation): boolean => /\{\w+\}/.test(from);
  const whole = new Map(translations.filter((one) => !hasValues(one)));
  const patterns = translations.filter(hasValues).map(patternOf);

  const translate = (text: string, depth: number): string | undefined => {
    const bare = text.replace(/\.$/, "");
    const known = whole.get(bare);
    if (known !== undefined || depth > DEPTH_MAX) return known;
    return inParts(text, "; ", depth) ?? inParts(text, ". ", depth) ?? byPattern(bare, depth);
  };
  /** Several texts joined: all of them must be known, else a part of another text has been cut off. */
  const inParts = (text: string, joint: string, depth: number): string | undefined => {
    const parts = text.split(joint);
    if (parts.length === 1) return undefined;
    const said = parts.map((part) => translate(part, depth + 1));
    if (!said.every((part) => part !== undefined)) return undefined;
    return said
      .map((part, at) => (at > 0 && /^[A-Z]/.test(parts[at] ?? "") ? capitalised(part) : part))
      .join(joint);
  };
  const byPattern = (text: string, depth: number): string | undefined => {
    for (const { pattern, names, to } of patterns) {
      const [, ...values] = pattern.exec(text) ?? [];
      if (values.length === 0) continue;
      const said = values.map((value) => translate(value, depth + 1));
      // What the pattern leaves to another text of the daemon must be one that is known.
      if (names.some((name, at) => name === "problem" && said[at] === undefined)) continue;
      const filled = to.replace(/\{(\w+)\}/g, (_whole, name: string) => {
        const at = names.indexOf(name);
        // An explanation in another language would only confuse.
        return said[at] ?? (name === "description" ? "" : (values[at] ?? ""));
      });
      return filled.replace(/\. $/, "");
    }
    return undefined;
  };
  const kept = new Map<string, string | undefined>();
  return (text) => {
    if (text.length > LENGTH_MAX) return undefined;
    if (kept.has(text)) return kept.get(text);
    if (kept.size >= KEPT_MAX) kept.clear();
    const said = translate(text, 0);
    kept.set(text, said);
    return said;
  };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The name of a field or option is one word; numbers are a list such as `7, 12-15`; a quoted one has its quotation marks. */
const SHAPES: Readonly<Record<string, string>> = {
  field: "([^\\s:]+?)",
  option: "(\\S+?)",
  numbers: "([\\d, …-]+)",
  quotedId: '(".+?")',
};

function patternOf([from, to]: Translation): Pattern {
  const names = (from.match(/\{\w+\}/g) ?? []).map((name) => name.slice(1, -1));
  const source = from
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\\\{(\w+)\\\}/g, (_whole, name: string) => SHAPES[name] ?? "(.+?)");
  return { pattern: new RegExp(`^${source}$`), names, to };
}
