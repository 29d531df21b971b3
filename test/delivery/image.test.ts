// The OCI image of a release, run by podman and runc with a read-only root and without capabilities: npm run test:release.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/loopback.ts";

const LIMIT_MS = 180_000;
const IMAGE = `localhost/santinela:${VERSION}`;
const NAME = "santinela-under-test";

let store: string;
let port: number;

/** Runs podman with a store of its own. The network and the limits are those of this machine: it may be a container itself. */
const podman = (...words: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)("podman", [
    `--root=${store}/root`,
    `--runroot=${store}/run`,
    "--storage-driver=vfs",
    "--cgroup-manager=cgroupfs",
    "--events-backend=file",
    "--runtime=runc",
    ...words,
  ]);

const OPTIONS =
  "--detach --replace --network=host --read-only --cap-drop=all --volume=data:/var/lib/santinela".split(" ");
const LIMITS = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"];

const start = (): Promise<unknown> => {
  const settings = { HTTP__HOST: "127.0.0.1", HTTP__PORT: port, MQTT: "off" };
  const environment = Object.entries(settings).map(([name, value]) => `--env=SANTINELA_${name}=${value}`);
  return podman("run", `--name=${NAME}`, ...OPTIONS, ...LIMITS, ...environment, IMAGE);
};
const isReady = (): Promise<boolean> =>
  podman("logs", NAME).then(({ stdout, stderr }) => `${stdout}${stderr}`.includes('"event":"ready"'));

beforeAll(async () => {
  store = mkdtempSync(join(tmpdir(), "image-"));
  port = await freePort();
  const archive = join(store, "image.tar");
  execFileSync("node", ["scripts/release/image.mjs", archive, process.env["TEST_PACKAGE"] ?? ""], {
    stdio: "pipe",
  });
  await podman("load", "--input", archive);
  await start();
  await eventually("the daemon is ready", isReady, LIMIT_MS);
});
afterAll(async () => {
  await podman("rm", "--force", "--volumes", NAME).catch(() => {});
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
