import { parseArgs } from "node:util";
import { resolve } from "node:path";
import { CONTENDERS, type ContenderName } from "./contenders/contender.ts";
import { MEASURES, type MeasureName } from "./plan.ts";
import { RESULT_FILE } from "./result.ts";

export const HELP = `npm run bench [-- OPTIONS]

Compares Santinela with its peers on this machine and writes the result as JSON.

  --quick        one short round of each and a smaller table: ten to fifteen minutes instead of an hour or two
  --only LIST    of ${MEASURES.join(",")}: only these, separated by commas
  --peers LIST   only these peers, such as floor,node-red
  --profile      no measures: the daemon under V8's profiler, and its ten heaviest functions;
                 they are added to the existing result
  --out FILE     the result file [.bench/result.json]; an interrupted run leaves FILE.part with what was finished
  --help

It needs wrk (Debian: apt-get install wrk); mosquitto for "trip" and a C compiler for a slow fsync. Missing
programs are named and their measures skipped. \`npm run bench:report\` turns the result into docs/performance.md.
`;

const PEERS = (Object.keys(CONTENDERS) as ContenderName[]).filter((name) => name !== "machine");

export interface Command {
  readonly quick: boolean;
  readonly only: readonly MeasureName[];
  /** Undefined for all of them. */
  readonly peers: readonly ContenderName[] | undefined;
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
      peers: { type: "string" },
      profile: { type: "boolean", default: false },
      out: { type: "string", default: RESULT_FILE },
      help: { type: "boolean", default: false },
    },
  });
  const only = namesOf(values.only, "measure", MEASURES);
  const peers = values.peers === undefined ? undefined : namesOf(values.peers, "peer", PEERS);
  const { quick, profile, help } = values;
  return { quick, only, peers, profile, out: resolve(values.out), help };
}

function namesOf<Name extends string>(list: string, what: string, known: readonly Name[]): Name[] {
  return list.split(",").map((word) => {
    const found = known.find((name) => name === word.trim());
    if (found === undefined)
      throw new Error(`there is no ${what} "${word}"; choose from ${known.join(", ")}`);
    return found;
  });
}
