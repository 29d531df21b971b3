// What the source tree must be before its release is built, and the notes of the release.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The commit for which scripts/test-debian.sh has passed. */
const PASSED = ".cache/passed-on-debian";

/**
 * Why the tree in `root` is not the one of a release; empty if it is.
 * @param branch the branch that releases are made of
 */
export function faultsOf(root, branch = "main") {
  const { version } = readJson(root, "package.json");
  const lock = readJson(root, "package-lock.json");
  const faults = [];
  const changed = git(root, "status", "--porcelain").split("\n").filter(Boolean);
  if (changed.length > 0)
    faults.push(
      `the tree has changes that are not committed: ${changed.map((line) => line.slice(3)).join(", ")}`,
    );
  const current = git(root, "rev-parse", "--abbrev-ref", "HEAD");
  if (current !== branch) faults.push(`the branch is ${current}, a release is made of ${branch}`);
  for (const [place, locked] of [
    ["package-lock.json", lock.version],
    ["packages of package-lock.json", lock.packages?.[""]?.version],
  ])
    if (locked !== version)
      faults.push(`${place} has the version ${locked}, package.json ${version}: run npm install`);
  const notes = notesOf(root, version);
  if (notes === undefined) faults.push(`CHANGELOG.md has no section "## ${version} - <date>"`);
  else if (notes === "") faults.push(`the section of ${version} in CHANGELOG.md is empty`);
  const unreleased = sectionOf(changelogOf(root), /^## Unreleased$/);
  if (unreleased)
    faults.push(`CHANGELOG.md still has entries under Unreleased: move them to the section of ${version}`);
  const tagged = git(root, "tag", "--list", `v${version}`);
  if (tagged && git(root, "rev-parse", `v${version}^{commit}`) !== git(root, "rev-parse", "HEAD"))
    faults.push(`the tag v${version} names another commit: raise the version`);
  const passed = existsSync(join(root, PASSED))
    ? readFileSync(join(root, PASSED), "utf8").trim()
    : "no commit";
  if (passed !== git(root, "rev-parse", "HEAD"))
    faults.push(
      `the commands of the README have not passed on an empty Debian 13 for this commit, but for ${passed}: sudo npm run test:debian`,
    );
  return faults;
}

/** The section of `version` in CHANGELOG.md without its heading; undefined if there is none. */
export function notesOf(root, version) {
  const escaped = version.replaceAll(".", String.raw`\.`);
  return sectionOf(changelogOf(root), new RegExp(String.raw`^## ${escaped} - \d{4}-\d{2}-\d{2}$`));
}

/** The text from the heading to the next of its level. */
function sectionOf(text, heading) {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => heading.test(line));
  if (start === -1) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith("## "));
  return lines
    .slice(start + 1, length === -1 ? undefined : start + 1 + length)
    .join("\n")
    .trim();
}

function changelogOf(root) {
  const path = join(root, "CHANGELOG.md");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function readJson(root, name) {
  return JSON.parse(readFileSync(join(root, name), "utf8"));
}

function git(root, ...words) {
  return execFileSync("git", ["-C", root, ...words], { encoding: "utf8" }).trimEnd();
}
