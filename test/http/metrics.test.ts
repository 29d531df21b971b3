import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectAsync } from "mqtt";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { CONDITIONS } from "../../src/domain/condition.ts";
import { TestApp } from "../support/app.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";

describe("who may read the metrics over the network", () => {
  let app: TestApp;
  const TOKEN = "0123456789abcdef";
  beforeAll(async () => {
    app = await TestApp.make({
      metrics: { text: async () => "up 1\n", sites: async () => "up 2\n", token: () => TOKEN },
    });
  });
  afterAll(() => app.close());
  const ask = (token?: string) => {
    const pendingRequest = request(app.app).get("/metrics");
    return token === undefined ? pendingRequest : pendingRequest.set("Authorization", `Bearer ${token}`);
  };

  test("is limited to a scraper with the token", async () => {
    const answer = await ask(TOKEN);
    expect([answer.status, answer.text]).toEqual([200, "up 1\n"]);
    expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const ofSites = await request(app.app).get("/metrics/sites").set("Authorization", `Bearer ${TOKEN}`);
    expect([ofSites.status, ofSites.text]).toEqual([200, "up 2\n"]);
    expect((await request(app.app).get("/metrics/sites")).status).toBe(401);
    for (const token of [undefined, "", "0123456789abcdeg", TOKEN.slice(1), await app.token("administrator")])
      expect((await ask(token)).status).toBe(401);
  });

  test("the token of the scraper permits nothing else", async () => {
    for (const path of ["/interventii", "/site/status", "/site/journal"])
      expect((await request(app.app).get(path).set("Authorization", `Bearer ${TOKEN}`)).status).toBe(401);
  });
});

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the Prometheus text format strictly: anything but comments, names, labels and numbers is an error. */
function samplesOf(text: string): { samples: Sample[]; families: Map<string, string> } {
  const families = new Map<string, string>();
  const helped = new Set<string>();
  const samples: Sample[] = [];
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.trimEnd().split("\n")) {
    // The format allows empty lines between families.
    if (line === "") continue;
    const comment = /^# (HELP|TYPE) ([a-z][a-z0-9_]*) (.+)$/.exec(line);
    if (comment?.[1] === "HELP") {
      expect(helped).not.toContain(comment[2]);
      helped.add(comment[2] ?? "");
      continue;
    }
    if (comment) {
      expect(["counter", "gauge", "histogram"]).toContain(comment[3]);
      families.set(comment[2] ?? "", comment[3] ?? "");
      continue;
    }
    const found =
      /^([a-z][a-z0-9_]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? (-?\d[\d.e+-]*)$/.exec(line);
    expect(found, line).not.toBeNull();
    const labels = [...(found?.[2] ?? "").matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
    samples.push({
      name: found?.[1] ?? "",
      labels: Object.fromEntries(labels.map(([, key = "", value = ""]) => [key, value])),
      value: Number(found?.[3]),
    });
  }
  const familyOf = (name: string): string => {
    const family = name.replace(/_(bucket|sum|count)$/, "");
    return families.get(family) === "histogram" ? family : name;
  };
  for (const { name } of samples) expect([...families.keys()], name).toContain(familyOf(name));
  expect(new Set(samples.map(({ name, labels }) => JSON.stringify([name, labels]))).size).toBe(
    samples.length,
  );
  return { samples, families };
}

describe("the metrics of a running site", () => {
  const installation = Installation.temporary(afterAll);
  let site: DaemonProcess;
  let mqttPort: number;
  const read = async () => {
    const { code, stdout } = await santinela(
      ["metrics", "--config", join(installation.folder, "site.yaml")],
      { cwd: installation.folder },
    );
    expect(code).toBe(0);
    return samplesOf(stdout);
  };
  const valueOf = (samples: readonly Sample[], name: string, labels: Sample["labels"] = {}) =>
    samples.find(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )?.value;

  beforeAll(async () => {
    mqttPort = await freePort();
    const zone = "kind: intrusion, objective: { type: obiective/cladiri, id: 1 }";
    site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: { listen: { port: ${mqttPort} } }\nzones:\n  - { id: hand, name: hand, ${zone}, input: { simulated: true } }\n  - { id: yard, name: yard, ${zone}, input: { mqtt: radio, where: [{ path: /id, in: [1] }], path: /state, open: [open] } }\n`,
    );
    await site.start();
  });

  test("count each trip of a zone once, and show its contact", async () => {
    const before = (await read()).samples;
    expect(valueOf(before, "santinela_zone_trips_total", { zone: "hand" })).toBe(0);
    const trip = (...more: string[]) =>
      santinela(["trip", "--zone", "hand", "--config", join(installation.folder, "site.yaml"), ...more], {
        cwd: installation.folder,
      });
    await trip();
    await trip("--restore");
    await trip();
    for (let look = 0; look < 2; look += 1) {
      const { samples } = await read();
      expect(valueOf(samples, "santinela_zone_trips_total", { zone: "hand" })).toBe(2);
      expect(valueOf(samples, "santinela_zone_open", { zone: "hand" })).toBe(1);
    }
    const name = "santinela_trip_to_record_seconds";
    await eventually(
      "both to be records",
      async () => valueOf((await read()).samples, `${name}_count`) === 2,
    );
    const { samples } = await read();
    expect(valueOf(samples, `${name}_bucket`, { le: "+Inf" })).toBe(2);
    expect(valueOf(samples, `${name}_sum`)).toBeGreaterThan(0);
  });

  test("count messages for no zone by topic, as the status and doctor do", async () => {
    const sensor = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`);
    for (const payload of ['{"id":2,"state":"open"}', '{"id":3,"state":"open"}', "open"])
      await sensor.publishAsync("radio", payload, { qos: 1 });
    await sensor.endAsync();
    const name = "santinela_mqtt_messages_ignored_total";
    const { samples } = await read();
    expect(valueOf(samples, name, { topic: "radio", reason: "no-zone" })).toBe(2);
    expect(valueOf(samples, name, { topic: "radio", reason: "not-json" })).toBe(1);
    expect(valueOf(samples, "santinela_zone_open", { zone: "yard" })).toBe(0);
    const { stdout } = await santinela(["doctor", "--config", join(installation.folder, "site.yaml")], {
      cwd: installation.folder,
    });
    expect(stdout).toMatch(/▲ Messages: could not be read: radio \(not-json, 1\)/);
    expect(stdout).toMatch(/Messages: match no zone on their topic: radio \(no-zone, 2\)/);
  });

  test("have a line for every condition, sizes and memory, and none for a missing dispatch centre", async () => {
    const { samples, families } = await read();
    const codes = samples.filter(({ name }) => name === "santinela_conditions_open");
    expect(codes.map(({ labels }) => labels["code"])).toEqual(Object.keys(CONDITIONS));
    for (const name of ["santinela_disk_free_bytes", "process_resident_memory_bytes"])
      expect(valueOf(samples, name)).toBeGreaterThan(1_000_000);
    expect(
      valueOf(samples, "santinela_database_bytes", { database: "journal", file: "main" }),
    ).toBeGreaterThan(0);
    expect(valueOf(samples, "santinela_upstream_up")).toBeUndefined();
    expect([...families.keys()]).toContain("santinela_upstream_up");
  });

  test("follow the naming rules of Prometheus: counters end in _total, units are base units", async () => {
    const { families } = await read();
    for (const [name, kind] of families) {
      expect(name.endsWith("_total"), name).toBe(kind === "counter");
      expect(name).toMatch(/^(santinela|process)_[a-z0-9_]+$/);
      expect(name).not.toMatch(/_(ms|milliseconds|kb|mb|percent)(_|$)/);
    }
  });

  test("cover every panel of the dashboard in docs/grafana.json", async () => {
    const { families } = await read();
    const dashboard = readFileSync(
      fileURLToPath(new URL("../../docs/grafana.json", import.meta.url)),
      "utf8",
    );
    const expressions = [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text);
    expect(expressions.length).toBeGreaterThan(8);
    const names = expressions.join(" ").match(/\b(?:santinela|process)_[a-z0-9_]+/g) ?? [];
    const drawn = new Set(names.map((name) => name.replace(/_bucket$/, "")));
    expect(new Set(families.keys())).toEqual(drawn);
  });
});
