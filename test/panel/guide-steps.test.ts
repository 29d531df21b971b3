import { expect, test } from "vitest";
import { stepStates, type SetUpFacts } from "../../src/panel/guide-steps.ts";

const TESTED = { contact: "normal", testedAt: "2026-11-22T18:00:00.000Z" } as const;
const NEW = { contact: "normal", testedAt: null } as const;
const SITE: SetUpFacts = { isNamed: true, link: "up", objectives: 2, zones: [TESTED, TESTED] };

test("the set-up of a tested site is done", () => {
  expect(stepStates(SITE)).toEqual({
    site: "done",
    centre: "done",
    objectives: "done",
    zones: "done",
    walk: "done",
  });
});

test("a zone added after the walk test makes the test the next step of the set-up", () => {
  expect(stepStates({ ...SITE, zones: [TESTED, NEW] })).toMatchObject({ zones: "done", walk: "next" });
});

test("only the first step of the set-up that is not done is the next one", () => {
  expect(stepStates({ isNamed: false, link: "down", objectives: 0, zones: [] })).toEqual({
    site: "next",
    centre: "later",
    objectives: "later",
    zones: "later",
    walk: "later",
  });
});

test("a site without a dispatch centre is not held up by it in the set-up", () => {
  const states = stepStates({ isNamed: true, link: "none", objectives: 0, zones: [] });
  // The first zone brings the building.
  expect(states).toMatchObject({ centre: "unused", objectives: "later", zones: "next", walk: "later" });
});

test("the objectives are neither done nor the next step before they are counted, and nothing after them is", () => {
  const zones = [TESTED, NEW];
  expect(stepStates({ ...SITE, objectives: undefined, zones })).toEqual({
    site: "done",
    centre: "done",
    objectives: "unknown",
    zones: "done",
    walk: "later",
  });
  expect(stepStates({ ...SITE, objectives: undefined, link: "down" })).toMatchObject({
    centre: "next",
    objectives: "unknown",
  });
});

test("the zones are the next step of the set-up while one has no reading", () => {
  expect(stepStates({ ...SITE, zones: [{ ...TESTED, contact: "unknown" }] })).toMatchObject({
    zones: "next",
    walk: "done",
  });
});
