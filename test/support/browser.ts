import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { userInfo } from "node:os";
import { chromium, type Browser } from "playwright-core";
import { describe, test } from "vitest";

/** The name under which tests call a daemon: to a browser localhost is safe by definition, and a Pi on a LAN is not. */
export const PANEL_HOST = "panel.test";

/**
 * A real Chromium that knows one name and no other host at all.
 * @throws Error when it is not installed
 */
export function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(MISSING);
  return chromium.launch({
    executablePath,
    args: [
      `--host-resolver-rules=MAP ${PANEL_HOST} 127.0.0.1, MAP * ~NOTFOUND`,
      // Chromium does not start its sandbox as root.
      ...(userInfo().uid === 0 ? ["--no-sandbox"] : []),
    ],
  });
}

/** Tests that need a browser: skipped with a sentence where there is none, failed where CI=true. */
export function describeWithBrowser(name: string, tests: () => void): void {
  if (findChromium() !== undefined) describe(name, tests);
  else if (process.env["CI"] === "true")
    test(name, () => {
      throw new Error(MISSING);
    });
  else describe.skip(`${name} (skipped: ${MISSING})`, tests);
}

const MISSING = "chromium is not installed; on Debian: sudo apt-get install chromium";

function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}
