import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/* Rule 9 of docs/prose.md: a log event is subject-state or subject-action-failed, without a negated participle. */

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** The names of the events that a source text logs. */
function eventsIn(text: string): string[] {
  return [...text.matchAll(/\blog\??\.(?:debug|info|warn|error)\(\s*([^,)]*)/g)].flatMap(([, first = ""]) =>
    [...first.matchAll(/"([a-z0-9-]+)"/g)].map(([, name = ""]) => name),
  );
}

/** Of the whole daemon, which is their subject; programs outside wait for them. */
const OF_THE_DAEMON = ["ready", "stopped"];

/** What is wrong with a name; undefined if nothing is. */
function problemWith(event: string): string | undefined {
  if (OF_THE_DAEMON.includes(event)) return undefined;
  if (!event.includes("-")) return `${event} has no subject`;
  const negated = /(?:^|-)(?:not|never|no)(?:-|$)|-un(?:[a-z]+ed|read|sent|written|told|heard|seen)$/.test(
    event,
  );
  return negated ? `${event} is negated; write <subject>-<action>-failed` : undefined;
}

test("every event of the technical log has a subject and is not negated", () => {
  const events = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("generated/"))
    .flatMap((file) => eventsIn(readFileSync(`${src}${file}`, "utf8")));
  expect(new Set(events).size).toBeGreaterThan(80);
  expect([...new Set(events)].flatMap((event) => problemWith(event) ?? [])).toEqual([]);
});

test.each([
  ['log.info("compared", { here });', "compared has no subject"],
  [
    'this.#options.log.warn(\n  "thread-not-stopped",',
    "thread-not-stopped is negated; write <subject>-<action>-failed",
  ],
  [
    'log?.error(isOld ? "keys-read" : "signing-keys-unread", {})',
    "signing-keys-unread is negated; write <subject>-<action>-failed",
  ],
  ['log.warn("certificate-renewal-failed", { error });', undefined],
  ['log.info("condition-under-way");', undefined],
])("%j is judged", (text, problem) => {
  expect(eventsIn(text).flatMap((event) => problemWith(event) ?? [])).toEqual(
    problem === undefined ? [] : [problem],
  );
});
