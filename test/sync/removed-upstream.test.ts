import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { SyncPort } from "../../src/sync/sync-port.ts";
import { CurrentTransmitter } from "../../src/sync/transmitter/current-transmitter.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a reload that removes the dispatch centre ends every condition that is about it, also those of single records", async () => {
  const centre = new NonconformingCentre();
  // It keeps no notes, so the reference of the site is lost.
  centre.answer = ({ body }) => json(201, { id: 1, ...JSON.parse(body), notes: "" });
  const site = await TestApp.make();
  const { clock, database } = site;
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  const conditions = new ConditionRegistry(clock, log);
  const shared = {
    database,
    clock,
    log,
    conditions,
    random: () => 0.5,
    failpoint: () => {},
    isHeld: () => false,
    time: { isTrusted: () => true },
  };
  const transmitter = new CurrentTransmitter(null, [], {
    ...shared,
    journal: `${temporaryFolder()}/journal.db`,
  });
  const upstream = {
    baseUrl: await centre.start(),
    email: "site@centre.example",
    password: "correct horse battery",
    schedule: "* * * * *",
    objectives: "off",
    marker: "notes",
    timeoutS: 30,
    ca: undefined,
  } as const;
  const port = new SyncPort(upstream, transmitter, {
    ...shared,
    site: { ref: "proof", timezone: "Europe/Bucharest", locale: "en" },
    newKey: randomUUID,
  });
  onTestFinished(async () => {
    await port.stop();
    await centre.stop();
    await site.close();
  });
  const open = (): string[] => conditions.list().map(({ code, subject }) => `${code} ${subject}`);
  const create = () => site.interventions.create({ ...PATROL, priority: "high" }, OPERATOR_USER).record;
  const { id } = create();
  port.start();
  await eventually("the lost reference", () => open().includes("upstream-reference-lost "));
  // A memory card flips a bit in what is known of the record there.
  database.exec("UPDATE outbox SET base = 'z' || substr(base, 2)");
  site.interventions.update(id, { crews: 2 }, OPERATOR_USER);
  port.changed({ priority: "high" });
  await eventually("the damaged record", () => open().includes(`outbox-write-failed intervention ${id}`));
  await port.exchange(null, "proof");
  expect(open()).toEqual([]);
});
