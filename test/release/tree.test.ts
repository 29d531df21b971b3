// The checks before a release, on small trees of their own.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { describeUnless, missingOf } from "../support/required-programs.ts";

describe("the tree of a release", () => {
  let tree: string;

  beforeEach(() => {
    tree = temporaryFolder();
    git("init", "--quiet", "--initial-branch", "main");
    mkdirSync(join(tree, ".cache"));
    write(".gitignore", ".cache/\n");
    write("package.json", JSON.stringify({ version: "0.2.0" }));
    write("package-lock.json", JSON.stringify({ version: "0.2.0", packages: { "": { version: "0.2.0" } } }));
    write(
      "CHANGELOG.md",
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n- New.\n\n## 0.1.0 - 2026-11-21\n\n- Old.\n",
    );
    commit();
  });
  function git(...words: string[]): void {
    execFileSync("git", ["-C", tree, "-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
      stdio: "pipe",
    });
  }
  const write = (name: string, text: string): void => {
    writeFileSync(join(tree, name), text);
  };
  /** Commits everything, and notes that the commands of the README have passed on Debian with it. */
  const commit = (): void => {
    git("add", "--all");
    git("commit", "--quiet", "--message", "x");
    const head = execFileSync("git", ["-C", tree, "rev-parse", "HEAD"], { encoding: "utf8" });
    write(".cache/passed-on-debian", head);
  };
  const releaseWith = (
    env: Record<string, string>,
    ...words: string[]
  ): { status: number | null; stdout: string; stderr: string } =>
    spawnSync("node", ["scripts/release.mjs", ...words], {
      encoding: "utf8",
      env: { ...process.env, RELEASE_TREE: tree, ...env },
    });
  const release = (...words: string[]): ReturnType<typeof releaseWith> => releaseWith({}, ...words);

  test("is accepted when it is clean, on main and has its notes", () => {
    const { status, stderr } = release("--dry-run");
    expect(stderr).toContain("ready for a release; nothing is built");
    expect(status).toBe(0);
  });

  test("is refused with every reason at once", () => {
    write("package.json", JSON.stringify({ version: "0.3.0" }));
    write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- Waits.\n\n## 0.3.0 - soon\n\n- New.\n");
    git("checkout", "--quiet", "-b", "trial");
    const { status, stderr } = release("--dry-run");
    expect(status).toBe(65);
    for (const reason of [
      "not committed: CHANGELOG.md, package.json",
      "the branch is trial",
      "package-lock.json has the version 0.2.0, package.json 0.3.0",
      'no section "## 0.3.0 - <date>"',
      "entries under Unreleased",
    ])
      expect(stderr).toContain(reason);
  });

  test.each([
    ["for no commit", (): void => rmSync(join(tree, ".cache/passed-on-debian")), "but for no commit"],
    ["for another commit", (): void => git("commit", "--quiet", "--amend", "--message", "y"), "but for "],
  ])(
    "is refused if the commands of the README have passed on an empty Debian %s",
    (_what, change, reason) => {
      change();
      const { status, stderr } = release("--dry-run");
      expect(status).toBe(65);
      expect(stderr).toContain(`have not passed on an empty Debian 13 for this commit, ${reason}`);
      expect(stderr).toContain("npm run test:debian");
    },
  );

  test("is refused if the version is the tag of another commit", () => {
    git("tag", "v0.2.0");
    expect(release("--dry-run").status).toBe(0);
    write("new", "");
    commit();
    const { status, stderr } = release("--dry-run");
    expect(status).toBe(65);
    expect(stderr).toContain("the tag v0.2.0 names another commit");
  });

  describeUnless(missingOf({ gpg: "gnupg" }), "and the key", () => {
    const KEY = "release-test@example.org";
    let keys: string;
    beforeEach(() => (keys = temporaryFolder()));
    afterEach(() => execFileSync("gpgconf", ["--homedir", keys, "--kill", "gpg-agent"]));

    const gpg = (...words: string[]): string =>
      execFileSync("gpg", ["--homedir", keys, "--batch", "--quiet", ...words], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
    /** @param time of its creation */
    function createKey(time: string): void {
      const made = ["--quick-generate-key", KEY, "ed25519", "sign", "0"];
      gpg("--faked-system-time", time, "--passphrase", "", ...made);
    }
    const withKey = (): { status: number | null; stderr: string } =>
      releaseWith({ GNUPGHOME: keys }, "--dry-run", "--key", KEY);

    test("are accepted if it can sign at the time of the commit", () => {
      createKey("20200101T000000");
      expect(withKey()).toMatchObject({ status: 0 });
    });

    test.each([
      ["is absent", (): void => {}, `gpg has no key ${KEY}`],
      ["is newer than the commit", (): void => createKey("20990101T000000"), "gpg cannot sign with this key"],
      [
        "has no secret half",
        (): void => {
          createKey("20200101T000000");
          rmSync(join(keys, "private-keys-v1.d"), { recursive: true });
        },
        "gpg cannot sign with this key",
      ],
    ])("are refused before anything is built if the key %s", (_what, prepare, reason) => {
      prepare();
      const { status, stderr } = withKey();
      expect(status).toBe(65);
      expect(stderr).toContain(reason);
      expect(stderr).not.toContain("the tree is ready");
    });
  });

  test.each([
    [["--to", "x"], "name the key that signs the repository"],
    [["--key", "x"], "name the folder of the release"],
    [["--dry-run", "--architectures", "armhf"], "there is no package for armhf"],
    [["--dri-run"], "--dri-run"],
  ])("the options %j are refused", (words, reason) => {
    const { status, stderr } = release(...words);
    expect(status).toBe(64);
    expect(stderr).toContain(reason);
  });
});
