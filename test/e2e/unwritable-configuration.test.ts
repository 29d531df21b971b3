import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ConfiguredZonesView } from "../../src/site/configuration-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { buildingsYaml, Installation } from "../support/installation.ts";

const installation = Installation.temporary(afterAll);

test("a change that cannot be written is refused with the reason, and the file stays", async () => {
  const daemon = installation.daemon(
    "site",
    `http: { port: 0, configuration: panel }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}`,
  );
  await daemon.start();
  const dataDir = join(installation.folder, "site");
  const file = join(installation.folder, "site.yaml");
  const before = readFileSync(file, "utf8");
  const { hash } = await daemon.get<ConfiguredZonesView>("/site/configuration/zones");
  // Also stops an administrator who may write any file: the earlier text cannot be kept.
  writeFileSync(join(dataDir, "configurations"), "");
  const changes = [{ action: "site", site: { name: "Hala Nord" } }];
  const { status, value } = await askDaemon(dataDir, "POST", "/site/configuration/apply", { hash, changes });
  expect([status, value]).toEqual([
    409,
    {
      error: "Conflict",
      message: expect.stringMatching(/site\.yaml cannot be written: .*chmod 660/),
      statusCode: 409,
    },
  ]);
  expect(readFileSync(file, "utf8")).toBe(before);
  await daemon.end("SIGTERM");
});
