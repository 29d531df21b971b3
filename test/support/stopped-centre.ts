import { join } from "node:path";
import request from "supertest";
import { prepareDataDir, signingKeys } from "../../src/ops/secrets.ts";
import { OPERATOR_USER, PATROL, TEST_ACCOUNTS, TESTER, TestApp } from "./app.ts";
import { claim, codeFor, enrolled, signIn } from "./enrolled-site.ts";
import { REPORT } from "./fleet.ts";

/** The records of a stopped centre without further ones: all rows, and the deleted ones of them. */
export const OWN_RECORDS = { rows: 3, deleted: 1 } as const;

/**
 * Fills the data directory of a dispatch centre on SQLite as its users and sites do, and stops it: records with changes, deletions
 * and keys, accounts with and without a scope, an enrolled site with reports, a free code, sign-ins with wrong passwords.
 * @param more further records
 */
export async function stoppedCentre(dataDir: string, more = 0): Promise<void> {
  prepareDataDir(dataDir);
  signingKeys(dataDir, () => {});
  const centre = await TestApp.make({}, join(dataDir, "santinela.db"));
  const operator = await centre.token();
  const as = (token: string, method: "post" | "put" | "delete", path: string, body?: object) =>
    request(centre.app)[method](path).set("Authorization", `Bearer ${token}`).send(body);
  const { body: first } = await as(operator, "post", "/interventii", {
    ...PATROL,
    name: "Ușa din spate",
    dateStart: "2026-03-01T08:00:00",
    police: true,
  })
    .set("Idempotency-Key", "8a1f2c74-7f0e-4d7e-9a52-6a3f1c0b5d11")
    .expect(201);
  await as(operator, "put", `/interventii/${first.id}`, { status: "done", notes: "văzut\n100%" }).expect(200);
  const { body: deleted } = await as(operator, "post", "/interventii", PATROL).expect(201);
  await as(operator, "delete", `/interventii/${deleted.id}`).expect(204);
  centre.accounts.setObjectives(TEST_ACCOUNTS.viewer, [{ type: "obiective/cladiri", id: 2 }], TESTER);
  const site = await enrolled(centre, "hala-nord", ["obiective/cladiri/1", "obiective/bunuri/2"]);
  await as(site, "post", "/site-reports", { ...REPORT, at: centre.clock.wallMs() }).expect(204);
  await as(site, "post", "/site-reports", {
    ...REPORT,
    at: centre.clock.wallMs(),
    level: "attention",
  }).expect(204);
  await as(site, "post", "/interventii", { ...PATROL, name: "Of the site" }).expect(201);
  await codeFor(centre, "hala-sud", ["obiective/persoane/3"]);
  await claim(centre, "abcde-fghjk-mnpqr-stuvw", "hala-sud").expect(403);
  await signIn(centre, TEST_ACCOUNTS.operator, "wrong").expect(401);
  await Promise.all(
    Array.from({ length: more }, (_, number) =>
      centre.parts.records.create(
        { ...PATROL, name: `Patrol ${number}`, crews: 1 + (number % 9), ambulance: number % 2 === 0 },
        OPERATOR_USER,
        { key: `key-${number}`, fingerprint: "f" },
      ),
    ),
  );
  await centre.close();
}
