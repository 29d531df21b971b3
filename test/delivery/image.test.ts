// The OCI image of a release, run by podman and runc with a read-only root and without capabilities: npm run test:release.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { VERSION } from "../../src/generated/version.ts";
import { ApiUser } from "../support/api-user.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/loopback.ts";

const LIMIT_MS = 180_000;
const IMAGE = `localhost/santinela:${VERSION}`;
const NAME = "santinela-under-test";
const CENTRE = "santinela-centre-under-test";
const EDGE = { email: "edge@site.example", password: "correct horse battery staple" };
const CENTRE_YAML = `
dataDir: /var/lib/santinela
site: { name: Dispatch centre, ref: centre }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
`;

let store: string;
let port: number;

/** A store of its own. The network and the limits are those of this machine: it may be a container itself. */
const words = (): string[] => [
  `--root=${store}/root`,
  `--runroot=${store}/run`,
  "--storage-driver=vfs",
  "--cgroup-manager=cgroupfs",
  "--events-backend=file",
  "--runtime=runc",
];
const podman = (...more: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)("podman", [...words(), ...more]);

const OPTIONS = "--detach --replace --network=host --read-only --cap-drop=all".split(" ");
const LIMITS = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"];

const start = (
  name: string,
  volumes: readonly string[],
  settings: Readonly<Record<string, string | number>>,
  ...command: string[]
): Promise<unknown> => {
  const environment = Object.entries(settings).map(([option, value]) => `--env=SANTINELA_${option}=${value}`);
  const mounts = volumes.map((volume) => `--volume=${volume}`);
  return podman("run", `--name=${name}`, ...OPTIONS, ...LIMITS, ...mounts, ...environment, IMAGE, ...command);
};
const isReady = (name: string): Promise<boolean> =>
  podman("logs", name).then(({ stdout, stderr }) => `${stdout}${stderr}`.includes('"event":"ready"'));

beforeAll(async () => {
  store = mkdtempSync(join(tmpdir(), "image-"));
  port = await freePort();
  const archive = join(store, "image.tar");
  execFileSync("node", ["scripts/release/image.mjs", archive, process.env["TEST_PACKAGE"] ?? ""], {
    stdio: "pipe",
  });
  await podman("load", "--input", archive);
  const settings = { HTTP__HOST: "127.0.0.1", HTTP__PORT: port, MQTT: "off" };
  await start(NAME, ["data:/var/lib/santinela"], settings);
  await eventually("the daemon is ready", () => isReady(NAME), LIMIT_MS);
});
afterAll(async () => {
  for (const name of [NAME, CENTRE]) await podman("rm", "--force", "--volumes", name).catch(() => {});
  rmSync(store, { recursive: true, force: true });
});

test("runs as its own user, and the check of its health agrees", async () => {
  const { stdout } = await podman("top", NAME, "user", "args");
  expect(stdout).toMatch(/^santinela +\S*node \/usr\/bin\/santinela serve/m);
  expect((await podman("exec", NAME, "/usr/bin/santinela", "status")).stdout).toContain(
    "attention: no zones yet",
  );
  expect((await podman("exec", NAME, "/usr/bin/santinela", "check-config")).stdout).toContain("is valid");
});

test("has no shell", async () => {
  await expect(podman("exec", NAME, "/bin/sh", "-c", "true")).rejects.toThrow(/not found|no such file/);
});

test("stops in order, and continues with the data of its volume", async () => {
  const keyOf = async (): Promise<string> => {
    const { stdout } = await podman("volume", "inspect", "--format={{.Mountpoint}}", "data");
    return execFileSync("sha256sum", [`${stdout.trim()}/secrets/token-signing.key`], { encoding: "utf8" });
  };
  const key = await keyOf();
  await podman("stop", "--time=60", NAME);
  expect((await podman("inspect", "--format={{.State.ExitCode}}", NAME)).stdout.trim()).toBe("0");
  const logs = await podman("logs", NAME);
  expect(`${logs.stdout}${logs.stderr}`).toContain('"event":"stopped"');
  await podman("start", NAME);
  await eventually(
    "the daemon answers again",
    async () =>
      (await podman("exec", NAME, "/usr/bin/santinela", "status")).stdout.includes("attention: no zones yet"),
    LIMIT_MS,
  );
  expect(await keyOf()).toBe(key);
});

test("runs a dispatch centre, which keeps the records of its sites in its volume", async () => {
  const file = join(store, "centre.yaml");
  writeFileSync(file, CENTRE_YAML, { mode: 0o644 });
  const centrePort = await freePort();
  const volumes = ["centre:/var/lib/santinela", `${file}:/etc/santinela/centre.yaml:ro`];
  const settings = {
    CONFIG: "/etc/santinela/centre.yaml",
    HTTP__HOST: "127.0.0.1",
    HTTP__PORT: centrePort,
    HTTP__TLS: "off",
  };
  await start(CENTRE, volumes, settings, "centre");
  await eventually("the centre is ready", () => isReady(CENTRE), LIMIT_MS);
  expect((await podman("top", CENTRE, "user", "args")).stdout).toMatch(
    /^santinela +\S*node \/usr\/bin\/santinela centre/m,
  );
  const add = ["user", "add", "--email", EDGE.email, "--role", "operator", "--password-stdin"];
  execFileSync("podman", [...words(), "exec", "--interactive", CENTRE, "/usr/bin/santinela", ...add], {
    input: EDGE.password,
    stdio: ["pipe", "ignore", "pipe"],
  });
  const site = await ApiUser.signIn(centrePort, EDGE);
  const body = { name: "Alarmă", objectiveType: "obiective/cladiri", objectiveId: 12 };
  const { id } = await site.ask<Intervention>("POST", "/interventii", body);
  await podman("stop", "--time=60", CENTRE);
  await podman("start", CENTRE);
  await eventually(
    "the centre answers again",
    async () =>
      (await (await ApiUser.signIn(centrePort, EDGE)).ask<Intervention>("GET", `/interventii/${id}`)).name ===
      body.name,
    LIMIT_MS,
  );
  expect((await podman("exec", CENTRE, "/usr/bin/santinela", "interventions", "list")).stdout).toContain(
    "Alarmă",
  );
});
