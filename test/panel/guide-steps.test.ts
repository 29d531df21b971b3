import { expect, test } from "vitest";
import { stepCount, stepStates, type SetUpFacts } from "../../src/panel/guide-steps.ts";

const TESTED = { contact: "normal", testedAt: "2026-11-22T18:00:00.000Z" } as const;
const NEW = { contact: "normal", testedAt: null } as const;
const SITE: SetUpFacts = {
  isNamed: true,
  link: "up",
  objectives: 2,
  zones: [TESTED, TESTED],
  isSignalThere: true,
};

test("the set-up of a tested site is done", () => {
  expect(stepStates(SITE)).toEqual({
    site: "done",
    centre: "done",
    objectives: "done",
    zones: "done",
    walk: "done",
    signal: "done",
  });
});

test("a site is set up once a signal test has arrived at the dispatch centre", () => {
  const states = stepStates({ ...SITE, isSignalThere: false });
  expect(states).toMatchObject({ walk: "done", signal: "next" });
  expect(stepCount(states, 2)).toEqual({ done: 7, all: 8 });
  expect(stepCount(stepStates(SITE), 2)).toEqual({ done: 8, all: 8 });
  // Neither done nor to be done before the last test is read.
  expect(stepStates({ ...SITE, isSignalThere: undefined }).signal).toBe("unknown");
});

test("a zone added after the walk test makes the test the next step of the set-up", () => {
  expect(stepStates({ ...SITE, zones: [TESTED, NEW] })).toMatchObject({ zones: "done", walk: "next" });
});

test("only the first step of the set-up that is not done is the next one", () => {
  expect(
    stepStates({ isNamed: false, link: "down", objectives: 0, zones: [], isSignalThere: false }),
  ).toEqual({
    site: "next",
    centre: "later",
    objectives: "later",
    zones: "later",
    walk: "later",
    signal: "later",
  });
});

test("a site without a dispatch centre is not held up by it in the set-up", () => {
  const alone = { isNamed: true, link: "none", objectives: 0, zones: [], isSignalThere: undefined } as const;
  const states = stepStates(alone);
  // The first zone brings the building.
  expect(states).toMatchObject({ centre: "unused", objectives: "later", zones: "next", walk: "later" });
  // It has nowhere to send a signal test.
  expect(states.signal).toBe("unused");
  expect(stepCount(states, 2)).toEqual({ done: 3, all: 6 });
});

test("the objectives are neither done nor the next step before they are counted, and nothing after them is", () => {
  const zones = [TESTED, NEW];
  expect(stepStates({ ...SITE, objectives: undefined, zones })).toEqual({
    site: "done",
    centre: "done",
    objectives: "unknown",
    zones: "done",
    walk: "later",
    signal: "done",
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
