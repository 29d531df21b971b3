import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import type { WalkTestView } from "../site/zone-view.ts";
import { Act } from "./act.tsx";
import { request } from "./api.ts";
import { daemonNowMs, every } from "./clock.ts";
import { t, withMoreTexts } from "./i18n.ts";
import { LazyScreen } from "./lazy-screen.tsx";
import { status, walkTest } from "./live-updates.ts";
import { formatMinute } from "./date-format.ts";
import { runWithErrorNotice } from "./notice.tsx";
import { mayOperate } from "./session.ts";

/* A dialog is not needed to see whether something is wrong. */
const question = () => withMoreTexts(import("./walk-end-question.tsx")).then((part) => part.EndQuestion);

/** Banner on every screen during a walk test, because nothing is dispatched. */
export function WalkBanner() {
  const test = walkTest.value;
  const isRunning = test?.running === true;
  // It may end by its time while the user is asked: the next one begins without the question.
  useEffect(() => void (isEndAsked.value &&= isRunning), [isRunning]);
  if (!isRunning) return <SuppressedBanner />;
  return (
    <section class="banner s-test" aria-label={t("walk.title")}>
      <p>
        <strong>{t("walk.running")}</strong> <TimeLeft until={test.until} />
      </p>
      <LifeSafetyNames zones={test.lifeSafetySuppressed} />
      <p class="row">
        <a href="#/walk-test">{t("nav.walkTest")}</a>
        {mayOperate() && <Act onClick={() => void endWalkTest()}>{t("walk.stop")}</Act>}
      </p>
      {isEndAsked.value && <LazyScreen load={question} isPart />}
    </section>
  );
}

/** Banner on every screen while alarms of a life-safety zone are suppressed. */
function SuppressedBanner() {
  const suppressed = status.value?.lifeSafetySuppressed ?? [];
  if (suppressed.length === 0) return null;
  return (
    <section class="banner s-fault" aria-label={t("lifeSafety.title")}>
      <LifeSafetyNames zones={suppressed} />
    </section>
  );
}

/** Names the fire, gas, medical, hold-up and panic zones whose alarms are not dispatched. */
export function LifeSafetyNames({ zones }: { readonly zones: readonly NamedZone[] }) {
  if (zones.length === 0) return null;
  return (
    <p>
      <strong>{t("lifeSafety.suppressed", { zones: zones.map(zoneLabel).join(", ") })}</strong>
    </p>
  );
}

type NamedZone = Pick<LifeSafetyHeld, "name"> & Partial<Pick<LifeSafetyHeld, "by" | "until">>;

function zoneLabel({ name, by, until }: NamedZone): string {
  return by === "bypassed" && until
    ? `${name} (${t("disposition.bypassed")} ${t("zones.until", { time: formatMinute(until) })})`
    : name;
}

/** Remaining time, updated every second. */
export function TimeLeft({ until }: { readonly until: string }) {
  const [now, setNow] = useState(daemonNowMs());
  useEffect(() => every(1_000, () => setNow(daemonNowMs())), []);
  const leftS = Math.max(0, Math.round((Date.parse(until) - now) / 1_000));
  const seconds = String(leftS % 60).padStart(2, "0");
  return <span>{t("walk.left", { time: `${Math.floor(leftS / 60)}:${seconds}` })}</span>;
}

/** Whether the user is asked before the end of the walk test. */
export const isEndAsked = signal(false);

/** The names of the zones that the end of the walk test dispatches. */
export function namesAtEnd(): readonly string[] {
  return (walkTest.value?.dispatchedAtEnd ?? []).map(({ name }) => name);
}

/** Ends the running walk test; its report stays. Asks first if the opening of a zone would be dispatched. */
export async function endWalkTest(): Promise<void> {
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
