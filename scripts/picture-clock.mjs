// The evening at which the pictures of the panel are taken, by the wall clocks of the daemons and of the browser, so that a
// picture does not depend on the day. Needs faketime (apt-get install faketime).
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A Friday in November; the clocks of the pages stand still. */
export const EVENING_MS = Date.parse("2026-11-20T19:42:00+02:00");
/** A daemon starts before it and its clock runs on: it would take one that stands still for one that was set. */
const BEFORE_MS = 30_000;

let offsetS = 0;

/** The clock of a daemon of the pictures, milliseconds since 1970. */
export function eveningNow() {
  return Date.now() + offsetS * 1_000;
}

/** From now on programs that this one starts begin shortly before the evening. @returns the environment as it was */
export function startAtEvening() {
  const before = { ...process.env };
  offsetS = Math.round((EVENING_MS - BEFORE_MS - Date.now()) / 1_000);
  Object.assign(process.env, {
    LD_PRELOAD: findLibrary(),
    FAKETIME: `${offsetS < 0 ? "" : "+"}${offsetS}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1",
    NO_FAKE_STAT: "1",
    TZ: "Europe/Bucharest",
  });
  return before;
}

/** Debian installs it in the directory of the architecture. */
function findLibrary() {
  const found = readdirSync("/usr/lib")
    .map((folder) => join("/usr/lib", folder, "faketime", "libfaketime.so.1"))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error("libfaketime is missing; apt-get install faketime");
  return found;
}
