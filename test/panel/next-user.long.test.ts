import { beforeEach, afterEach, expect, test } from "vitest";
import type { Intervention } from "../../src/generated/types.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { editableSite, PanelSite, signIn } from "../support/panel-site.ts";

const NEXT = { email: "next@site.example", password: "another horse battery staple" } as const;

describeWithBrowser("what a user began before signing out", () => {
  const site = PanelSite.running("", editableSite("id: usa, name: Ușa, kind: intrusion"));
  let page: PanelPage;
  beforeEach(async () => {
    page = await site.page();
    await page.screen("status").complete();
  });
  afterEach(async () => {
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });

  /** The other account signs in in the same tab. */
  const signInNext = async (): Promise<void> => {
    await signIn(page, NEXT.password, NEXT.email);
    await page.banner.badge("live").shown();
  };

  test("is not finished in the name of the next user", async () => {
    await site.daemon.addAccount(NEXT, "administrator");
    await site.daemon.run(["trip", "--zone", "usa"]);
    const record = await page.open("interventions/1");
    await record.button("in progress").shown();
    await record.complete();
    const slow = await page.holdResponses("**/interventii/1");
    await record.button("in progress").click();
    await slow.held();
    await page.signOut();
    await page.screen("sign-in").complete();
    await signInNext();
    slow.release();
    await record.heading(/^#1 /).shown();
    await page.reload();
    await record.complete();
    expect(await site.daemon.get<Intervention[]>("/interventii")).toMatchObject([{ status: "planned" }]);
  });

  test("does not bring the former user back with a new password", async () => {
    const first = { email: "first@site.example", role: "operator", password: "given by word of mouth" };
    await site.control.post("/site/accounts", first);
    await page.signOut();
    await signIn(page, first.password, first.email);
    const form = page.screen("first-password");
    const slow = await page.holdResponses("**/site/password");
    await form.input("current").fill(first.password);
    await form.input("new").fill(NEXT.password);
    await form.input("repeat").fill(NEXT.password);
    await form.button("Set password").click();
    await slow.held();
    await form.button("Sign out").click();
    await page.screen("sign-in").complete();
    await signIn(page);
    await page.menu.text(EDGE.email).shown();
    slow.release();
    await page.banner.badge("live").shown();
    await page.reload();
    await page.menu.text(EDGE.email).shown();
  });

  test("is not announced to the next user", async () => {
    const form = await page.open("zones/form?zone=usa");
    await form.field("Name").fill("Ușa mare");
    await form.button("Review the change").click();
    const review = page.screen("zones/review");
    const slow = await page.holdResponses("**/site/configuration/apply");
    await review.field("Your password").fill(EDGE.password);
    await review.button("Save").click();
    await slow.held();
    await page.signOut();
    await page.screen("sign-in").complete();
    slow.release();
    await signInNext();
    expect(await page.notice.words()).toBe("");
  });
});
