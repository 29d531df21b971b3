// The checks before a release, on small trees of their own.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

describe("the tree of a release", () => {
  let tree: string;

  beforeEach(() => {
    tree = mkdtempSync(join(tmpdir(), "tree-"));
    git("init", "--quiet", "--initial-branch", "main");
    write("package.json", JSON.stringify({ version: "0.2.0" }));
    write("package-lock.json", JSON.stringify({ version: "0.2.0", packages: { "": { version: "0.2.0" } } }));
    write(
      "CHANGELOG.md",
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n- New.\n\n## 0.1.0 - 2026-11-21\n\n- Old.\n",
    );
    commit();
  });
  afterEach(() => {
    rmSync(tree, { recursive: true, force: true });
  });

  function git(...words: string[]): void {
    execFileSync("git", ["-C", tree, "-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
      stdio: "pipe",
    });
  }
  const write = (name: string, text: string): void => {
    writeFileSync(join(tree, name), text);
  };
  const commit = (): void => {
    git("add", "--all");
    git("commit", "--quiet", "--message", "x");
  };
  const release = (...words: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync("node", ["scripts/release.mjs", ...words], {
      encoding: "utf8",
      env: { ...process.env, RELEASE_TREE: tree },
    });

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

  test("is refused if the version is the tag of another commit", () => {
    git("tag", "v0.2.0");
    expect(release("--dry-run").status).toBe(0);
    write("new", "");
    commit();
    const { status, stderr } = release("--dry-run");
    expect(status).toBe(65);
    expect(stderr).toContain("the tag v0.2.0 names another commit");
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
