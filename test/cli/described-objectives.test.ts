import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { ObjectiveStore } from "../../src/store/objectives.ts";
import { santinela } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const zone = (id: string, objective: number): string =>
  `  - { id: ${id}, name: A, kind: intrusion, objective: { type: obiective/cladiri, id: ${objective} }, input: { simulated: true } }\n`;

test("check-config warns of objectives that neither the file nor the data directory of the site has", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "var"), { mode: 0o700 });
  const database = openMainDatabase(join(folder, "var/santinela.db"));
  const store = new ObjectiveStore(database);
  store.put("obiective/cladiri", { id: 13, name: "Hala" }, "import");
  // The placeholder of a zone is no name.
  store.put("obiective/cladiri", { id: 14, name: "Clădire 14" }, "zone");
  database.close();
  writeFileSync(
    join(folder, "site.yaml"),
    `dataDir: ./var\nmqtt: off\nzones:\n${zone("a", 13)}${zone("b", 14)}${zone("c", 15)}`,
  );
  const { stderr } = await santinela(["check-config", "--config", "site.yaml"], { cwd: folder });
  expect(stderr.match(/objective \d+ of [^;]*/g)).toEqual([
    "objective 14 of obiective/cladiri is not in objectives",
    "objective 15 of obiective/cladiri is not in objectives",
  ]);
});
