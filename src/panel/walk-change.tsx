import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { WalkTestView } from "../site/zone-view.ts";
import { request } from "./api.ts";
import { daemonNowMs, every } from "./clock.ts";
import { walkTest } from "./live-updates.ts";
import { runWithErrorNotice } from "./notice.tsx";

/** The remaining time in minutes and seconds, drawn again each second. */
export function useTimeLeft(until: string): string {
  const [now, setNow] = useState(daemonNowMs());
  useEffect(() => every(1_000, () => setNow(daemonNowMs())), []);
  const leftS = Math.max(0, Math.round((Date.parse(until) - now) / 1_000));
  return `${Math.floor(leftS / 60)}:${String(leftS % 60).padStart(2, "0")}`;
}

/** Whether the user is asked before the end of the walk test. */
export const isEndAsked = signal(false);

/** The names of the zones that the end of the walk test dispatches. */
export function namesAtEnd(): readonly string[] {
  return (walkTest.value?.dispatchedAtEnd ?? []).map(({ name }) => name);
}

/** Ends the running walk test; its report stays. Asks first if the opening of a zone would be dispatched. */
export async function endWalkTest(): Promise<void> {
  // A zone may have closed just now.
  const isRead = await runWithErrorNotice(async () => {
    walkTest.value = (await request<WalkTestView | null>("/site/walk-test")).body;
  });
  if (!isRead) return;
  if (namesAtEnd().length === 0) await endNow();
  else isEndAsked.value = true;
}

export function endNow(): Promise<boolean> {
  return runWithErrorNotice(() => changeWalkTest({ end: true }));
}

/** Starts, extends or ends a walk test. @throws ApiError */
export async function changeWalkTest(body: object): Promise<void> {
  const before = walkTest.value;
  const after = await request<WalkTestView | null>("/site/walk-test", { method: "POST", body });
  // What the stream has brought meanwhile is newer than a response that was slower.
  if (walkTest.value === before) walkTest.value = after.body;
}
