import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { expect, onTestFinished, test } from "vitest";
import type { OutputView } from "../../src/domain/output.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation } from "../support/installation.ts";

/* A siren on a topic of the built-in broker, which ends with the daemon. */

const AVAILABILITY = "santinela/alone/outputs/availability";

const YAML =
  "site: { ref: alone }\nhttp: { port: 0 }\ngpio: { backend: simulated }\nmqtt: { listen: { port: 0 } }\n" +
  "homeAssistant: { enabled: true }\n" +
  `${buildingsYaml(1)}outputs:\n  - { name: siren, on: alarm, mqtt: out/siren }\nzones:\n` +
  "  - { id: smoke, name: Smoke, kind: fire, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n";

test("a clean shutdown switches a siren off and reports offline before the connection ends", async () => {
  const installation = Installation.temporary();
  const site = installation.daemon("site", YAML);
  await site.start();
  const { brokerPort } = await site.get<StatusView>("/site/status");
  const siren = await connectAsync(`mqtt://127.0.0.1:${brokerPort}`, { reconnectPeriod: 0 });
  const heard: string[] = [];
  siren.on("message", (topic, payload) => heard.push(`${topic} ${payload.toString()}`));
  const ended = new Promise((resolve) => siren.once("close", () => resolve("ended")));
  await siren.subscribeAsync(["out/#", AVAILABILITY, "santinela/alone/availability"], { qos: 1 });
  const options = { cwd: installation.folder };
  await santinela(["trip", "--zone", "smoke", "--config", "site.yaml"], options);
  await eventually("the siren", () => heard.includes("out/siren ON"));
  await eventually(
    "the state",
    async () => (await site.get<OutputView[]>("/site/outputs"))[0]?.isOn === true,
  );
  heard.length = 0;
  await site.end("SIGTERM");
  await ended;
  expect(heard).toEqual(["out/siren OFF", `${AVAILABILITY} offline`, "santinela/alone/availability offline"]);
});

test("a reload that changes the reference of the site moves the outputs and Home Assistant to it", async () => {
  const installation = Installation.temporary();
  const site = installation.daemon("site", YAML);
  await site.start();
  const { brokerPort } = await site.get<StatusView>("/site/status");
  const client = await connectAsync(`mqtt://127.0.0.1:${brokerPort}`, { reconnectPeriod: 0 });
  onTestFinished(() => client.endAsync(true));
  const kept = new Map<string, string>();
  client.on("message", (topic, payload) => kept.set(topic, payload.toString()));
  await client.subscribeAsync(["santinela/#", "homeassistant/#"], { qos: 1 });
  await eventually("the first states", () => kept.get(AVAILABILITY) === "online");
  const text = YAML.replace("ref: alone", "ref: moved");
  writeFileSync(join(installation.folder, "site.yaml"), `dataDir: ./site\n${text}`);
  const { stdout } = await santinela(["reload", "--config", "site.yaml"], { cwd: installation.folder });
  expect(stdout).toBe("options applied: site.ref\n");
  const expected = {
    [AVAILABILITY]: "offline",
    "santinela/moved/outputs/availability": "online",
    "santinela/alone/availability": "",
    "santinela/moved/availability": "online",
    "homeassistant/device/santinela_alone/config": "",
    "santinela/alone/zones/smoke": "",
    "santinela/moved/zones/smoke": "normal",
  };
  await eventually("the topics of the new reference", () => {
    expect(Object.fromEntries(kept)).toMatchObject(expected);
    return true;
  });
});
