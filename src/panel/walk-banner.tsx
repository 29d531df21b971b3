import { useEffect, useState } from "preact/hooks";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import type { WalkTestView } from "../http/site/test-port.ts";
import { ask } from "./api.ts";
import { every, nowMs } from "./clock.ts";
import { say } from "./language.ts";
import { status, walkTest } from "./live.ts";
import { sayMoment } from "./moments.ts";
import { attempt } from "./notice.tsx";
import { mayOperate } from "./session.ts";

/** On every screen while a walk test runs: nothing is dispatched, and nobody may forget that. */
export function WalkBanner() {
  const test = walkTest.value;
  if (!test?.running) return <HeldBanner />;
  return (
    <section class="banner" aria-label={say("walk.title")}>
      <p>
        <strong>▲ {say("walk.running")}</strong> <TimeLeft until={test.until} />
      </p>
      <LifeSafetyNames zones={test.lifeSafetyHeld} />
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

/** On every screen while a bypass or anything else keeps a life-safety zone from being dispatched. */
function HeldBanner() {
  const held = status.value?.lifeSafetyHeld ?? [];
  if (held.length === 0) return null;
  return (
    <section class="banner" aria-label={say("lifeSafety.title")}>
      <LifeSafetyNames zones={held} />
    </section>
  );
}

/** Says of which fire, gas, medical, hold-up and panic zones no alarm is dispatched; nothing where there are none. */
export function LifeSafetyNames({ zones }: { readonly zones: readonly NamedZone[] }) {
  if (zones.length === 0) return null;
  return (
    <p>
      <strong>▲ {say("lifeSafety.held", { zones: zones.map(nameOf).join(", ") })}</strong>
    </p>
  );
}

type NamedZone = Pick<LifeSafetyHeld, "name"> & Partial<Pick<LifeSafetyHeld, "by" | "until">>;

function nameOf({ name, by, until }: NamedZone): string {
  return by === "bypassed" && until ? `${name} (${say("fate.bypassed")} → ${sayMoment(until)})` : name;
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
