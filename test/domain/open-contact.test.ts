import { expect, test } from "vitest";
import { decideOpenContact, type OpenContact } from "../../src/domain/open-contact.ts";

const FIRE = { kind: "fire", whenArmedOpen: "trip" } as const;
const DOOR = { kind: "intrusion", whenArmedOpen: "record" } as const;
const AGAIN_MS = 900_000;

function contact(parts: Partial<OpenContact>): OpenContact {
  return {
    zone: DOOR,
    opening: undefined,
    record: "finished",
    wasSuppressed: false,
    finishedForMs: 0,
    ...parts,
  };
}
const opening = (
  state: "waiting" | "posted" | "merged" | "test" | "refused",
  cause: "edge" | "standing" = "edge",
) => ({ type: cause === "edge" ? "trip" : "standing", cause, state }) as const;

test.each([
  ["that a record names", { opening: opening("posted"), record: "named" }, "nothing"],
  [
    "whose line a person has taken out of the record",
    { opening: opening("posted"), record: "unnamed" },
    "condition",
  ],
  [
    "whose line a person has taken out of the record before another arming",
    { opening: opening("posted"), record: "unnamed", wasSuppressed: true },
    "condition",
  ],
  ["whose trip waits for the local API", { opening: opening("waiting") }, "nothing"],
  ["whose trip joined a record that names it", { opening: opening("merged"), record: "named" }, "nothing"],
  ["whose trip joined a record that is done", { opening: opening("merged", "standing") }, "condition"],
  [
    "whose trip the local API refused, which has a condition of its own",
    { opening: opening("refused") },
    "nothing",
  ],
  ["that was open at first sight", {}, "condition"],
  ["that was open at first sight and armed since", { wasSuppressed: true }, "record"],
  ["whose opening was held back", { opening: opening("test") }, "record"],
  ["whose intervention is done", { opening: opening("posted") }, "record"],
  ["that was listed, and that record is done", { opening: opening("posted", "standing") }, "condition"],
  [
    "that was listed before another arming",
    { opening: opening("posted", "standing"), wasSuppressed: true },
    "record",
  ],
] as const)("a door %s", (_what, parts, decision) => {
  expect(decideOpenContact(contact(parts), AGAIN_MS)).toBe(decision);
});

test.each([
  ["whose opening was held back", { opening: opening("test") }, "trip"],
  [
    "whose intervention has been done for 14 minutes",
    { opening: opening("posted"), finishedForMs: 899_999 },
    "condition",
  ],
  [
    "whose intervention has been done for 15 minutes",
    { opening: opening("posted"), finishedForMs: 900_000 },
    "trip",
  ],
  [
    "whose bypass ends after its intervention was done",
    { opening: opening("posted"), wasSuppressed: true },
    "trip",
  ],
  [
    "whose line a person has taken out of the record long ago",
    { opening: opening("posted"), record: "unnamed", finishedForMs: AGAIN_MS },
    "condition",
  ],
] as const)("a smoke detector in alarm %s", (_what, parts, decision) => {
  expect(decideOpenContact(contact({ zone: FIRE, ...parts }), AGAIN_MS)).toBe(decision);
});
