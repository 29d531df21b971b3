import { useEffect, useRef, useState } from "preact/hooks";
import type { WalkTestView } from "../../site/zone-view.ts";
import { request } from "../api.ts";
import { Badge } from "../badge.tsx";
import { beep, prepareBeep, vibrate } from "../beeper.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { Form, TextField, textOf } from "../field.tsx";
import { t } from "../i18n.ts";
import { walkTest, zones } from "../live-updates.ts";
import { formatTime } from "../date-format.ts";
import { runWithErrorNotice } from "../notice.tsx";
import { mayOperate } from "../session.ts";
import { endWalkTest, LifeSafetyNames, TimeLeft } from "../walk-banner.tsx";
import { SignalTest } from "./signal-test.tsx";

const MINUTES_DEFAULT = 30;
const MINUTES_MAX = 240;

/** Walk test of the zones, and signal test of the path to the dispatch centre. */
export function WalkTestScreen() {
  const test = walkTest.value;
  return (
    <>
      <h1>{t("walk.title")}</h1>
      {!test?.running && mayOperate() && <Start />}
      {test && <Report test={test} />}
      {mayOperate() && <SignalTest />}
    </>
  );
}

function Start() {
  const [minutes, setMinutes] = useState<number | undefined>(undefined);
  return (
    <>
      <StartForm onStart={setMinutes} />
      {minutes !== undefined && <StartQuestion minutes={minutes} close={() => setMinutes(undefined)} />}
    </>
  );
}

/** Names the life-safety zones before the start, because their alarms are suppressed too. */
function StartQuestion({ minutes, close }: { readonly minutes: number; readonly close: () => void }) {
  const start = (): Promise<boolean> => {
    prepareBeep();
    return runWithErrorNotice(async () => {
      walkTest.value = (
        await request<WalkTestView>("/site/walk-test", { method: "POST", body: { minutes } })
      ).body;
    });
  };
  return (
    <ConfirmDialog
      title={t("walk.ask", { n: minutes })}
      action={t("walk.start")}
      isDanger
      act={start}
      close={close}
    >
      <p>{t("walk.askText")}</p>
      <LifeSafetyNames zones={zones.value.filter(({ isLifeSafety }) => isLifeSafety)} />
    </ConfirmDialog>
  );
}

function StartForm({ onStart }: { readonly onStart: (minutes: number) => void }) {
  return (
    <Form onSubmit={async (fields) => onStart(Number(textOf(fields, "minutes")))}>
      <p>{t("walk.text")}</p>
      <div class="filters">
        <TextField
          label={t("walk.minutes")}
          name="minutes"
          type="number"
          min={1}
          max={MINUTES_MAX}
          initial={String(MINUTES_DEFAULT)}
          required
        />
        <p class="row">
          <button class="main">{t("walk.start")}</button>
        </p>
      </div>
    </Form>
  );
}

function Report({ test }: { readonly test: WalkTestView }) {
  const names = new Map(zones.value.map(({ id, name }) => [id, name]));
  const tested = test.zones.filter(({ trips }) => trips > 0);
  return (
    <section>
      <h2 aria-live="polite">{t("walk.tested", { tested: tested.length, n: test.zones.length })}</h2>
      {test.running ? (
        <div class="row">
          <TimeLeft until={test.until} />
          <TripSignals trips={tested.reduce((sum, { trips }) => sum + trips, 0)} />
          {mayOperate() && (
            <button type="button" class="danger" onClick={() => void endWalkTest()}>
              {t("walk.stop")}
            </button>
          )}
        </div>
      ) : (
        <p>{t("walk.ended", { who: test.who, from: formatTime(test.since), to: formatTime(test.ended) })}</p>
      )}
      <ul class="walk">
        {[...test.zones]
          .sort((a, b) => Number(b.trips > 0) - Number(a.trips > 0))
          .map(({ id, trips, last }) => (
            <li key={id} class="box">
              {trips > 0 ? (
                <Badge tone="good">{t("walk.yes")}</Badge>
              ) : (
                <Badge tone="bad">{t("walk.no")}</Badge>
              )}
              <strong>{names.get(id) ?? id}</strong>{" "}
              {trips > 0 && (
                <span class="quiet">
                  {formatTime(last)} ×{trips}
                </span>
              )}
            </li>
          ))}
      </ul>
    </section>
  );
}

/** Sound and vibration for each trip, each optional. */
function TripSignals({ trips }: { readonly trips: number }) {
  const [wantsSound, setWantsSound] = useState(true);
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
            prepareBeep();
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
