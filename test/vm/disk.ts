import { execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Copies the disk under test, with further files on it from its first boot on.
 * @param folder for the copy
 * @param files texts by their paths in the machine; the folder above each may be missing, but not the one above that
 * @returns the path of the copy
 */
export function diskWith(folder: string, files: Readonly<Record<string, string>>): string {
  const disk = join(folder, "disk.img");
  copyFileSync(process.env["TEST_VM_DISK"] ?? "", disk);
  const source = join(folder, "file");
  for (const [path, text] of Object.entries(files)) {
    writeFileSync(source, text);
    const requests = [`mkdir ${dirname(path)}`, `rm ${path}`, `write ${source} ${path}`];
    // A folder that is there, and a file that is not, are errors of the first two, which are not fatal.
    execFileSync("debugfs", ["-w", "-f", "-", disk], { input: `${requests.join("\n")}\n`, stdio: "pipe" });
    const written = execFileSync("debugfs", ["-R", `cat ${path}`, disk], { encoding: "utf8", stdio: "pipe" });
    if (written !== text) throw new Error(`${path} is not on the disk: ${written}`);
  }
  return disk;
}
