import { VERSION } from "../../src/generated/version.ts";
import type { Container } from "./container.ts";

/** Version of the release after the one under test. */
export const NEXT = "99.0.0";
/** The program of the unpacked package. */
export const MAIN = "tree/usr/lib/santinela/package/dist/main.js";
/** The change of the release that only has another version. */
export const RENUMBER = `grep -rlF 'VERSION = "${VERSION}"' tree/usr/lib/santinela/package/dist | xargs sed -i 's/VERSION = "${VERSION}"/VERSION = "${NEXT}"/'`;

/** Puts the package under test at /srv/this.deb. */
export function copyThis(debian: Container): Promise<string> {
  return debian.ok("mkdir -p /srv && cp /packages/santinela_*.deb /srv/this.deb");
}

/** Packs /srv/<name>.deb from /srv/this.deb. @param change shell command that changes the unpacked package in /srv/tree */
export async function repack(
  debian: Container,
  name: string,
  change: string,
  version: string = NEXT,
): Promise<void> {
  await debian.ok(`cd /srv && dpkg-deb -R this.deb tree && ${change} &&
    sed -i 's/^Version: .*/Version: ${version}/' tree/DEBIAN/control && dpkg-deb -Zgzip -z1 -b tree ${name}.deb && rm -r tree`);
}
