import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { EffectiveOption } from "../../src/config/effective.ts";
import { santinela } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

async function optionsOf(
  yaml: string,
  env: Record<string, string> = {},
): Promise<Map<string, EffectiveOption>> {
  const file = join(folder, "site.yaml");
  writeFileSync(file, yaml);
  const { code, stdout, stderr } = await santinela(["config", "show", "--json", "--config", file], {
    cwd: folder,
    env,
  });
  expect([code, stderr]).toEqual([0, ""]);
  return new Map((JSON.parse(stdout) as EffectiveOption[]).map((option) => [option.option, option]));
}

test("every option in force has its source: file, environment or default", async () => {
  const options = await optionsOf(
    "site: { name: Hala Nord }\nhttp:\n  port: 8081\n  hosts: [pi.lan]\nmqtt: off\nzones:\n  - id: gate\n    name: Poarta\n    kind: perimeter\n    objective: { type: obiective/cladiri, id: 1 }\n    input: { gpio: 17 }\n",
    { SANTINELA_SITE__LOCALE: "en", SANTINELA_LOG: "{ level: debug }" },
  );
  const optionOf = (name: string) => [options.get(name)?.value, options.get(name)?.source];
  const file = join(folder, "site.yaml");
  expect(optionOf("site.name")).toEqual(["Hala Nord", `${file}:1:9`]);
  expect(optionOf("http.port")).toEqual([8081, `${file}:3:3`]);
  expect(optionOf("http.hosts")).toEqual([["pi.lan"], `${file}:4:3`]);
  expect(optionOf("zones[0].input.gpio")).toEqual([17, `${file}:11:14`]);
  expect(optionOf("site.locale")).toEqual(["en", "SANTINELA_SITE__LOCALE"]);
  expect(optionOf("log.level")).toEqual(["debug", "SANTINELA_LOG"]);
  expect(optionOf("http.host")).toEqual(["127.0.0.1", "default"]);
  expect(optionOf("dataDir")).toEqual([join(folder, "var"), "default"]);
  expect(
    [...options.keys()].filter((name) => name.startsWith("upstream") || name === "mqtt.listen.port"),
  ).toEqual([]);
});

test("the defaults are those of the sections in force, without the options that are set", async () => {
  writeFileSync(join(folder, "centre.password"), "correct horse", { mode: 0o600 });
  const options = await optionsOf(
    "http: { tls: { certFile: a.pem, keyFile: b.pem } }\nupstream: { baseUrl: 'https://c.example', email: a@b.ro, passwordFile: centre.password }\n",
    { STATE_DIRECTORY: "/var/lib/santinela" },
  );
  expect(options.has("http.tls")).toBe(false);
  expect(options.get("upstream.schedule")?.source).toBe("default");
  expect(options.get("mqtt.listen.port")).toMatchObject({ value: 1883, source: "default" });
  expect(options.get("dataDir")).toMatchObject({ value: "/var/lib/santinela", source: "STATE_DIRECTORY" });
  expect(JSON.stringify([...options.values()])).not.toContain("correct horse");
});

test("the text output has one option a line, with its source on request", async () => {
  const file = join(folder, "site.yaml");
  writeFileSync(file, "mqtt: off\n");
  const show = (...more: string[]) =>
    santinela(["config", "show", "--config", file, ...more], { cwd: folder });
  expect((await show()).stdout).toMatch(/^mqtt: "off"\n/);
  expect((await show("--sources")).stdout).toMatch(
    /^mqtt: "off" +# .*site\.yaml:1:1\n[^]*http\.port: 8080 +# default\n/,
  );
  writeFileSync(file, "mqtt: of\n");
  expect((await show()).code).toBe(78);
});
