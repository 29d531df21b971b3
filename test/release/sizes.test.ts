// The table of the sizes of a package, of a small one.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { describeUnless, findProgram } from "../support/required-programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { tableOf, withTable } = (await import(
  new URL("../../scripts/packaging/sizes.mjs", import.meta.url).href
)) as { tableOf: (path: string) => string; withTable: (page: string, table: string) => string };

const INSTALLED_SIZE = new URL("../../scripts/packaging/installed-size.sh", import.meta.url).pathname;
const MISSING = ["dpkg-deb", "xz"].find((program) => findProgram(program) === undefined);
const RELEASE = "usr/lib/santinela/package";

describeUnless(MISSING && `${MISSING} is missing`, "the sizes of a package", () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder()));

  function put(path: string, content: string): void {
    const file = join(folder, "tree", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  test("are those of its parts and of the shipped compression, whatever its own is", () => {
    put(
      "DEBIAN/control",
      "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: a\n",
    );
    put(`${RELEASE}/node/bin/node`, "0".repeat(5_000_000));
    put(`${RELEASE}/dist/main.js`, "0".repeat(1_000_000));
    put(`${RELEASE}/dist/panel/home.js`, "0".repeat(250_000));
    put("usr/share/doc/santinela/README.md", "0".repeat(100_000));
    put("usr/bin/santinela", "0".repeat(40_000));
    const path = join(folder, "a.deb");
    // Not compressed: 6.4 MB.
    execFileSync("dpkg-deb", ["--root-owner-group", "-Znone", "--build", join(folder, "tree"), path]);
    const rows = tableOf(path).trim().split("\n").slice(2);
    expect(rows).toEqual([
      "| Node.js | 1 | 5.0 | 0.0 |",
      "| web panel | 1 | 0.3 | 0.0 |",
      "| program | 1 | 1.0 | 0.0 |",
      "| documentation | 1 | 0.1 | 0.0 |",
      "| units, scripts, manual pages | 1 | 0.0 | 0.0 |",
      "| all, and the download | 5 | 6.4 | 0.0 |",
    ]);
  });

  test("replace the ones that the page has", () => {
    const page = `Before.\n\n<!-- sizes: begin (made by scripts/packaging/sizes.mjs) -->\n\nold\n\n<!-- sizes: end -->\n\nAfter.\n`;
    const next = withTable(page, "| new |\n");
    expect(next).toContain("-->\n\n| new |\n\n<!-- sizes: end -->\n\nAfter.");
    expect(next).not.toContain("old");
    expect(() => withTable("no markers", "| new |\n")).toThrow("markers");
  });
});

test("the Installed-Size of a package depends on its files alone, not on what their directory once had", () => {
  const size = (folder: string): string => execFileSync(INSTALLED_SIZE, [folder], { encoding: "utf8" });
  const folder = temporaryFolder();
  const longName = (number: number): string => join(folder, `${"x".repeat(200)}${number}`);
  const numbers = Array.from({ length: 500 }, (_, number) => number);
  // ext4 does not make a directory smaller, and tmpfs gives it another size.
  for (const number of numbers) writeFileSync(longName(number), "");
  for (const number of numbers) rmSync(longName(number));
  writeFileSync(join(folder, "empty"), "");
  writeFileSync(join(folder, "large"), "0".repeat(1025));
  expect(size(folder)).toBe("3\n");
});
