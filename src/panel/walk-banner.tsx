import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import { t, withMoreTexts } from "./i18n.ts";
import { LazyScreen } from "./lazy-screen.tsx";
import { status, walkTest } from "./live-updates.ts";
import { formatMinute } from "./date-format.ts";
import { route } from "./route.ts";

/* Neither is needed to see whether something is wrong. */
const strip = () => withMoreTexts(import("./walk-strip.tsx")).then((part) => part.WalkStrip);
const question = () => withMoreTexts(import("./walk-end-question.tsx")).then((part) => part.EndQuestion);

/** On every screen during a walk test, because nothing is dispatched; its own screen says more itself. */
export function WalkBanner() {
  if (!walkTest.value?.running) return <SuppressedBanner />;
  const { screen, item } = route.value;
  const isOwn = screen === "walk-test" && item === undefined;
  return (
    <>
      {!isOwn && <LazyScreen load={strip} isPart />}
      <LazyScreen load={question} isPart />
    </>
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
