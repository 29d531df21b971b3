import { readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Whether a path is read-only for this process alone, as outside ReadWritePaths= of a service: the disk itself takes writes.
 * @param path need not exist
 */
export function isReadOnlyHere(path: string): boolean {
  try {
    return isMountReadOnly(existingPart(path), readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return false;
  }
}

/**
 * Whether the mount at a path is read-only, and its file system is not.
 * @param mounts text of /proc/self/mountinfo (proc_pid_mountinfo(5))
 */
export function isMountReadOnly(path: string, mounts: string): boolean {
  let found = { at: "", isReadOnly: false };
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , , at = "", options = ""] = before.split(" ");
    const isAbove = at === "/" || path === at || path.startsWith(`${at}/`);
    // Of two mounts at one place, the later one is visible.
    if (at === "" || !isAbove || at.length < found.at.length) continue;
    const ofFileSystem = after.split(" ")[2] ?? "";
    found = { at, isReadOnly: hasOption(options, "ro") && hasOption(ofFileSystem, "rw") };
  }
  return found.isReadOnly;
}

function hasOption(options: string, name: string): boolean {
  return options.split(",").includes(name);
}

function existingPart(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw cause;
    return existingPart(dirname(path));
  }
}
