import { existsSync, readFileSync, realpathSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, sep } from "node:path";

/** A file system whose contents are gone after the next boot. */
type VolatileFileSystem = "overlay" | "tmpfs" | "ramfs";

/** Types of statfs(2), from linux/magic.h. */
const OVERLAY = 0x794c_7630;
const IN_MEMORY: ReadonlyMap<number, VolatileFileSystem> = new Map([
  [0x0102_1994, "tmpfs"],
  [0x8584_58f6, "ramfs"],
]);

/** In a container the overlay belongs to the container's engine, which keeps it. */
const CONTAINER_MARKS: readonly string[] = ["/run/systemd/container", "/.dockerenv", "/run/.containerenv"];

/**
 * Whether files in a folder are lost at the next boot. A folder below the directory of temporary files was chosen to be
 * temporary, as in the demo, and does not count.
 * @param folder an existing folder
 * @returns undefined if they are kept, or if it cannot be found out
 */
export function volatileFileSystem(folder: string): VolatileFileSystem | undefined {
  try {
    const path = realpathSync(folder);
    if (`${path}${sep}`.startsWith(`${realpathSync(tmpdir())}${sep}`)) return undefined;
    const { type } = statfsSync(path);
    if (type !== OVERLAY) return IN_MEMORY.get(type);
    if (CONTAINER_MARKS.some((mark) => existsSync(mark))) return undefined;
    return isOnDisk(upperFolderOf(path, readFileSync("/proc/self/mountinfo", "utf8")))
      ? undefined
      : "overlay";
  } catch {
    return undefined;
  }
}

/**
 * What is lost at the next boot, as a condition with its values: all data, or with data on a partition of its own and an overlay over
 * the root, what the web panel and an enrolment write beside the configuration. undefined if nothing is.
 * @param configurationFile null if there is none
 */
export function volatileStorage(
  dataDir: string,
  configurationFile: string | null,
):
  | readonly [
      "storage-volatile" | "configuration-volatile",
      { readonly folder: string; readonly fileSystem: string },
    ]
  | undefined {
  const fileSystem = volatileFileSystem(dataDir);
  if (fileSystem !== undefined) return ["storage-volatile", { folder: dataDir, fileSystem }];
  if (configurationFile === null) return undefined;
  const folder = dirname(configurationFile);
  const ofConfiguration = volatileFileSystem(folder);
  return ofConfiguration && ["configuration-volatile", { folder, fileSystem: ofConfiguration }];
}

/**
 * The folder that takes the changes of the overlay at a path.
 * @param mounts text of /proc/self/mountinfo (proc_pid_mountinfo(5))
 */
export function upperFolderOf(path: string, mounts: string): string | undefined {
  let found: { readonly at: string; readonly upper: string | undefined } | undefined;
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const at = before.split(" ")[4] ?? "";
    const isAbove = at === "/" || path === at || path.startsWith(`${at}/`);
    if (at === "" || !isAbove || at.length < (found?.at.length ?? 0)) continue;
    found = { at, upper: /^overlay .*[ ,]upperdir=([^, ]+)/.exec(after)?.[1] };
  }
  return found?.upper;
}

/** A folder that is not visible belongs to the start of the machine, which made the root read-only. */
function isOnDisk(upper: string | undefined): boolean {
  if (upper === undefined || !existsSync(upper)) return false;
  return !IN_MEMORY.has(statfsSync(upper).type);
}
