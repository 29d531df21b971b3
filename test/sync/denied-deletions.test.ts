import { beforeEach, expect, test } from "vitest";
import { OPERATOR_USER, TEST_ACCOUNTS, TestApp, TESTER } from "../support/app.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A centre where only administrators may delete, and a site that has deleted several records. */

let centre: TestApp;
let site: SyncingSite;
beforeEach(async () => {
  centre = await TestApp.make({ deleteNeedsAdministrator: true });
  site = await SyncingSite.at(centre);
});

test("eight denied deletions pause nothing: the link stays up, and a ninth record arrives", async () => {
  const deleted = Array.from({ length: 8 }, (_none, index) => site.create({ name: `Call ${index + 1}` }));
  await site.push.cycle();
  for (const { id } of deleted) site.app.interventions.delete(id, OPERATOR_USER);
  await site.push.cycle();
  for (const { id } of deleted)
    expect(site.entry(id)).toMatchObject({ phase: "linked", lastCode: "403", attempts: 1 });
  expect(site.link.state).toMatchObject({ state: "up", waitMs: 0 });
  expect(site.conditions()).toEqual([]);

  const ninth = site.create({ name: "Call 9" });
  await site.push.cycle();
  expect(site.entry(ninth.id).phase).toBe("linked");
  expect(centre.records()).toHaveLength(9);
});

test("denied deletions do not hide that the account has lost all its rights", async () => {
  const { id } = site.create();
  await site.push.cycle();
  site.app.interventions.delete(id, OPERATOR_USER);
  centre.accounts.setDisabled(TEST_ACCOUNTS.operator, true, TESTER);
  await site.push.cycle();
  expect(site.link.state.state).toBe("down");
  expect(site.conditions()).toEqual(["upstream-authentication-failed"]);
});
