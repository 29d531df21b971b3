// Where the Chromium of this machine is, for the scripts that measure the web panel and take its pictures.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** As in the tests (test/support/browser.ts): the headless program where there is one. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** The program that the environment variable CHROMIUM names, or the first on the path. @throws Error if there is none */
export function chromiumPath() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
  const path = process.env.CHROMIUM ?? found;
  if (path === undefined)
    throw new Error("Chromium is not installed; on Debian: sudo apt-get install chromium-headless-shell");
  return path;
}
