import { expect, test } from "vitest";
import { attemptOf } from "../../src/service/sign-ins.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";

test("an attempt for an unknown account asks the database as much as one for an account that exists", async () => {
  const app = await TestApp.forTest();
  const address = "192.0.2.7";
  await app.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, address);
  const asked: string[] = [];
  const signIns = {
    byEmail: (email: string) => {
      asked.push(`account ${email}`);
      return app.signIns.byEmail(email);
    },
    hasSignedIn: (email: string, from: string) => {
      asked.push(`sign-ins ${email} ${from}`);
      return app.signIns.hasSignedIn(email, from);
    },
  };
  const isKnown: Record<string, boolean> = {};
  for (const email of [TEST_ACCOUNTS.operator, "unknown@test.example"])
    isKnown[email] = (await attemptOf(signIns, email, address, false)).isKnownAddress;
  expect(asked).toEqual([
    `account ${TEST_ACCOUNTS.operator}`,
    `sign-ins ${TEST_ACCOUNTS.operator} ${address}`,
    "account unknown@test.example",
    `sign-ins unknown@test.example ${address}`,
  ]);
  expect(isKnown).toEqual({ [TEST_ACCOUNTS.operator]: true, "unknown@test.example": false });
});
