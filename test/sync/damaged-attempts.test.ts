import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatch centre of this project, which knows keys: a record without a response is sent again at once, with its key. */

let centre: TestApp;
let site: SyncingSite;
let isAnswerLost: boolean;

beforeEach(async () => {
  centre = await TestApp.make();
  isAnswerLost = false;
  site = await SyncingSite.through(centre, (request, response) => {
    if (!isAnswerLost || request.method !== "POST") return centre.app(request, response);
    // The record is stored there.
    response.write = () => true;
    response.end = () => response.destroy();
    centre.app(request, response);
  });
});

test.each([
  ["is no longer JSON", "{", "z"],
  ["is still JSON", '"objectiveType"', '"objectiveTxpe"'],
])("an alarm whose response was lost, and whose content %s, is there once", async (_what, from, to) => {
  // The centre has shown that it knows keys.
  site.create({ priority: "high" }, randomUUID());
  await site.push.cycle();
  isAnswerLost = true;
  const { id } = site.create({ name: "Alarm", priority: "high", notes: "by the gate" }, randomUUID());
  await site.push.cycle();
  expect(site.entry(id).phase).toBe("unsure");
  isAnswerLost = false;
  const { changes } = site.app.database
    .prepare("UPDATE outbox SET attempt_body = replace(attempt_body, ?, ?) WHERE intervention_id = ?")
    .run(from, to, id);
  expect(changes).toBe(1);
  site.restart();
  for (let hour = 0; hour < 3; hour += 1) {
    await site.cycleAfterWait();
    const names = centre.database.prepare("SELECT name FROM interventions WHERE deleted_at IS NULL").pluck();
    expect(names.all()).toEqual(["Patrol", "Alarm"]);
  }
  expect(site.entry(id).phase).toBe("linked");
});
