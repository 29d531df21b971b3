// The package before Debian's checker, which knows what breaks an installation: npm run test:release.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const PACKAGE = process.env["TEST_PACKAGE"] ?? "";

test("lintian finds nothing in the package that is not explained beside it", () => {
  const options = ["--no-cfg", "--allow-root", "--quiet", "--tag-display-limit", "0", "--display-info"];
  // Its releases look for different things: an override of one is without use in another, and an error where its subject is
  // unknown, as that of the other init systems, which the package cannot serve because it depends on systemd.
  const notInAll =
    "unused-override,mismatched-override,package-supports-alternative-init-but-no-init.d-script";
  const unused = ["--suppress-tags", notInAll];
  const words = [...options, ...unused, "--fail-on", "none", PACKAGE];
  expect(execFileSync("lintian", words, { encoding: "utf8" })).toBe("");
});
