import { beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Installation, interventionsOf, startCentre, upstreamYaml } from "../support/installation.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { SyncView } from "../../src/site/sync-view.ts";

/* SIGKILL at a named point of the path of a trip. This tests the order of commits, not a power cut of the disk. */

const OBJECTIVES = "objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }\n";
const ZONE =
  "zones: [ { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } } ]\n";

let installation: Installation;
let site: DaemonProcess;
let centre: DaemonProcess;

beforeEach(async () => {
  installation = Installation.temporary();
  const started = await startCentre(installation, OBJECTIVES);
  centre = started.centre;
  site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}${ZONE}${upstreamYaml(started.port)}`,
  );
});

describe("a power cut", () => {
  test.each([
    ["between the journal's commit and the POST", "journal-committed"],
    ["between the POST and its acknowledgement in the journal", "trip-posted"],
    ["between recording the attempt and sending it", "sync-posting-committed"],
    ["between the response of the dispatch centre and recording it", "sync-answered"],
  ])("%s: the trip is one intervention at the site and at the dispatch centre", async (_when, failpoint) => {
    // The zone needs a normal reading, or the open one would be its first.
    await site.start();
    await site.run(["trip", "--zone", "door", "--restore"]);
    await site.end("SIGTERM");

    await site.start({ ...process.env, SANTINELA_FAILPOINT: failpoint });
    await site.run(["trip", "--zone", "door"]).catch(() => "the daemon may die before it answers");
    await site.exited();

    await site.start();
    await eventually("the centre to have the record, and the site to know it", async () => {
      const { summary } = await site.get<SyncView>("/site/sync");
      return summary.waiting === 0 && (await interventionsOf(centre)).length > 0;
    });
    expect(await interventionsOf(site)).toHaveLength(1);
    expect(await interventionsOf(centre)).toHaveLength(1);
  });
});
