import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { SyncPort } from "../../src/sync/sync-port.ts";
import { CurrentTransmitter } from "../../src/sync/transmitter/current-transmitter.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A site with a running centre that keeps no notes, so that the reference of the site is lost. */
async function newSite() {
  const centre = new NonconformingCentre();
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
  const create = () => site.interventions.create({ ...PATROL, priority: "high" }, OPERATOR_USER).record;
  return { site, database, conditions, upstream, port, create };
}

test("a reload that removes the dispatch centre ends every condition that is about it, also those of single records", async () => {
  const { site, database, conditions, port, create } = await newSite();
  const open = (): string[] => conditions.list().map(({ code, subject }) => `${code} ${subject}`);
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

test("a stop while another centre replaces the first one starts no further requests", async () => {
  const { upstream, port, create } = await newSite();
  const other = new NonconformingCentre();
  let asked = 0;
  other.read = () => {
    asked += 1;
    return json(200, []);
  };
  const baseUrl = await other.start();
  onTestFinished(() => other.stop());
  port.start();
  const exchanged = port.exchange({ ...upstream, baseUrl }, "proof");
  await port.stop();
  await exchanged;
  create();
  port.changed({ priority: "high" });
  await pause(300);
  expect([asked, other.requests]).toEqual([0, []]);
});
