import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "santinela.yaml");
});

const load = (zone: string): Config => {
  writeFileSync(
    file,
    `mqtt: off\nobjectives: { obiective/cladiri: [{ id: 1, name: Hall }] }\nzones:\n  - id: a\n    name: A\n    kind: intrusion\n    objective: { type: obiective/cladiri, id: 1 }\n    input: { gpio: 1 }\n${zone}`,
  );
  return loadConfiguration({ file, env: {}, cwd: folder });
};

describe.each([
  ["lostGraceS", "unavailableGraceS", "    {}: 30\n", "", "9:5"],
  ["silenceS", "supervisionTimeoutS", "    {}: 900\n", "", "9:5"],
  ["slowOk", "allowSlow", "    minOpenMs: 500\n    {}: true\n", "", "10:5"],
  ["bootSettleS", "powerUpDelayS", "    {}: 7\n", "", "9:5"],
  ["quietResetS", "resetAfterQuietS", "    swinger: { {}: 7200 }\n", "swinger.", "9:16"],
])("the former name %s of %s", (former, name, yaml, section, place) => {
  test("has the same effect, and a warning names the new one", () => {
    const { warnings: none, ...expected } = load(yaml.replace("{}", name));
    const { warnings, ...config } = load(yaml.replace("{}", former));
    expect(config).toEqual(expected);
    expect(none).toEqual([]);
    expect(warnings).toEqual([
      `${file}:${place}: zones[0].${section}${former}: ${former} is now called ${name}; the next release rejects the old name. Rename it to ${name}`,
    ]);
  });

  test("is an error beside the new name", () => {
    const option = /\{\}: \w+/.exec(yaml)?.[0] ?? "";
    const separator = section === "" ? "\n    " : ", ";
    const both = yaml.replace(
      option,
      [option.replace("{}", former), option.replace("{}", name)].join(separator),
    );
    expect(() => load(both)).toThrow(
      `${file}:${place}: zones[0].${section}${former}: ${former} is the former name of ${name}, which is set as well. Remove ${former}`,
    );
  });
});

test("a former name behind an alias is found", () => {
  const { zones, warnings } = load(
    "    swinger: &quiet { quietResetS: 7200 }\n  - id: b\n    name: B\n    kind: intrusion\n    objective: { type: obiective/cladiri, id: 1 }\n    input: { gpio: 2 }\n    swinger: *quiet\n",
  );
  expect(zones.map(({ swinger }) => swinger?.resetAfterQuietMs)).toEqual([7_200_000, 7_200_000]);
  expect(warnings).toHaveLength(1);
});
