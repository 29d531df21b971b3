import "../checkbox.css";
import "../walk-test.css";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WalkTestView, ZoneView } from "../../site/zone-view.ts";
import { request } from "../api.ts";
import { Badge } from "../badge.tsx";
import { beep, prepareBeep, vibrate } from "../beeper.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { EmptyState } from "../empty-state.tsx";
import { Form, TextField, formText } from "../field.tsx";
import { Icon } from "../icon.tsx";
import { t } from "../i18n.ts";
import { loopText } from "../loop-text.ts";
import { walkTest, zones } from "../live-updates.ts";
import { formatTime } from "../date-format.ts";
import { runWithErrorNotice } from "../notice.tsx";
import { mayAdminister, mayOperate } from "../session.ts";
import { endWalkTest, LifeSafetyNames, TimeLeft } from "../walk-banner.tsx";
import { kindIcon } from "../zone-appearance.ts";
import { Outputs } from "./outputs.tsx";
import { SignalTest } from "./signal-test.tsx";
import { WalkReport } from "./walk-report.tsx";

const MINUTES_DEFAULT = 30;
const MINUTES_MAX = 240;

/** Walk test of the zones, signal test of the path to the dispatch centre, and the outputs. */
export function WalkTestScreen() {
  const test = walkTest.value;
  return (
    <>
      <h1>{t("walk.title")}</h1>
      {!test?.running && zones.value.length === 0 && <NoZones />}
      {!test?.running && zones.value.length > 0 && mayOperate() && <Start />}
      {test && <Report test={test} />}
      {mayOperate() && <SignalTest />}
      <Outputs />
    </>
  );
}

/** A test of no zones would test nothing. */
function NoZones() {
  return (
    <EmptyState icon="clipboard-check" text={t("walk.noZones")}>
      {mayAdminister() && (
        <a class="button main" href="#/zones/found">
          {t("zones.addFirst")}
        </a>
      )}
    </EmptyState>
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
    <section class="card no-print">
      <Form onSubmit={async (fields) => onStart(Number(formText(fields, "minutes")))}>
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
    </section>
  );
}

function Report({ test }: { readonly test: WalkTestView }) {
  return test.running ? <Running test={test} /> : <WalkReport test={test} />;
}

/** What the loop of a zone shows now, for who looks for a wrong resistor. */
function LoopNote({ zone }: { readonly zone: ZoneView | undefined }) {
  return zone?.loop ? <small> {loopText(zone.loop)}</small> : null;
}

/** The running test: what is not tested yet first. */
function Running({ test }: { readonly test: WalkTestView }) {
  const byId = new Map(zones.value.map((zone) => [zone.id, zone]));
  const tested = test.zones.filter(({ trips }) => trips > 0);
  const title = t("walk.tested", { tested: tested.length, n: test.zones.length });
  return (
    <>
      <section class="hero s-test">
        <span class="disc">
          <Icon name="clipboard-check" />
        </span>
        <h2 aria-live="polite" class="big">
          {title}
        </h2>
        <p>
          <TimeLeft until={test.until} />
        </p>
        {mayOperate() && (
          <div class="actions">
            <button type="button" onClick={() => void endWalkTest()}>
              {t("walk.stop")}
            </button>
          </div>
        )}
      </section>
      <div class="row">
        <TripSignals trips={tested.reduce((sum, { trips }) => sum + trips, 0)} />
      </div>
      <ul class="items card">
        {[...test.zones]
          .sort((a, b) => Number(a.trips > 0) - Number(b.trips > 0))
          .map(({ id, trips, last }) => (
            <li key={id}>
              <span class={trips > 0 ? "disc s-fine" : "disc"}>
                <Icon name={kindIcon(byId.get(id)?.kind ?? null)} />
              </span>
              <div class="grow">
                <strong>{byId.get(id)?.name ?? id}</strong>{" "}
                {trips > 0 && (
                  <small>
                    {formatTime(last)} ×{trips}
                  </small>
                )}
                <LoopNote zone={byId.get(id)} />
              </div>
              <Badge tone={trips > 0 ? "fine" : "attention"}>{t(trips > 0 ? "walk.yes" : "walk.no")}</Badge>
            </li>
          ))}
      </ul>
    </>
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
