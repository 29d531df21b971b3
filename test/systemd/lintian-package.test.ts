// The packages before Debian's checker, which knows what breaks an installation.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeUnless, findProgram } from "../support/required-programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { keyringPackageFor } = (await import(
  new URL("../../scripts/release/keyring.mjs", import.meta.url).href
)) as {
  keyringPackageFor: (pool: string, ring: Buffer, epochS: number) => { write: () => void } | undefined;
};

const PACKAGES = process.env["TEST_PACKAGES"] ?? "";
const MISSING =
  findProgram("lintian") === undefined ? "lintian is missing: apt-get install lintian" : undefined;
/** 1 December 2026, the time of a release. */
const EPOCH_S = 1_796_083_200;

/** What lintian says about a package, overridden tags not included. */
function complaintsOf(path: string): string {
  const options = ["--no-cfg", "--allow-root", "--quiet", "--tag-display-limit", "0", "--display-info"];
  // Its releases look for different things: an override of one is without use in another, and an error where its subject is
  // unknown, as that of the other init systems, which the package cannot serve because it depends on systemd.
  const notInAll =
    "unused-override,mismatched-override,package-supports-alternative-init-but-no-init.d-script";
  const words = [...options, "--suppress-tags", notInAll, "--fail-on", "none", path];
  return execFileSync("lintian", words, { encoding: "utf8" });
}

describeUnless(MISSING, "lintian finds nothing that is not explained beside it", () => {
  test("in the package", () => {
    const file = readdirSync(PACKAGES).find((name) => /^santinela_.*\.deb$/.test(name)) ?? "";
    const path = join(PACKAGES, file);
    const units = execFileSync("dpkg-deb", ["--contents", path], { encoding: "utf8" });
    expect(units).toContain("./usr/lib/systemd/system/santinela-centre.service");
    expect(complaintsOf(path)).toBe("");
  });

  test("in the package with the keys of the repository", () => {
    const pool = temporaryFolder();
    keyringPackageFor(pool, Buffer.from("a key ring"), EPOCH_S)?.write();
    const [file = ""] = readdirSync(pool);
    expect(complaintsOf(join(pool, file))).toBe("");
  });
});
