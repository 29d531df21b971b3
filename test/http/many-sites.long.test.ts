import { statSync } from "node:fs";
import { join } from "node:path";
import request from "supertest";
import { beforeEach, describe, expect, test } from "vitest";
import { PASSWORD, TEST_ACCOUNTS, TestApp, TESTER, testOfSite } from "../support/app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A dispatch centre with many sites, several of them behind one address. */

const SHARED = "10.0.0.1";
const PAGE_BYTES = 4096;
/** More than twenty comparisons take two seconds, and minutes on a busy machine. */
const SLOW_MS = 300_000;
let centre: TestApp;

beforeEach(async () => {
  centre = await TestApp.forTest();
  for (const name of ["old", "neighbour", "new"])
    await centre.parts.accounts.add({ email: siteOf(name), role: "operator", password: PASSWORD }, TESTER);
});

function siteOf(name: string): string {
  return `${name}@site.example`;
}

/** @returns `in`, or the reason of the failure */
async function signIn(name: string, password = PASSWORD, token?: string): Promise<string> {
  try {
    await centre.tokens.signIn(siteOf(name), password, SHARED, token);
    return "in";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe("a site with an old password", () => {
  test(
    "locks out neither other sites at its address nor a new one",
    async () => {
      await signIn("neighbour");
      // Each attempt is made after the maximum wait, so it is compared and counted.
      for (let attempt = 0; attempt < 30; attempt += 1) {
        await signIn("old", "not any longer");
        centre.clock.advance(900_000);
      }
      expect(await signIn("neighbour")).toBe("in");
      expect(await signIn("new")).toBe("in");
    },
    SLOW_MS,
  );

  test("is slowed down, and can sign in with the right one after the wait", async () => {
    for (let attempt = 0; attempt < 6; attempt += 1) await signIn("old", "not any longer");
    expect(await signIn("old")).toBe("too-many-requests");
    centre.clock.advance(30_000);
    expect(await signIn("old")).toBe("in");
  });
});

describe("an address that guesses many names", () => {
  beforeEach(async () => {
    for (let guess = 0; guess < 21; guess += 1) await signIn(`guess-${guess}`, "x");
  }, SLOW_MS);

  test("is blocked for unknown accounts", async () => {
    expect(await signIn("new")).toBe("too-many-requests");
  });

  test("is not blocked for a site that presents its own token", async () => {
    const { token } = await centre.tokens.signIn(siteOf("new"), PASSWORD, "10.0.0.2");
    expect(await signIn("neighbour", PASSWORD, token)).toBe("too-many-requests");
    expect(await signIn("new", PASSWORD, `${token}x`)).toBe("too-many-requests");
    expect(await signIn("new", PASSWORD, token)).toBe("in");
  });

  test("is still limited for a client that presents a token", async () => {
    const { token } = await centre.tokens.signIn(siteOf("new"), PASSWORD, "10.0.0.2");
    for (let guess = 0; guess < 5; guess += 1)
      expect(await signIn("new", "x", token)).toBe("unauthenticated");
    expect(await signIn("new", PASSWORD, token)).toBe("too-many-requests");
  });
});

describe("a verified password", () => {
  const attempt = (password: string) =>
    request(centre.app)
      .post("/auth/token")
      .send({ email: siteOf("new"), password });

  test("permits three hundred concurrent sign-ins", async () => {
    await attempt(PASSWORD).expect(200);
    const answers = await Promise.all(Array.from({ length: 300 }, () => signIn("new")));
    expect(new Set(answers)).toEqual(new Set(["in"]));
  });

  testOfSite(
    "has each of three hundred sign-ins in the event log, and few of them cause an fsync of their own",
    async () => {
      const folder = temporaryFolder();
      const path = join(folder, "santinela.db");
      const own = await TestApp.make({}, path);
      try {
        await own.token();
        own.database.pragma("wal_checkpoint(TRUNCATE)");
        await Promise.all(
          Array.from({ length: 300 }, () => own.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, SHARED)),
        );
        // Each commit writes at least five pages of tables and indexes.
        expect(statSync(`${path}-wal`).size).toBeLessThan(300 * PAGE_BYTES);
        const entries = own.events.newest(300).map(({ event, who, from }) => ({ event, who, from }));
        expect(entries).toEqual(
          Array.from({ length: 300 }, () => ({
            event: "signed-in",
            who: TEST_ACCOUNTS.operator,
            from: SHARED,
          })),
        );
      } finally {
        await own.close();
      }
    },
  );

  test("is invalid after a change of the password", async () => {
    await attempt(PASSWORD).expect(200);
    await centre.parts.accounts.setPassword(siteOf("new"), "another correct horse", TESTER);
    await attempt(PASSWORD).expect(401);
    await attempt("another correct horse").expect(200);
    await attempt("another correct horse").expect(200);
  });

  test("is invalid while the account is disabled", async () => {
    await attempt(PASSWORD).expect(200);
    await centre.parts.accounts.setDisabled(siteOf("new"), true, TESTER);
    await attempt(PASSWORD).expect(401);
    await centre.parts.accounts.setDisabled(siteOf("new"), false, TESTER);
    await attempt(PASSWORD).expect(200);
  });

  test("does not make another one valid", async () => {
    await attempt(PASSWORD).expect(200);
    await attempt(`${PASSWORD} `).expect(401);
    await attempt(PASSWORD.slice(0, -1)).expect(401);
  });
});
