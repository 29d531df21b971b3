import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* The intervals of reports at a site, and the times of silence at its dispatch centre. */

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder, "pw"), "secret\n", { mode: 0o600 });
});

const load = (yaml: string, env: Record<string, string> = {}): Config => {
  const file = join(folder, "santinela.yaml");
  writeFileSync(file, yaml);
  return loadConfiguration({ file, env, cwd: folder });
};
const upstream = (options = ""): string =>
  `upstream: { baseUrl: "http://127.0.0.1:1", email: a@b.example, passwordFile: pw${options} }\n`;

describe("a site reports", () => {
  // The column of docs/fleet.md.
  test.each([
    ["SP2", 3600],
    ["SP3", 900],
    ["SP4", 90],
    ["SP5", 45],
    ["SP6", 10],
    ["0", 0],
    ["7", 7],
  ])("with upstream.reportS: %s every %i s", (reportS, seconds) => {
    expect(load(upstream(`, reportS: ${reportS}`)).upstream?.reportS).toBe(seconds);
  });

  test("every minute by default, and as the environment says", () => {
    expect(load(upstream()).upstream?.reportS).toBe(60);
    expect(load(upstream(), { SANTINELA_UPSTREAM__REPORT_S: "SP6" }).upstream?.reportS).toBe(10);
  });

  test.each(["SP1", "SP7", "sp6", "soon", "3601", "-1"])("and never with %s", (reportS) => {
    expect(() => load(upstream(`, reportS: ${reportS}`))).toThrow(
      /santinela\.yaml:1:\d+: upstream\.reportS: /,
    );
  });
});

describe("a dispatch centre calls a site silent", () => {
  test("after ten minutes, with exceptions by the reference of the site", () => {
    expect(load("{}").fleet).toEqual({ silentS: 600, sites: {} });
    const sites = "sites: { bank-1: { silentS: SP6 }, Shed_2.b: { silentS: SP2 }, 12: { silentS: 30 } }";
    expect(load(`fleet: { silentS: SP4, ${sites} }`).fleet).toEqual({
      silentS: 180,
      sites: { "bank-1": 20, "Shed_2.b": 90_000, 12: 30 },
    });
  });

  test.each([
    ["{ bank-1: { silentS: SP1 } }", /2:22: fleet\.sites\.bank-1\.silentS: "SP1" does not match/],
    ["{ bank-1: { silentS: 1 } }", /2:22: fleet\.sites\.bank-1\.silentS: 1 is out of range/],
    ["{ bank-1: {} }", /2:12: fleet\.sites\.bank-1: silentS is missing/],
    ["{ bank-1: SP6 }", /fleet\.sites\.bank-1: must be a section/],
    ["{ bank-1: { silent: SP6 } }", /fleet\.sites\.bank-1\.silent: unknown option\. Did you mean silentS\?/],
    [
      '{ "bank 1": { silentS: SP6 } }',
      /fleet\.sites: "bank 1" does not match the expected format\. Use the site\.ref/,
    ],
    ["{ __proto__: { silentS: SP6 } }", /fleet\.sites: "__proto__" does not match/],
  ])("with sites: %s is an error at its place", (sites, message) => {
    expect(() => load(`fleet:\n  sites: ${sites}\n`)).toThrow(message);
  });
});
