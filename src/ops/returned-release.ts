import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * The release that was installed and did not stay up, so that `santinela-upgrade --watch` has returned to this one. The
 * package gives each release a folder in `releases`, and the note is beside that.
 * @param program path of the running program, in `dist` of its release
 * @returns its version; undefined if there was no return, the program was not installed by a package, or is of that release itself,
 *   as a dispatch centre that could not return
 */
export function returnedRelease(program: string = process.argv[1] ?? ""): string | undefined {
  try {
    const release = dirname(dirname(realpathSync(program)));
    const releases = dirname(release);
    if (basename(releases) !== "releases") return undefined;
    // A version of Debian is short; a damaged note must not fill a message.
    const version = readFileSync(join(dirname(releases), "returned"), "utf8")
      .trim()
      .slice(0, 100);
    // A release has the folder of its version with a number: `1.2.0.1`.
    const isOwn = basename(release).replace(/\.\d+$/, "") === version;
    return version === "" || isOwn ? undefined : version;
  } catch {
    return undefined;
  }
}
