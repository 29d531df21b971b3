// The apt repository of a release, read by the apt of this machine over HTTP, with folders of its own.
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { aptOf, fileServer, NO_APT, type Apt } from "../support/apt-machine.ts";
import { close, listen } from "../support/loopback.ts";
import { describeUnless } from "../support/required-programs.ts";

const KEY = "release-test@example.org";
const EPOCH_S = 1_700_000_000;

describeUnless(NO_APT, "the apt repository of a release", () => {
  let folder: string;
  let keys: string;
  let first: string;
  let second: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "release-"));
    keys = mkdtempSync(join(tmpdir(), "keys-"));
    gpg(
      "--faked-system-time",
      String(EPOCH_S - 1),
      "--passphrase",
      "",
      "--quick-generate-key",
      KEY,
      "ed25519",
      "sign",
      "0",
    );
    first = packageOf("1.0.0");
    second = packageOf("1.1.0");
  });
  afterAll(() => {
    execFileSync("gpgconf", ["--homedir", keys, "--kill", "gpg-agent"]);
    for (const made of [folder, keys]) rmSync(made, { recursive: true, force: true });
  });

  function gpg(...words: string[]): void {
    execFileSync("gpg", ["--homedir", keys, "--batch", "--quiet", ...words], { stdio: "pipe" });
  }

  function packageOf(version: string): string {
    const tree = join(folder, `tree-${version}`);
    mkdirSync(join(tree, "DEBIAN"), { recursive: true });
    writeFileSync(
      join(tree, "DEBIAN/control"),
      `Package: santinela\nVersion: ${version}\nArchitecture: amd64\nMaintainer: A <a@example.org>\nDescription: test\n`,
    );
    const path = join(folder, `santinela_${version}_amd64.deb`);
    execFileSync("dpkg-deb", ["-Zgzip", "--root-owner-group", "--build", tree, path], { stdio: "pipe" });
    return path;
  }

  /** Runs the command in a shell with a mask and a time zone. @returns its exit code and error */
  function publish(
    repository: string,
    packages: readonly string[],
    { key = KEY, umask = "022", TZ = "UTC", epochS = EPOCH_S } = {},
  ): { status: number | null; stderr: string } {
    return spawnSync(
      "bash",
      [
        "-c",
        `umask ${umask}; exec node scripts/release/repository.mjs "$@"`,
        "-",
        repository,
        key,
        ...packages,
      ],
      { encoding: "utf8", env: { ...process.env, TZ, GNUPGHOME: keys, SOURCE_DATE_EPOCH: String(epochS) } },
    );
  }

  test("is the same twice, whatever the folder, the mask and the time zone", () => {
    const here = join(folder, "here");
    const there = join(folder, "further/down");
    expect(publish(here, [first, second])).toMatchObject({ status: 0 });
    expect(publish(there, [second, first], { umask: "077", TZ: "Europe/Bucharest" })).toMatchObject({
      status: 0,
    });
    expect(contents(there)).toEqual(contents(here));
    expect(Object.keys(contents(here))).toContain("dists/stable/InRelease");
  });

  test("refuses to change a version that is published, and keeps it", () => {
    const repository = join(folder, "published");
    publish(repository, [first]);
    const before = contents(repository);
    const changed = join(folder, "changed.deb");
    writeFileSync(changed, readFileSync(first));
    appendFileSync(changed, "\n");
    const { status, stderr } = publish(repository, [changed]);
    expect(status).toBe(1);
    expect(stderr).toContain("a published version never changes");
    expect(contents(repository)).toEqual(before);
  });

  test.each([
    ["a key that gpg does not have", { key: "absent@example.org" }, "gpg has no key absent@example.org"],
    ["a key that is newer than the commit", { epochS: EPOCH_S - 1000 }, "gpg cannot sign with this key"],
  ])("refuses %s, with the reason", (_what, options, reason) => {
    const { status, stderr } = publish(join(folder, "unsigned"), [first], options);
    expect(status).toBe(1);
    expect(stderr).toContain(reason);
    expect(existsSync(join(folder, "unsigned/dists/stable/InRelease"))).toBe(false);
  });

  describe("the checksums of the files beside it", () => {
    const NAMES = ["santinela_1.0.0_amd64.deb", "santinela_1.1.0_amd64.deb"];
    const sign = (): void => {
      execFileSync("node", ["scripts/release/checksums.mjs", folder, KEY, ...NAMES], {
        env: { ...process.env, GNUPGHOME: keys, SOURCE_DATE_EPOCH: String(EPOCH_S) },
        stdio: "pipe",
      });
    };
    /** With nothing but the public key of the repository, as on a machine that downloads. */
    const isSigned = (): boolean => {
      const visitor = ["--homedir", mkdtempSync(join(keys, "visitor-")), "--batch"];
      execFileSync("gpg", [...visitor, "--import", ring], { stdio: "pipe" });
      return (
        spawnSync("gpg", [...visitor, "--verify", "SHA256SUMS.asc", "SHA256SUMS"], { cwd: folder }).status ===
        0
      );
    };
    let ring: string;
    beforeEach(() => {
      const repository = mkdtempSync(join(folder, "signed-"));
      publish(repository, [first]);
      ring = join(repository, "santinela-archive-keyring.gpg");
      sign();
    });

    test("are signed by the key of the repository, the same twice", () => {
      const before = readFileSync(join(folder, "SHA256SUMS.asc"), "utf8");
      sign();
      expect(readFileSync(join(folder, "SHA256SUMS.asc"), "utf8")).toBe(before);
      expect(isSigned()).toBe(true);
      const { stdout } = spawnSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: folder, encoding: "utf8" });
      expect(stdout).toBe(NAMES.map((name) => `${name}: OK\n`).join(""));
    });

    test("have no valid signature once a line has changed", () => {
      appendFileSync(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  santinela_1.2.0_amd64.deb\n`);
      expect(isSigned()).toBe(false);
    });
  });

  describe("served over HTTP", () => {
    let repository: string;
    let server: Server;
    let apt: Apt;

    beforeEach(async () => {
      repository = mkdtempSync(join(folder, "served-"));
      publish(repository, [first]);
      server = fileServer(repository);
      const ring = join(repository, "santinela-archive-keyring.gpg");
      apt = aptOf(mkdtempSync(join(folder, "machine-")), ring, await listen(server));
      return () => close(server);
    });

    test("apt finds the release, then the next one", async () => {
      await apt("update");
      expect((await apt("policy", "santinela")).stdout).toContain("Candidate: 1.0.0");
      publish(repository, [second], { epochS: EPOCH_S + 60 });
      await apt("update");
      const { stdout } = await apt("policy", "santinela");
      expect(stdout).toContain("Candidate: 1.1.0");
      // What the origin pattern of unattended upgrades compares.
      expect((await apt("policy")).stdout).toContain("o=Santinela,a=stable,n=stable,l=Santinela");
      expect((await apt("install", "--yes", "--print-uris", "santinela=1.0.0")).stdout).toContain(
        "1.0.0_amd64.deb",
      );
    });

    test("apt refuses an index that was changed after its signature", async () => {
      const index = join(repository, "dists/stable/InRelease");
      writeFileSync(index, readFileSync(index, "utf8").replace("Label: Santinela", "Label: Santinelo"));
      rmSync(join(repository, "dists/stable/Release.gpg"));
      const { stderr } = await apt("update").catch((error: unknown) => error as { stderr: string });
      expect(stderr).toMatch(/signature.*invalid|BADSIG|not signed/i);
      expect((await apt("policy", "santinela")).stdout).not.toContain("Candidate: 1.0.0");
    });
  });
});

/** Each file below `folder` with its bytes. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => statSync(join(folder, path)).isFile())
      .toSorted()
      .map((path) => [path, readFileSync(join(folder, path), "base64")]),
  );
}
