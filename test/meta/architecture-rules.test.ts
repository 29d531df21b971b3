import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { breaches } from "./architecture-rules.ts";
import { readSourceTree, sourceFile } from "./source-tree.ts";

const tree = readSourceTree(fileURLToPath(new URL("../../src/", import.meta.url)));

describe("the architecture rules", () => {
  test("the source tree keeps every rule", () => {
    expect(tree.length).toBeGreaterThan(30);
    expect(breaches(tree)).toEqual([]);
  });

  const planted: readonly [name: string, path: string, text: string, breach: RegExp][] = [
    [
      "the domain reaching for a package",
      "domain/zone.ts",
      'import ajv from "ajv";',
      /the domain imports no package/,
    ],
    [
      "the domain reaching for node",
      "domain/zone.ts",
      'import { join } from "node:path";',
      /the domain imports no package/,
    ],
    [
      "an input writing records itself",
      "inputs/x.ts",
      'import { A } from "../service/interventions.ts";',
      /inputs must not import service/,
    ],
    [
      "sync knowing the inputs",
      "sync/x.ts",
      'import type { A } from "../inputs/payload.ts";',
      /sync must not import inputs/,
    ],
    [
      "a lazy import over the border",
      "http/x.ts",
      'const x = await import("../sync/push.ts");',
      /http must not import sync/,
    ],
    [
      "SQLite outside the store",
      "http/x.ts",
      'import Sqlite from "better-sqlite3";',
      /better-sqlite3 may only be imported in store/,
    ],
    [
      "a package nobody decided on",
      "http/x.ts",
      'import _ from "lodash";',
      /lodash may only be imported in no folder yet/,
    ],
    ["a second clock", "sync/x.ts", "const now = Date.now();", /use the Clock port/],
    ["a second timer", "inputs/x.ts", "setTimeout(go, 5);", /use Clock.after/],
    ["chance that no test can fix", "sync/x.ts", "const r = Math.random();", /randomness passed in/],
    ["a hidden option", "sync/x.ts", "const d = process.env.DEBUG;", /use config/],
    ["an exit in the middle", "cli/x.ts", "process.exit(1);", /use main.ts/],
    ["a console line", "http/x.ts", "console.log(1);", /use ops\/log/],
    ["a silenced type error", "http/x.ts", "// @ts-ignore", /a type that fits/],
    ["a file with no noun", "http/helpers.ts", "", /not a noun of the trade/],
    [
      "the panel reaching into the daemon",
      "panel/x.tsx",
      'import type { A } from "../http/app.ts";',
      /panel must not import http\/app.ts/,
    ],
    [
      "the panel taking more than a type from the answers",
      "panel/x.tsx",
      'import { a, type A } from "../http/site/site-ports.ts";',
      /panel must not import http\/site\/site-ports.ts but for its types/,
    ],
    [
      "the panel bringing the domain into the browser",
      "panel/x.tsx",
      'const x = await import("../domain/trip.ts");',
      /panel must not import domain\/trip.ts but for its types/,
    ],
    ["a timer of the panel's own", "panel/x.tsx", "setInterval(go, 5);", /use Clock.after/],
    ["a room nobody planned", "plugins/x.ts", "", /no room of this house/],
    ["a file everybody adds to", "http/x.ts", "\n".repeat(300), /more than 250/],
    [
      "a function that does not fit the screen",
      "http/x.ts",
      `function f() {\n${"  f();\n".repeat(80)}}\n`,
      /a function of 82 lines/,
    ],
  ];
  test.each(planted)("catches %s", (_name, path, text, breach) => {
    expect(breaches([sourceFile(path, text)]).join("\n")).toMatch(breach);
  });

  test("prose about a banned call is not a violation", () => {
    const text =
      '// Date.now() steps\nconst help = "see Math.random() and setTimeout(";\n/* process.exit(1) */\n';
    expect(breaches([sourceFile("sync/x.ts", text)])).toEqual([]);
  });
});
