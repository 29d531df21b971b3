import { useEffect, useState } from "preact/hooks";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import type { WalkTestView } from "../http/site/field-test-port.ts";
import { request } from "./api.ts";
import { every, nowMs } from "./clock.ts";
import { t } from "./i18n.ts";
import { status, walkTest } from "./live-updates.ts";
import { formatTime } from "./date-format.ts";
import { runWithErrorNotice } from "./notice.tsx";
import { mayOperate } from "./session.ts";

/** On every screen while a walk test runs: nothing is dispatched, and nobody may forget that. */
export function WalkBanner() {
  const test = walkTest.value;
  if (!test?.running) return <HeldBanner />;
  return (
    <section class="banner" aria-label={t("walk.title")}>
      <p>
        <strong>▲ {t("walk.running")}</strong> <TimeLeft until={test.until} />
      </p>
      <LifeSafetyNames zones={test.lifeSafetyHeld} />
      <p class="row">
        <a href="#/walk-test">{t("walk.title")}</a>
        {mayOperate() && (
          <button type="button" onClick={() => void endWalkTest()}>
            {t("walk.stop")}
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
    <section class="banner" aria-label={t("lifeSafety.title")}>
      <LifeSafetyNames zones={held} />
    </section>
  );
}

/** Says of which fire, gas, medical, hold-up and panic zones no alarm is dispatched; nothing where there are none. */
export function LifeSafetyNames({ zones }: { readonly zones: readonly NamedZone[] }) {
  if (zones.length === 0) return null;
  return (
    <p>
      <strong>▲ {t("lifeSafety.held", { zones: zones.map(nameOf).join(", ") })}</strong>
    </p>
  );
}

type NamedZone = Pick<LifeSafetyHeld, "name"> & Partial<Pick<LifeSafetyHeld, "by" | "until">>;

function nameOf({ name, by, until }: NamedZone): string {
  return by === "bypassed" && until ? `${name} (${t("fate.bypassed")} → ${formatTime(until)})` : name;
}

/** How long it still is, counted down by the second. */
export function TimeLeft({ until }: { readonly until: string }) {
  const [now, setNow] = useState(nowMs());
  useEffect(() => every(1_000, () => setNow(nowMs())), []);
  const leftS = Math.max(0, Math.round((Date.parse(until) - now) / 1_000));
  const seconds = String(leftS % 60).padStart(2, "0");
  return <span>{t("walk.left", { time: `${Math.floor(leftS / 60)}:${seconds}` })}</span>;
}

/** Ends the running walk test; its result stays. */
export function endWalkTest(): Promise<boolean> {
  return runWithErrorNotice(async () => {
    walkTest.value = (
      await request<WalkTestView | null>("/site/walk-test", { method: "POST", body: { end: true } })
    ).body;
  });
}
