import { useEffect, useState } from "preact/hooks";
import type { WalkTestView } from "../http/site/test-port.ts";
import { ask } from "./api.ts";
import { every, nowMs } from "./clock.ts";
import { say } from "./language.ts";
import { walkTest } from "./live.ts";
import { attempt } from "./notice.tsx";
import { mayOperate } from "./session.ts";

/** On every screen while a walk test runs: nothing is dispatched, and nobody may forget that. */
export function WalkBanner() {
  const test = walkTest.value;
  if (!test?.running) return null;
  return (
    <section class="banner" aria-label={say("walk.title")}>
      <p>
        <strong>▲ {say("walk.running")}</strong> <TimeLeft until={test.until} />
      </p>
      <p class="row">
        <a href="#/walk-test">{say("walk.title")}</a>
        {mayOperate() && (
          <button type="button" onClick={() => void endWalkTest()}>
            {say("walk.stop")}
          </button>
        )}
      </p>
    </section>
  );
}

/** How long it still is, counted down by the second. */
export function TimeLeft({ until }: { readonly until: string }) {
  const [now, setNow] = useState(nowMs());
  useEffect(() => every(1_000, () => setNow(nowMs())), []);
  const leftS = Math.max(0, Math.round((Date.parse(until) - now) / 1_000));
  const seconds = String(leftS % 60).padStart(2, "0");
  return <span>{say("walk.left", { time: `${Math.floor(leftS / 60)}:${seconds}` })}</span>;
}

/** Ends the running walk test; its result stays. */
export function endWalkTest(): Promise<boolean> {
  return attempt(async () => {
    walkTest.value = (
      await ask<WalkTestView | null>("/site/walk-test", { method: "POST", body: { end: true } })
    ).body;
  });
}
