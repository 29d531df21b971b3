import { userInfo } from "node:os";
import { chromium, type Browser } from "playwright-core";
// @ts-expect-error: a script without types
import * as script from "../../scripts/chromium.mjs";
import { describeUnless } from "./required-programs.ts";

export type { Browser };

const { findChromium } = script as { readonly findChromium: () => string | undefined };

/** Host name of a daemon in tests: browsers treat localhost as secure, unlike a Pi on a LAN. */
export const PANEL_HOST = "panel.test";

/** Starts Chromium with a single resolvable host name. @throws Error when it is not installed */
export function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(MISSING);
  return chromium.launch({
    executablePath,
    args: [
      `--host-resolver-rules=MAP ${PANEL_HOST} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
      // Chromium does not start its sandbox as root.
      ...(userInfo().uid === 0 ? ["--no-sandbox"] : []),
    ],
  });
}

/** Tests that require a browser; skipped like `describeUnless`. */
export function describeWithBrowser(name: string, tests: () => void): void {
  describeUnless(findChromium() === undefined ? MISSING : undefined, name, tests);
}

const MISSING = "Chromium is not installed; on Debian: sudo apt-get install chromium-headless-shell";
