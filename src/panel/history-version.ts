import { signal } from "@preact/signals";
import { later } from "./clock.ts";
import { journalVersion } from "./live-updates.ts";

/** Time between two readings of the histories of zones: those of a large site are a megabyte. */
const REST_MS = 10_000;

/** Follows `journalVersion`: at once after a rest, else when the rest is over. */
export const historyVersion = signal(0);

let isResting = false;

function follow(version: number): void {
  if (isResting || version === historyVersion.peek()) return;
  historyVersion.value = version;
  isResting = true;
  later(REST_MS, () => {
    isResting = false;
    follow(journalVersion.peek());
  });
}

journalVersion.subscribe(follow);
