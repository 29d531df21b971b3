// A change of the key of an apt repository, as a machine sees it that trusts the former one.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { aptOf, fileServer, NO_APT, type Apt } from "../support/apt-machine.ts";
import { close, listen } from "../support/loopback.ts";
import { describeUnless } from "../support/required-programs.ts";

const FORMER = "former@example.org";
const NEXT = "next@example.org";
const EPOCH_S = 1_700_000_000;
const RING = "usr/share/keyrings/santinela-archive-keyring.gpg";

describeUnless(NO_APT, "the keys of the apt repository", () => {
  let folder: string;
  let keys: string;
  let repository: string;
  /** What a machine that trusts the former key has in its file system. */
  let machine: string;
  let server: Server;
  let apt: Apt;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "release-keys-"));
    keys = mkdtempSync(join(tmpdir(), "keys-"));
    for (const key of [FORMER, NEXT]) {
      const words = ["--faked-system-time", String(EPOCH_S - 1), "--passphrase", "", "--quick-generate-key"];
      const options = ["--homedir", keys, "--batch", "--quiet", ...words, key, "ed25519", "sign", "0"];
      execFileSync("gpg", options, { stdio: "pipe" });
    }
  });
  afterAll(() => {
    execFileSync("gpgconf", ["--homedir", keys, "--kill", "gpg-agent"]);
    for (const made of [folder, keys]) rmSync(made, { recursive: true, force: true });
  });

  beforeEach(async () => {
    repository = mkdtempSync(join(folder, "repository-"));
    machine = mkdtempSync(join(folder, "machine-"));
    expect(publish("1.0.0", FORMER)).toMatchObject({ status: 0 });
    mkdirSync(join(machine, "usr/share/keyrings"), { recursive: true });
    cpSync(join(repository, "santinela-archive-keyring.gpg"), join(machine, RING));
    server = fileServer(repository);
    apt = aptOf(join(machine, "apt"), join(machine, RING), await listen(server));
    return () => close(server);
  });

  /** Publishes a version, a minute later than the one before it. */
  function publish(
    version: string,
    key: string,
    ...options: readonly string[]
  ): { status: number | null; stderr: string } {
    const tree = join(folder, `tree-${version}`);
    mkdirSync(join(tree, "DEBIAN"), { recursive: true });
    writeFileSync(
      join(tree, "DEBIAN/control"),
      `Package: santinela\nVersion: ${version}\nArchitecture: amd64\nMaintainer: A <a@example.org>\nDescription: test\n`,
    );
    const path = join(folder, `${version}.deb`);
    const epochS = EPOCH_S + 60 * Number(version.split(".")[1]);
    const env = { ...process.env, GNUPGHOME: keys, SOURCE_DATE_EPOCH: String(epochS) };
    execFileSync("dpkg-deb", ["-Zgzip", "--root-owner-group", "--build", tree, path], { env, stdio: "pipe" });
    const words = ["scripts/release/repository.mjs", repository, key, path, ...options];
    return spawnSync("node", words, { encoding: "utf8", env });
  }

  const keyringPackages = (): string[] =>
    readdirSync(join(repository, "pool/main/s/santinela"))
      .filter((name) => name.startsWith("santinela-archive-keyring_"))
      .toSorted();
  const candidate = async (name: string): Promise<string> =>
    /Candidate: (\S+)/.exec((await apt("policy", name)).stdout)?.[1] ?? "none";
  const update = (): Promise<boolean> =>
    apt("update", "--error-on=any").then(
      () => true,
      () => false,
    );

  /** What dpkg does with the keyring package that apt has found. */
  async function upgradeKeyring(): Promise<void> {
    const name = `santinela-archive-keyring_${await candidate("santinela-archive-keyring")}_all.deb`;
    const path = join(repository, "pool/main/s/santinela", name);
    execFileSync("dpkg-deb", ["--extract", path, machine]);
  }

  test("come in a package: with the next key in it, a machine accepts what is signed with that key", async () => {
    expect(publish("1.1.0", FORMER, "--also-trust", NEXT)).toMatchObject({ status: 0 });
    expect(await update()).toBe(true);
    expect(await candidate("santinela")).toBe("1.1.0");
    await upgradeKeyring();
    expect(publish("1.2.0", NEXT)).toMatchObject({ status: 0 });
    expect(await update()).toBe(true);
    expect(await candidate("santinela")).toBe("1.2.0");
    // The former key is no longer trusted after the next upgrade.
    await upgradeKeyring();
    expect(publish("1.3.0", FORMER)).toMatchObject({ status: 0 });
    expect(await update()).toBe(false);
    expect(await candidate("santinela")).not.toBe("1.3.0");
  });

  test("of a machine that has missed the package are replaced by hand", async () => {
    publish("1.1.0", NEXT);
    expect(await update()).toBe(false);
    expect(await candidate("santinela")).not.toBe("1.1.0");
    cpSync(join(repository, "santinela-archive-keyring.gpg"), join(machine, RING));
    expect(await update()).toBe(true);
    expect(await candidate("santinela")).toBe("1.1.0");
  });

  test("that have not changed make no further package", () => {
    expect(keyringPackages()).toEqual(["santinela-archive-keyring_2023.11.14.221320_all.deb"]);
    publish("1.1.0", FORMER);
    expect(keyringPackages()).toHaveLength(1);
    publish("1.2.0", FORMER, "--also-trust", NEXT);
    expect(keyringPackages()).toEqual([
      "santinela-archive-keyring_2023.11.14.221320_all.deb",
      "santinela-archive-keyring_2023.11.14.221520_all.deb",
    ]);
    // Whichever of the two signs.
    publish("1.3.0", NEXT, "--also-trust", FORMER);
    expect(keyringPackages()).toHaveLength(2);
  });

  test("are not those of an older release, which machines would not install", () => {
    publish("1.2.0", FORMER, "--also-trust", NEXT);
    const before = readFileSync(join(repository, "dists/stable/InRelease"), "utf8");
    const { status, stderr } = publish("1.1.0", FORMER);
    expect(status).toBe(1);
    expect(stderr).toContain("santinela-archive-keyring_2023.11.14.221520_all.deb has other keys");
    expect(readFileSync(join(repository, "dists/stable/InRelease"), "utf8")).toBe(before);
  });

  test("are not lost by a release that forgets the next one, which would lock machines out later", async () => {
    publish("1.1.0", FORMER, "--also-trust", NEXT);
    await update();
    await upgradeKeyring();
    const forgotten = publish("1.2.0", FORMER);
    expect(forgotten.status).toBe(1);
    const [, next = "none"] = /add --also-trust ([0-9A-F]{40}),/.exec(forgotten.stderr) ?? [];
    expect(keyringPackages()).toHaveLength(2);
    expect(publish("1.2.0", FORMER, "--also-trust", next)).toMatchObject({ status: 0 });
    expect(publish("1.3.0", NEXT)).toMatchObject({ status: 0 });
    expect(await update()).toBe(true);
    expect(await candidate("santinela")).toBe("1.3.0");
  });

  test("are left out on purpose by their fingerprint", () => {
    publish("1.1.0", FORMER, "--also-trust", NEXT);
    const [, next = "none"] = /--also-trust ([0-9A-F]{40}),/.exec(publish("1.2.0", FORMER).stderr) ?? [];
    expect(publish("1.2.0", FORMER, "--no-longer-trust", next)).toMatchObject({ status: 0 });
    expect(keyringPackages()).toHaveLength(3);
  });

  test("must be in the key ring of the release", () => {
    const { status, stderr } = publish("1.1.0", FORMER, "--also-trust", "absent@example.org");
    expect(status).toBe(1);
    expect(stderr).toContain("gpg has no key absent@example.org");
  });
});
