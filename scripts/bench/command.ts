import { parseArgs } from "node:util";
import { resolve } from "node:path";
import { MEASURES, type MeasureName } from "./plan.ts";
import { RESULT_FILE } from "./result.ts";

export const HELP = `npm run bench [-- OPTIONS]

Measures Santinela and its peers side by side on this machine and writes the result as JSON.

  --quick        short rounds and a smaller table: a few minutes instead of an hour or two
  --only LIST    of ${MEASURES.join(",")}: only these, separated by commas
  --profile      no measures: the daemon under V8's profiler, and its ten heaviest functions;
                 they are added to the result that is there
  --out FILE     where the result goes [.bench/result.json]
  --help

It needs wrk (Debian: apt-get install wrk); mosquitto for "trip" and a C compiler for slow flushes. What is missing
is named and left out. \`npm run bench:report\` turns the result into docs/performance.md.
`;

export interface Command {
  readonly quick: boolean;
  readonly only: readonly MeasureName[];
  readonly profile: boolean;
  readonly out: string;
  readonly help: boolean;
}

/** @throws Error for words that it does not know */
export function commandOf(words: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: MEASURES.join(",") },
      profile: { type: "boolean", default: false },
      out: { type: "string", default: RESULT_FILE },
      help: { type: "boolean", default: false },
    },
  });
  const only = values.only.split(",").map((name) => {
    const known = MEASURES.find((measure) => measure === name.trim());
    if (!known) throw new Error(`there is no measure "${name}"; choose from ${MEASURES.join(", ")}`);
    return known;
  });
  const { quick, profile, help } = values;
  return { quick, only, profile, out: resolve(values.out), help };
}
