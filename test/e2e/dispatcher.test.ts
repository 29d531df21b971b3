import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, Installation, interventionsOf, upstreamYaml } from "../support/installation.ts";

/* A site and its dispatch centre as two real daemons: changes of the dispatcher reach the site. */

const OBJECTIVES =
  "objectives: { obiective/cladiri: [{ id: 1, name: Hall }, { id: 2, name: Yard }] }\nmqtt: off\ngpio: { backend: simulated }\nhttp: { port: 0 }\n";

const installation = Installation.temporary(afterAll);
let centre: DaemonProcess;
let site: DaemonProcess;

beforeAll(async () => {
  centre = installation.daemon("centre", `site: { ref: centre, dispeceratId: 77 }\n${OBJECTIVES}`);
  await centre.addAccount(EDGE, "operator");
  installation.secret("upstream.password", EDGE.password);
  const { httpPort } = await centre.start();
  site = installation.daemon("site", `site: { ref: hall }\n${OBJECTIVES}${upstreamYaml(httpPort)}`);
  await site.start();
});

const at = (who: "site" | "centre", method: "POST" | "PUT", path: string, body?: unknown) =>
  askDaemon(join(installation.folder, who), method, path, body);

/** Orders a pull, which is otherwise automatic every few minutes. */
const look = () => at("site", "POST", "/site/sync/now");

test("the status, the dispatcher id and the invoice are pulled, and changes of the site remain", async () => {
  const made = await at("site", "POST", "/interventii", {
    name: "Call",
    objectiveType: "obiective/cladiri",
    objectiveId: 1,
    notes: "ring twice",
  });
  const { id } = made.value as Intervention;
  const upstream = await eventually(
    "the record at the centre",
    async () => (await interventionsOf(centre))[0],
  );

  await at("centre", "PUT", `/interventii/${upstream.id}`, { status: "in_progress", crews: 3 });
  await look();
  const inProgress = await site.get<Intervention>(`/interventii/${id}`);
  expect(inProgress).toMatchObject({
    status: "in_progress",
    crews: 3,
    dispeceratId: 77,
    notes: "ring twice",
  });

  await at("site", "PUT", `/interventii/${id}`, { description: "the lock is broken" });
  await at("centre", "PUT", `/interventii/${upstream.id}`, {
    status: "done",
    dateEnd: "2026-11-21T10:00:00",
  });
  // The API cannot write an invoice: that is done at the dispatch centre.
  const database = openMainDatabase(join(installation.folder, "centre", "santinela.db"));
  database.exec("UPDATE interventions SET invoicePdf = 'https://centre.example/1.pdf'");
  database.close();
  await look();
  const merged = {
    status: "done",
    crews: 3,
    dateEnd: "2026-11-21T10:00:00",
    description: "the lock is broken",
    invoicePdf: "https://centre.example/1.pdf",
  };
  expect(await site.get<Intervention>(`/interventii/${id}`)).toMatchObject({
    ...merged,
    notes: "ring twice",
  });
  expect(await centre.get<Intervention>(`/interventii/${upstream.id}`)).toMatchObject(merged);
});

test("a changed objective is pulled too, with an objective that only the dispatch centre has", async () => {
  const more = join(installation.folder, "more.json");
  installation.secret("more.json", JSON.stringify({ "obiective/cladiri": [{ id: 9, name: "Depozit" }] }));
  await centre.run(["objectives", "import", more]);
  await at("site", "POST", "/site/objectives/pull");
  const made = await at("site", "POST", "/interventii", {
    name: "Call to the wrong door",
    objectiveType: "obiective/cladiri",
    objectiveId: 2,
  });
  const { id } = made.value as Intervention;
  const upstream = await eventually("the record at the centre", async () =>
    (await interventionsOf(centre)).find(({ name }) => name === "Call to the wrong door"),
  );
  await at("centre", "PUT", `/interventii/${upstream.id}`, { objectiveId: 9 });
  await look();
  expect(await site.get<Intervention>(`/interventii/${id}`)).toMatchObject({ objectiveId: 9 });
});
