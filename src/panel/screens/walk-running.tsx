import "../checkbox.css";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WalkTestView, ZoneView } from "../../site/zone-view.ts";
import { Act } from "../act.tsx";
import { Badge } from "../badge.tsx";
import { beep, hasSound, prepareBeep, vibrate } from "../beeper.ts";
import { formatTime } from "../date-format.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { liveness, zones } from "../live-updates.ts";
import { loopText } from "../loop-text.ts";
import { runWithErrorNotice } from "../notice.tsx";
import { useScreenOn } from "../screen-on.ts";
import { mayOperate } from "../session.ts";
import { LifeSafetyNames } from "../walk-banner.tsx";
import { changeWalkTest, endWalkTest, useTimeLeft } from "../walk-change.tsx";
import { kindIcon } from "../zone-appearance.ts";

/** The longest test that the daemon allows, with its extensions. */
export const MINUTES_MAX = 240;
const EXTENSION_MINUTES = 15;
const MINUTE_MS = 60_000;

/** What the loop of a zone shows now, for who looks for a wrong resistor. */
function LoopNote({ zone }: { readonly zone: ZoneView | undefined }) {
  return zone?.loop ? <small> {loopText(zone.loop)}</small> : null;
}

/** What to do at a zone that is not tested; more than once if its next message cannot be a trip. */
function whatToDo({ kind }: WalkTestView["zones"][number], zone: ZoneView | undefined): string {
  // A zone of life safety trips with its first message.
  const isFirst = zone?.contact === "unknown" && !zone.isLifeSafety;
  const state = isFirst ? "walk.firstReading" : zone?.contact === "open" ? "walk.openNow" : undefined;
  return [t(`walk.do.${kind}`), state === undefined ? "" : t(state)].join(" ").trim();
}

/** The running test: what is not tested yet first, with what to do at each. */
export function Running({ test }: { readonly test: WalkTestView }) {
  useScreenOn();
  const byId = new Map(zones.value.map((zone) => [zone.id, zone]));
  const tested = test.zones.filter(({ passed }) => passed);
  return (
    <>
      <Headline test={test} tested={tested.length} />
      {test.lifeSafetySuppressed.length > 0 && (
        <div class="in-test s-attention">
          <Icon name="triangle-alert" />
          <LifeSafetyNames zones={test.lifeSafetySuppressed} />
        </div>
      )}
      <div class="row">
        <TripSignals trips={tested.reduce((sum, { trips }) => sum + trips, 0)} />
      </div>
      <ul class="items card tests">
        {[...test.zones]
          .sort((a, b) => Number(a.passed) - Number(b.passed))
          .map((zone) => (
            <li key={zone.id}>
              <span class={zone.passed ? "disc s-fine" : "disc"}>
                <Icon name={kindIcon(zone.kind)} />
              </span>
              <div class="grow">
                <strong>{zone.name}</strong>{" "}
                <small>
                  {zone.passed
                    ? `${formatTime(zone.last)} ×${zone.trips}`
                    : whatToDo(zone, byId.get(zone.id))}
                </small>
                <LoopNote zone={byId.get(zone.id)} />
              </div>
              {zone.passed && byId.get(zone.id)?.contact === "open" && (
                <Badge tone="attention">{t("walk.stillOpen")}</Badge>
              )}
              <Badge tone={zone.passed ? "fine" : "attention"}>
                {t(zone.passed ? "walk.yes" : "walk.no")}
              </Badge>
            </li>
          ))}
      </ul>
    </>
  );
}

/** How many of how many, how long it still runs, and its end. */
function Headline({ test, tested }: { readonly test: WalkTestView; readonly tested: number }) {
  const title = t("walk.tested", { tested, n: test.zones.length });
  const left = t("walk.left", { time: useTimeLeft(test.until) });
  return (
    <section class="hero s-test">
      <span class="disc">
        <Icon name="clipboard-check" />
      </span>
      <h2 aria-live="polite" class="big">
        {title}
      </h2>
      <p>
        {t("walk.nothingSent")} <span>{left}</span>
        {liveness.value === "lost" && (
          <>
            {" · "}
            <span>{t("walk.countsOn")}</span>
          </>
        )}
      </p>
      <progress value={tested} max={test.zones.length} aria-label={title} />
      {mayOperate() && (
        <div class="actions">
          <Act onClick={() => void endWalkTest()}>{t("walk.stop")}</Act>
          {lengthMs(test) < MINUTES_MAX * MINUTE_MS && <ExtendButton />}
        </div>
      )}
    </section>
  );
}

/** How long the test lasts in all. */
function lengthMs({ since, until }: WalkTestView): number {
  return Date.parse(until) - Date.parse(since);
}

function ExtendButton() {
  // A second press before the response would extend it twice.
  const [isExtending, setIsExtending] = useState(false);
  const extend = async (): Promise<void> => {
    setIsExtending(true);
    await runWithErrorNotice(() => changeWalkTest({ extend: true, minutes: EXTENSION_MINUTES }));
    setIsExtending(false);
  };
  return (
    <Act disabled={isExtending} onClick={() => void extend()}>
      {t("walk.extend", { n: EXTENSION_MINUTES })}
    </Act>
  );
}

/** Sound and vibration for each trip, each optional. */
function TripSignals({ trips }: { readonly trips: number }) {
  // After a reload, or on a second device, only a press enables it.
  const [wantsSound, setWantsSound] = useState(hasSound);
  const [wantsVibration, setWantsVibration] = useState(true);
  const before = useRef(trips);
  useEffect(() => {
    if (trips > before.current) {
      if (wantsSound) beep();
      if (wantsVibration) vibrate();
    }
    before.current = trips;
  }, [trips]);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={wantsSound}
          onChange={(event) => {
            void prepareBeep();
            setWantsSound(event.currentTarget.checked);
          }}
        />{" "}
        {t("walk.sound")}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={wantsVibration}
          onChange={(event) => setWantsVibration(event.currentTarget.checked)}
        />{" "}
        {t("walk.vibration")}
      </label>
    </>
  );
}
