import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { violations } from "./architecture-rules.ts";
import { readSourceTree, sourceFile } from "./source-tree.ts";

const tree = readSourceTree(fileURLToPath(new URL("../../src/", import.meta.url)));

describe("the architecture rules", () => {
  test("the source tree keeps every rule", () => {
    expect(tree.length).toBeGreaterThan(30);
    expect(violations(tree)).toEqual([]);
  });

  const planted: readonly [name: string, path: string, text: string, violation: RegExp][] = [
    [
      "the domain reaching for a package",
      "domain/zone.ts",
      'import ajv from "ajv";',
      /the domain must not import packages/,
    ],
    [
      "the domain reaching for node",
      "domain/zone.ts",
      'import { join } from "node:path";',
      /the domain must not import packages/,
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
      'import type { A } from "../inputs/mqtt-zones.ts";',
      /sync must not import inputs/,
    ],
    [
      "a dynamic import across modules",
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
      "an undeclared package",
      "http/x.ts",
      'import _ from "lodash";',
      /lodash may only be imported in no directory yet/,
    ],
    ["a second clock", "sync/x.ts", "const now = Date.now();", /use the Clock port/],
    ["a second timer", "inputs/x.ts", "setTimeout(go, 5);", /use Clock.after/],
    [
      "randomness that a test cannot control",
      "sync/x.ts",
      "const r = Math.random();",
      /randomness passed in/,
    ],
    ["a hidden option", "sync/x.ts", "const d = process.env.DEBUG;", /use config/],
    ["an exit outside of main", "cli/x.ts", "process.exit(1);", /use main.ts/],
    ["a console line", "http/x.ts", "console.log(1);", /use ops\/log/],
    ["a silenced type error", "http/x.ts", "// @ts-ignore", /a type that fits/],
    ["a file without a domain name", "http/helpers.ts", "", /not a domain term/],
    [
      "the panel importing from the daemon",
      "panel/x.tsx",
      'import type { A } from "../http/app.ts";',
      /panel must not import http\/app.ts/,
    ],
    [
      "the panel importing more than types of responses",
      "panel/x.tsx",
      'import { a, type A } from "../site/zone-view.ts";',
      /panel must not import site\/zone-view.ts but for its types/,
    ],
    [
      "the panel importing types of components",
      "panel/x.tsx",
      'import type { A } from "../site/zones.ts";',
      /panel must not import site\/zones.ts$/m,
    ],
    [
      "the panel importing domain code",
      "panel/x.tsx",
      'const x = await import("../domain/trip.ts");',
      /panel must not import domain\/trip.ts but for its types/,
    ],
    ["a timer of the panel's own", "panel/x.tsx", "setInterval(go, 5);", /use Clock.after/],
    ["an unknown module", "plugins/x.ts", "", /not a module of src/],
    ["a file over the size limit", "http/x.ts", "\n".repeat(300), /more than 250/],
    [
      "a function over the size limit",
      "http/x.ts",
      `function f() {\n${"  f();\n".repeat(80)}}\n`,
      /a function of 82 lines/,
    ],
  ];
  test.each(planted)("catches %s", (_name, path, text, violation) => {
    expect(violations([sourceFile(path, text)]).join("\n")).toMatch(violation);
  });

  test("prose about a banned call is not a violation", () => {
    const text =
      '// Date.now() steps\nconst help = "see Math.random() and setTimeout(";\n/* process.exit(1) */\n';
    expect(violations([sourceFile("sync/x.ts", text)])).toEqual([]);
  });
});
