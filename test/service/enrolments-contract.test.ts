import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Remote } from "../../src/domain/remote.ts";
import type { AccountService } from "../../src/service/accounts.ts";
import type { Enrolments } from "../../src/service/enrolments.ts";
import { SqliteSignIns, type SignIns } from "../../src/service/sign-ins.ts";
import { TESTER, TestApp } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres, type PostgresServer } from "../support/postgres.ts";

/* What every database of the accounts of sites must do. */

interface Adapter {
  readonly enrolments: Enrolments;
  readonly accounts: Remote<AccountService>;
  readonly signIns: SignIns;
  /** As it was possible in earlier releases. */
  readonly makeViewer: (email: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function inSqlite(): Promise<Adapter> {
  const app = await TestApp.make();
  const demote = app.database.prepare("UPDATE accounts SET role = 'viewer' WHERE email = ?");
  return {
    ...app.parts,
    signIns: new SqliteSignIns(app),
    makeViewer: async (email) => demote.run(email),
    close: () => app.close(),
  };
}

async function inPostgres(server: PostgresServer): Promise<Adapter> {
  const centre = await PostgresCentre.open(await server.newDatabase());
  await centre.accounts.add(
    { email: "admin@test.example", role: "administrator", password: PASSWORD },
    TESTER,
  );
  const { enrolments, accounts, signIns, connections } = centre;
  const makeViewer = (email: string): Promise<unknown> =>
    connections.writes.query("UPDATE accounts SET role = 'viewer' WHERE email = $1", [email]);
  return { enrolments, accounts, signIns, makeViewer, close: () => centre.close() };
}

const PASSWORD = "x7kq-2mvnp-r9dtb-h4wcs";
const OBJECTIVES: [string] = ["obiective/cladiri/1"];

describe("SQLite", () => contract(inSqlite));
describeOnPostgres("PostgreSQL", (server) => contract(() => inPostgres(server)));

function contract(open: () => Promise<Adapter>): void {
  let adapter: Adapter;
  let enrolments: Enrolments;
  beforeAll(async () => {
    adapter = await open();
    ({ enrolments } = adapter);
    for (const site of ["d-invited", "B-enrolled", "a-revoked", "c-again"]) await invite(site);
    for (const site of ["B-enrolled", "a-revoked", "c-again"]) await claim(site);
    await enrolments.revoke("a-revoked", TESTER);
    await invite("c-again");
  });
  afterAll(() => adapter.close());

  const codes = new Map<string, string>();
  const invite = async (site: string): Promise<void> => {
    const { code } = await enrolments.invite({ site, objectives: OBJECTIVES, transfer: true }, TESTER);
    codes.set(site, code);
  };
  const claim = (site: string) =>
    enrolments.claim({ code: codes.get(site) ?? "", site, password: `${PASSWORD}-${site}` }, "192.0.2.7");
  const page = async (start: number, end: number) => {
    const { sites, total } = await enrolments.page({ start, end });
    return [sites.map(({ site, state, codeExpiresAt }) => [site, state, codeExpiresAt !== null]), total];
  };

  test("the sites with an account or a code are read in slices, by the letters of their references", async () => {
    const all = [
      ["B-enrolled", "enrolled", false],
      ["a-revoked", "revoked", false],
      ["c-again", "enrolled", true],
      ["d-invited", "invited", true],
    ];
    expect(await page(0, 1000)).toEqual([all, 4]);
    expect(await page(1, 3)).toEqual([all.slice(1, 3), 4]);
    expect(await page(3, 2)).toEqual([[], 4]);
    expect(await page(4, 9)).toEqual([[], 4]);
  });

  test("a site whose address is that of another site or of a user gets no code, and no account with an earlier code", async () => {
    await expect(invite("b-enrolled")).rejects.toMatchObject({
      code: "conflict",
      message:
        "site b-enrolled would get the account b-enrolled@sites.santinela.local, which is that of site B-enrolled",
      hint: "Choose another site.ref: upper and lower case do not distinguish sites.",
    });
    await adapter.accounts.add(
      { email: "person@sites.santinela.local", role: "viewer", password: PASSWORD },
      TESTER,
    );
    await expect(invite("person")).rejects.toMatchObject({
      message: "site person would get the account person@sites.santinela.local, which is that of a user",
    });
    await invite("e-Twice");
    await invite("e-twice");
    await claim("e-Twice");
    await expect(claim("e-twice")).rejects.toMatchObject({
      code: "conflict",
      message:
        "site e-twice would get the account e-twice@sites.santinela.local, which is that of site e-Twice",
    });
  });

  test("the account of a site has objectives that exist, and never all of them: it could then use none", async () => {
    const email = "b-enrolled@sites.santinela.local";
    await expect(adapter.accounts.setObjectives(email, undefined, TESTER)).rejects.toMatchObject({
      code: "conflict",
      message: `${email} is the account of site B-enrolled, which needs objectives of its own`,
      hint: "Name them with --only.",
    });
    const unknown = [
      { type: "obiective/cladiri", id: 1 } as const,
      { type: "obiective/cladiri", id: 99 } as const,
    ];
    await expect(adapter.accounts.setObjectives(email, unknown, TESTER)).rejects.toMatchObject({
      code: "invalid",
      message: "objective obiective/cladiri/99 does not exist here",
    });
    expect((await adapter.signIns.byEmail(email))?.objectives).toEqual(unknown.slice(0, 1));
    await adapter.accounts.setObjectives(email, [{ type: "obiective/cladiri", id: 2 }], TESTER);
    expect((await adapter.signIns.byEmail(email))?.objectives).toEqual([
      { type: "obiective/cladiri", id: 2 },
    ]);
  });

  test.each(["administrator", "viewer"] as const)("the account of a site cannot become %s", async (role) => {
    const email = "b-enrolled@sites.santinela.local";
    await expect(adapter.accounts.setRole(email, role, TESTER)).rejects.toMatchObject({
      code: "conflict",
      message: `${email} is the account of site B-enrolled, which is always operator`,
      hint: "To end its access, use santinela sites revoke; for a person, add an account.",
    });
    await adapter.accounts.setRole(email, "operator", TESTER);
  });

  test("a site that is enrolled again is operator, whatever an earlier release has made of its account", async () => {
    const email = "c-again@sites.santinela.local";
    await adapter.makeViewer(email);
    expect((await adapter.signIns.byEmail(email))?.role).toBe("viewer");
    await claim("c-again");
    expect((await adapter.signIns.byEmail(email))?.role).toBe("operator");
  });
}
