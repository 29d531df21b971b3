import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation, interventionsOf } from "../support/installation.ts";
import { uploaded } from "../support/uploaded-backup.ts";

/* A thread in a native call, such as the check of a large table, cannot be ended, and has its databases open until then. */

test("a restart that cannot end the thread of the records ends the process before the ordered restore, and the next start reports it", async () => {
  const installation = Installation.temporary();
  const site = installation.daemon(
    "site",
    `site: { locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}` +
      `zones: [ { id: hall, name: Hall, kind: motion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } } ]\n`,
  );
  const dataDir = join(installation.folder, "site");
  const post = (path: string, body: object) => askDaemon(dataDir, "POST", path, body);
  await site.start();
  const backup = join(installation.folder, "backup.db");
  await site.run(["backup", "--out", backup]);
  await site.end("SIGTERM");

  await site.start({ ...process.env, SANTINELA_FAILPOINT: "record-changed=block" });
  const { pid } = site;
  const copy = await uploaded(dataDir, readFileSync(backup));
  for (const contact of ["normal", "open"]) await post("/site/simulate", { zone: "hall", contact });
  // The failpoint follows the commit.
  await eventually("the record", async () => (await interventionsOf(site)).length === 1);
  expect((await post("/site/restore", { copy })).status).toBe(202);
  await site.exited();
  await site.start();
  expect(site.pid).not.toBe(pid);
  const { conditions } = await site.get<StatusView>("/site/status");
  expect(conditions).toMatchObject([
    { code: "restore-failed", text: expect.stringContaining("upload the backup again") },
  ]);
  expect((await interventionsOf(site)).map(({ name }) => name)).toEqual([expect.stringContaining("Hall")]);
}, 180_000);
