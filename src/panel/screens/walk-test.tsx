import { useEffect, useRef, useState } from "preact/hooks";
import type { WalkTestView } from "../../http/site/field-test-port.ts";
import { request } from "../api.ts";
import { Badge } from "../badge.tsx";
import { beep, prepareBeep, shake } from "../beeper.ts";
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

/** A round past every detector, with the phone in a pocket; and one signal the whole way to the centre. */
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
      <StartForm order={setMinutes} />
      {minutes !== undefined && <StartQuestion minutes={minutes} close={() => setMinutes(undefined)} />}
    </>
  );
}

/** Nothing at all is dispatched while it runs, so the zones that lives depend on are named before it starts. */
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

function StartForm({ order }: { readonly order: (minutes: number) => void }) {
  return (
    <Form onSubmit={async (fields) => order(Number(textOf(fields, "minutes")))}>
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
  const seen = test.zones.filter(({ trips }) => trips > 0);
  return (
    <section>
      <h2 aria-live="polite">{t("walk.seen", { seen: seen.length, n: test.zones.length })}</h2>
      {test.running ? (
        <div class="row">
          <TimeLeft until={test.until} />
          <PocketSignals trips={seen.reduce((sum, { trips }) => sum + trips, 0)} />
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

/** A beep and a shake for each trip, as the person wants them. */
function PocketSignals({ trips }: { readonly trips: number }) {
  const [wantsSound, setWantsSound] = useState(true);
  const [wantsShake, setWantsShake] = useState(true);
  const before = useRef(trips);
  useEffect(() => {
    if (trips > before.current) {
      if (wantsSound) beep();
      if (wantsShake) shake();
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
          checked={wantsShake}
          onChange={(event) => setWantsShake(event.currentTarget.checked)}
        />{" "}
        {t("walk.shake")}
      </label>
    </>
  );
}
