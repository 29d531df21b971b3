import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import { ApiUser } from "../support/api-user.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation } from "../support/installation.ts";
import { signInFrom } from "../support/sign-in-from.ts";

/* An operator deletes records and then changes others until the event log has no room for anything else. */

const CHANGES = 10_200;
/** Each changes a record of its own, one request after the other. */
const CLIENTS = 8;
/** The event log keeps the newest. */
const EVENTS_KEPT = 10_000;
/** The daemon removes old events a minute after its start. */
const REMOVAL_MS = 240_000;

const OWNER = { email: "owner@site.example", password: "correct horse battery staple" };
const MALLORY = { email: "mallory@site.example", password: "a different horse and battery" };

let installation: Installation;
let site: DaemonProcess;
beforeEach(() => {
  installation = Installation.temporary();
  site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}`,
  );
});

async function create(user: ApiUser, name: string): Promise<number> {
  const body = { name, objectiveType: "obiective/cladiri", objectiveId: 1 };
  return (await user.ask<Intervention>("POST", "/interventii", body)).id;
}

/** All entries of the timeline, over the network's paths. */
async function timeline(): Promise<TimelineEntry[]> {
  const found: TimelineEntry[] = [];
  for (let path: string | undefined = "/site/journal?limit=1000"; path !== undefined;) {
    const { value, headers } = await askDaemon(join(installation.folder, "site"), "GET", path);
    found.push(...(value as TimelineEntry[]));
    path = /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ""))?.[1];
  }
  return found;
}

function storedEvents(): number {
  const database = new Sqlite(join(installation.folder, "site", "santinela.db"), { readonly: true });
  try {
    return database.prepare<[], number>("SELECT count(*) FROM events").pluck().get() ?? 0;
  } finally {
    database.close();
  }
}

test("an operator who changes records 10,200 times hides neither a deletion nor a sign-in", async () => {
  await site.addAccount(OWNER, "operator");
  await site.addAccount(MALLORY, "operator");
  const { httpPort } = await site.start();
  const owner = await ApiUser.signIn(httpPort, OWNER);
  const victims = [await create(owner, "Victim 1"), await create(owner, "Victim 2")];
  const mallory = await ApiUser.signIn(httpPort, MALLORY);
  for (const id of victims) await mallory.ask("DELETE", `/interventii/${id}`);
  const client = async (_none: unknown, index: number): Promise<void> => {
    const id = await create(mallory, `Changed by ${index}`);
    for (let change = 0; change < CHANGES / CLIENTS; change += 1)
      await mallory.ask("PUT", `/interventii/${id}`, { notes: `change ${change}` });
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await site.end("SIGTERM");
  const again = await site.start();
  await eventually("the removal of old events", () => storedEvents() <= EVENTS_KEPT, REMOVAL_MS);

  const entries = await timeline();
  const about = (name: string): string[] =>
    entries.filter(({ event }) => event === name).map(({ who, subject }) => `${who}: ${subject}`);
  expect(about("intervention-changed").length).toBeLessThanOrEqual(EVENTS_KEPT);
  expect(about("intervention-deleted").toSorted()).toEqual(
    victims.map((id) => `${MALLORY.email}: intervention ${id}`).toSorted(),
  );
  for (const { email } of [OWNER, MALLORY])
    expect(about("signed-in").filter((line) => line.startsWith(email))).toHaveLength(1);
  const verified = await santinela(["events", "verify", "--config", "site.yaml"], {
    cwd: installation.folder,
  });
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining(": intact\n") as string });
  // The address from which the owner has signed in is not forgotten either: guesses from elsewhere do not lock it out.
  const guesses: number[] = [];
  for (let guess = 0; guess < 6; guess += 1) {
    const wrong = { email: OWNER.email, password: `guess ${guess}` };
    guesses.push(await signInFrom("127.0.0.9", again.httpPort, wrong));
  }
  expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
  expect(await signInFrom("127.0.0.9", again.httpPort, OWNER)).toBe(429);
  await ApiUser.signIn(again.httpPort, OWNER);
}, 600_000);
