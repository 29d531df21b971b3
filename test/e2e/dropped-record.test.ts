import { join } from "node:path";
import { expect, test } from "vitest";
import { askDaemon } from "../support/control-socket.ts";
import { buildingsYaml, Installation, upstreamYaml } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";

test("a record that is created, dropped and deleted over HTTP is gone, with 204", async () => {
  const installation = Installation.temporary();
  installation.secret("upstream.password", "not used");
  const closedPort = await freePort();
  const daemon = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}${upstreamYaml(closedPort)}`,
  );
  await daemon.start();
  const ask = (method: "GET" | "POST" | "DELETE", path: string, body?: unknown) =>
    askDaemon(join(installation.folder, "site"), method, path, body);
  const created = await ask("POST", "/interventii", {
    name: "Patrol",
    objectiveType: "obiective/cladiri",
    objectiveId: 1,
  });
  const { id } = created.value as { id: number };
  expect((await ask("POST", `/site/sync/${id}/drop`, {})).status).toBe(200);
  expect(await ask("DELETE", `/interventii/${id}`)).toMatchObject({ status: 204, value: undefined });
  expect((await ask("GET", `/interventii/${id}`)).status).toBe(404);
});
