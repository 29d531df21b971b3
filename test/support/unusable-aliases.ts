/** A configuration text with an alias that cannot be resolved. */
interface UnusableAlias {
  readonly what: string;
  readonly yaml: string;
  readonly line: number;
  readonly column: number;
  /** The problem with its remedy. */
  readonly message: string;
}

const inside = (name: string): string => `alias *${name} is inside its own anchor; write the value out`;

export const UNUSABLE_ALIASES: readonly UnusableAlias[] = [
  {
    what: "an alias within its own anchor",
    yaml: "site: &site\n  name: *site\n",
    line: 2,
    column: 9,
    message: inside("site"),
  },
  {
    what: "a list that repeats itself",
    yaml: "zones: &zones [*zones]\n",
    line: 1,
    column: 16,
    message: inside("zones"),
  },
  {
    what: "a zone that contains itself",
    yaml: "zones:\n  - &z { id: a, name: A, input: *z }\n",
    line: 2,
    column: 33,
    message: inside("z"),
  },
  {
    what: "an alias without an anchor",
    yaml: "zones: []\nsite: *sit\n",
    line: 2,
    column: 7,
    message: "alias *sit has no anchor &sit before it; write the value out",
  },
  {
    what: "aliases of aliases that multiply",
    yaml: Array.from({ length: 9 }, (_, level) => {
      const items = Array.from({ length: 9 }, () => (level === 0 ? "x" : `*l${level - 1}`));
      return `l${level}: &l${level} [${items.join(", ")}]\n`;
    }).join(""),
    line: 6,
    column: 10,
    message: "with alias *l4 the aliases add more than 100000 values; write the values out",
  },
];
