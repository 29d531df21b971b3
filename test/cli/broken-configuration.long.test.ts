import { readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryCertificate } from "../../src/ops/certificates.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { santinela } from "../support/command-line.ts";
import { listen } from "../support/loopback.ts";
import { UNUSABLE_ALIASES } from "../support/unusable-aliases.ts";

const EXPLODING = UNUSABLE_ALIASES.find(({ what }) => what === "aliases of aliases that multiply");

let installation: Installation;
beforeEach(() => (installation = Installation.temporary()));

test("a mistyped line before a power cut loses no alarm: the last good configuration runs, and the error is reported with line and column", async () => {
  const file = join(installation.folder, "site.yaml");
  const site = installation.daemon(
    "site",
    "http: { port: 0 }\nmqtt: off\nzones:\n  - { id: hand, name: hand, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n",
  );
  await site.start();
  await site.end("SIGKILL");
  writeFileSync(file, readFileSync(file, "utf8").replace("mqtt:", "mqqt:"));
  await site.start();

  const { conditions } = await site.get<{ conditions: { code: string; text: string }[] }>("/site/status");
  expect(conditions).toMatchObject([
    {
      code: "configuration-invalid",
      severity: "error",
      text: expect.stringMatching(
        /site\.yaml:3:1: mqqt: .*Did you mean mqtt\?; the daemon uses the last good configuration of 20/,
      ),
    },
  ]);
  const at = { cwd: installation.folder };
  const tripped = await santinela(["trip", "--zone", "hand", "--config", file], at);
  expect(tripped).toMatchObject({ code: 0, stdout: expect.stringMatching(/hand is open: trip/) });
  expect(tripped.stderr).toMatch(/site\.yaml:3:1: .*\nUsing the last good/);
  expect((await santinela(["check-config", "--config", file], at)).code).toBe(78);
});

test("a file that has only comments, of an environment with options, replaces none at a reload or a start", async () => {
  const file = join(installation.folder, "var.yaml");
  const site = installation.daemon("var", "http: { port: 0 }\nmqtt: off\n");
  const env = { ...process.env, SANTINELA_SITE__NAME: "Hall" };
  await site.start(env);
  writeFileSync(file, "# Zones of the hall\n");
  expect(await santinela(["reload", "--config", file], { cwd: installation.folder })).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/var\.yaml:1:1: the file is empty, or has only comments\./),
  });
  await site.end("SIGKILL");
  await site.start(env);
  expect(await site.get("/site/status")).toMatchObject({
    conditions: [{ code: "configuration-invalid", text: expect.stringMatching(/only comments.* last good/) }],
  });
});

test("a restart with a valid file that names a port in use loses no alarm", async () => {
  const file = join(installation.folder, "site.yaml");
  const site = installation.daemon("site", "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n");
  await site.start();
  const taken = createServer();
  const port = await listen(taken);
  writeFileSync(file, readFileSync(file, "utf8").replace("port: 0", `port: ${port}`));
  await askDaemon(join(installation.folder, "site"), "POST", "/site/restart");
  await eventually("the previous configuration runs again", async () => {
    const { conditions } = await site.get<{ conditions: { code: string; text: string }[] }>("/site/status");
    return conditions.some(
      ({ code, text }) =>
        code === "configuration-invalid" &&
        /is in use by another program; the daemon uses the last good configuration/.test(text),
    );
  });
  taken.close();
});

test.each([
  [
    "expands its aliases without bound",
    "zones: &zones [*zones]\n",
    /site\.yaml:4:16: alias \*zones is inside its own anchor/,
  ],
  [
    "multiplies values by aliases of aliases",
    EXPLODING?.yaml ?? "",
    /site\.yaml:9:10: with alias \*l4 the aliases add more than 100000 values/,
  ],
  ["nests without end", `zones: ${"[".repeat(100_000)}`, /site\.yaml:4:\d+: nested deeper than 64 levels/],
])("a file that %s loses no alarm: the last good configuration runs", async (_what, yaml, mistake) => {
  const file = join(installation.folder, "site.yaml");
  const site = installation.daemon("site", "http: { port: 0 }\nmqtt: off\n");
  await site.start();
  await site.end("SIGKILL");
  const good = readFileSync(file, "utf8");
  writeFileSync(file, `${good}${yaml}`);
  await site.start();
  const { conditions } = await site.get<{ conditions: { code: string; text: string }[] }>("/site/status");
  expect(conditions).toMatchObject([
    { code: "configuration-invalid", text: expect.stringMatching(mistake) as string },
  ]);
  const checked = await santinela(["check-config", "--config", file], { cwd: installation.folder });
  expect(checked).toMatchObject({ code: 78, stderr: expect.stringMatching(mistake) as string });
});

test.each([
  ["names a lost authority of the dispatch centre", "ca.crt"],
  ["is lost", "site.yaml"],
])(
  "a site whose configuration %s loses no alarm, and does not start without an earlier one",
  async (_what, lost) => {
    const site = installation.daemon(
      "site",
      "http: { port: 0 }\nmqtt: off\nupstream: { baseUrl: 'https://127.0.0.1:1', email: a@b.ro, passwordFile: pw, caFile: ca.crt }\nzones:\n  - { id: hand, name: hand, kind: fire, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n",
    );
    installation.secret("pw", "correct horse");
    const { cert } = await temporaryCertificate(installation.folder, { names: [], nowMs: Date.now() });
    installation.secret("ca.crt", cert);
    await site.start();
    await site.end("SIGKILL");
    const file = join(installation.folder, "site.yaml");
    unlinkSync(join(installation.folder, lost));
    // Its data is in a directory of the default name, so that it is found without the file.
    renameSync(join(installation.folder, "site"), join(installation.folder, "var"));
    symlinkSync("var", join(installation.folder, "site"));
    await site.start();
    const { conditions } = await site.get<{ conditions: { code: string; text: string }[] }>("/site/status");
    expect(conditions).toContainEqual(
      expect.objectContaining({
        code: "configuration-invalid",
        text: expect.stringContaining(lost) as string,
      }),
    );
    const at = { cwd: installation.folder };
    const tripped = await santinela(["trip", "--zone", "hand", "--config", file], at);
    expect(tripped).toMatchObject({ code: 0, stdout: expect.stringMatching(/hand is open: trip/) as string });
    await site.end("SIGTERM");

    unlinkSync(join(installation.folder, "var", "last-good.yaml"));
    const started = await santinela(["serve", "--config", file], at);
    expect(started).toMatchObject({ code: 78, stderr: expect.stringContaining(lost) as string });
  },
);
