import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD, ROOT } from "../paths.ts";
import type { Contender, ContenderName, Setting, Site } from "./contender.ts";
import { prepare, santinela } from "./santinela.ts";

/** An optimisation of the daemon, and the change of the built program that removes it. */
export interface Ablation {
  readonly name: ContenderName;
  /** The load that shows its effect. */
  readonly shownBy: "requests" | "trips";
  readonly changes: readonly Change[];
}

interface Change {
  /** Below the folder of the compiled modules. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly text: string;
  readonly instead: string;
}

const TOKEN_CACHE: Change = {
  file: "service/signed-tokens.js",
  text: "this.#verified.set(token, claims);",
  instead: "",
};

/** A commit for each job, instead of one for all jobs of a turn of the event loop. */
const SHARED_COMMIT: Change = {
  file: "store/group-commit.js",
  text: "this.#clock.afterEventLoopTurn(() => this.#flush());",
  instead: "this.#flush();",
};

/** The product has no switches: each ablation is a copy of the built program with one or two changed lines. */
export const ABLATIONS: readonly Ablation[] = [
  { name: "without-token-cache", shownBy: "requests", changes: [TOKEN_CACHE] },
  {
    name: "without-key-object",
    shownBy: "requests",
    changes: [
      TOKEN_CACHE,
      {
        file: "service/signed-tokens.js",
        text: "const claims = jwt.verify(token, key, {",
        instead: "const claims = jwt.verify(token, key.export().toString('latin1'), {",
      },
      {
        file: "service/signed-tokens.js",
        text: "return jwt.sign(",
        instead: "return ((claims, key, how) => jwt.sign(claims, key.export().toString('latin1'), how))(",
      },
    ],
  },
  {
    name: "without-typed-requests",
    shownBy: "requests",
    changes: [
      {
        file: "http/server.js",
        text: "{ ...OPTIONS, ...app.classes }",
        instead: "{ ...OPTIONS }",
      },
    ],
  },
  {
    name: "without-lean-answers",
    shownBy: "requests",
    changes: [{ file: "http/app.js", text: "installFastJson(app);", instead: "" }],
  },
  {
    name: "without-kept-statements",
    shownBy: "requests",
    changes: [
      {
        file: "store/database.js",
        text: "return this.database.prepare(sql);",
        instead: `const compiledBy = (compile) => ({
          pluck: () => compiledBy(() => compile().pluck()),
          ...Object.fromEntries(["run", "get", "all", "iterate"].map((name) => [name, (...given) => compile()[name](...given)])),
        });
        return compiledBy(() => this.database.prepare(sql));`,
      },
    ],
  },
  {
    name: "without-ordered-keys",
    shownBy: "requests",
    changes: [
      {
        file: "ops/secrets.js",
        text: "return orderedUuid(wallMs, randomUUID());",
        instead: "return randomUUID();",
      },
    ],
  },
  { name: "without-shared-commits", shownBy: "requests", changes: [SHARED_COMMIT] },
  {
    name: "without-shared-journal",
    shownBy: "trips",
    changes: [
      {
        file: "inputs/message-intake.js",
        text: "packet.qos < 2 && hasRoom",
        instead: "false",
      },
    ],
  },
  {
    name: "without-kept-connections",
    shownBy: "trips",
    changes: [{ file: "inputs/local-api.js", text: "keepIdleMs: LOOPBACK_IDLE_MS,", instead: "" }],
  },
  {
    name: "without-side-by-side",
    shownBy: "trips",
    changes: [
      {
        file: "inputs/trip-dispatcher.js",
        text: "this.#isAccepting ? !queue.isFull : queue.size === 0",
        instead: "queue.size === 0",
      },
    ],
  },
  {
    name: "without-remembered-records",
    shownBy: "trips",
    changes: [
      {
        file: "inputs/incident-correlator.js",
        text: "this.#cachedVersion(trip, interventionId) ?? ",
        instead: "",
      },
    ],
  },
];

/** The ablations of a load, as contenders. */
export function ablationContenders(shownBy: Ablation["shownBy"]): Contender[] {
  return ABLATIONS.filter((one) => one.shownBy === shownBy).map(({ name, changes }) => ({
    name,
    missing: () => santinela.missing(),
    prepare: (setting) => prepareWithout(setting, changes),
  }));
}

function prepareWithout(setting: Setting, changes: readonly Change[]): Promise<Site> {
  // Below the repository, so that it finds the packages.
  const [modules, program] = [join(setting.folder, "build"), join(setting.folder, "dist")];
  cpSync(BUILD, modules, { recursive: true });
  for (const { file, text, instead } of changes) {
    const path = join(modules, file);
    writeFileSync(path, changed(readFileSync(path, "utf8"), text, instead));
  }
  execFileSync(process.execPath, [join(ROOT, "scripts", "bundle", "bundle.mjs"), modules, program]);
  return prepare(setting, [], join(program, "main.js"));
}

/**
 * A file with one text replaced.
 * @throws Error if it does not occur exactly once: the measurement would be wrong
 */
export function changed(file: string, text: string, instead: string): string {
  const [before, after, ...more] = file.split(text);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the built program does not have exactly one ${JSON.stringify(text)}`);
  return `${before}${instead}${after}`;
}
