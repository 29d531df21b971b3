import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { centreChecks } from "../../src/cli/centre-checks.ts";
import type { Config } from "../../src/config/config.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";
import { claim, codeFor, SITE_PASSWORD } from "../support/enrolled-site.ts";
import { REPORT } from "../support/fleet.ts";
import { close, listen } from "../support/loopback.ts";

/* Whether the centre has a site under its reference: one that was changed after the enrolment makes the site silent there. */

let centre: TestApp;
let server: Server;
let email: string;
beforeEach(async () => {
  centre = await TestApp.forTest();
  server = createServer(centre.app);
  await listen(server);
  const code = await codeFor(centre, "hala-nord", ["obiective/cladiri/1"]);
  ({ email } = (await claim(centre, code, "hala-nord").expect(201)).body as { email: string });
});
afterEach(() => close(server));

/** Checks the centre with the configuration of a site. */
async function check(ref: string, account = { email, password: SITE_PASSWORD }): Promise<string> {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { upstream: { baseUrl, ...account }, site: { ref }, zones: [] } as unknown as Config;
  return (await centreChecks(config)).map(({ status, text }) => `${status} ${text}`).join("\n");
}

async function report(): Promise<void> {
  const { token } = await centre.tokens.signIn(email, SITE_PASSWORD);
  await centre.parts.fleet.report(REPORT, await centre.tokens.verify(token, ""));
}

test("a reference that was changed after the enrolment is named together with that of the centre", async () => {
  await report();
  expect(await check("hala-nord")).toMatch(/^ok .* returns interventions$/);
  expect(await check("hala-noua")).toMatch(
    /\nerror has this account for site hala-nord, and site\.ref is hala-noua: it rejects the reports/,
  );
});

test("a site with the account of a person, which sees all sites, is not compared with the sites of others", async () => {
  await report();
  const account = { email: TEST_ACCOUNTS.operator, password: PASSWORD };
  expect(await check("depozit", account)).toMatch(/^ok .* returns interventions$/);
});

test("a wrong reference is named right after the enrolment, before the first report", async () => {
  expect(await check("hala-nord")).toMatch(/^ok .* returns interventions$/);
  expect(await check("Hala-Nord")).toMatch(
    /\nerror has this account for site hala-nord, and site\.ref is Hala-Nord: it rejects the reports/,
  );
  expect(await check("hala-noua")).toMatch(
    /\nerror has this account for site hala-nord, and site\.ref is hala-noua: it rejects the reports/,
  );
});

test("a centre of an earlier release, which does not tell the reference of an account, has it in lower case", async () => {
  const older = createServer((request, response) => {
    if (request.url === "/site/account") response.writeHead(404).end();
    else centre.app(request, response);
  });
  await listen(older);
  onTestFinished(() => close(older));
  const baseUrl = `http://127.0.0.1:${(older.address() as AddressInfo).port}`;
  const checks = (ref: string) =>
    centreChecks({
      upstream: { baseUrl, email, password: SITE_PASSWORD },
      site: { ref },
      zones: [],
    } as unknown as Config);
  expect(await checks("Hala-Nord")).toMatchObject([{ status: "ok" }]);
  expect((await checks("hala-noua"))[1]).toMatchObject({
    status: "error",
    remedy: expect.stringContaining("sites invite was called (here in lower case: hala-nord)") as string,
  });
});
