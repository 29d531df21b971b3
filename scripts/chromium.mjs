// Where the Chromium of this machine is, for the tests, and for the scripts that measure the web panel and take its pictures.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The headless program where there is one: a page in a context of its own takes a fifth of the whole browser's time. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** The program that the environment variable CHROMIUM names, or the first on the path; undefined if there is none. */
export function findChromium() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return process.env.CHROMIUM ?? paths.find((path) => existsSync(path));
}

/** As `findChromium`. @throws Error if there is none */
export function chromiumPath() {
  const path = findChromium();
  if (path === undefined)
    throw new Error("Chromium is not installed; on Debian: sudo apt-get install chromium-headless-shell");
  return path;
}
