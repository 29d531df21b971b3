import "../walk-test.css";
import { useState } from "preact/hooks";
import { Act } from "../act.tsx";
import { prepareBeep } from "../beeper.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { EmptyState } from "../empty-state.tsx";
import { Form, TextField, formText } from "../field.tsx";
import { t } from "../i18n.ts";
import { status, walkTest, zones } from "../live-updates.ts";
import { runWithErrorNotice } from "../notice.tsx";
import { route } from "../route.ts";
import { mayAdminister, mayOperate } from "../session.ts";
import { LifeSafetyNames } from "../walk-banner.tsx";
import { changeWalkTest } from "../walk-change.tsx";
import { Outputs } from "./outputs.tsx";
import { SignalTest } from "./signal-test.tsx";
import { WalkReport } from "./walk-report.tsx";
import { MINUTES_MAX, Running } from "./walk-running.tsx";
import { EarlierReport, EarlierTests } from "./walk-tests.tsx";

const MINUTES_DEFAULT = 30;

/** Walk test of the zones with its report, and the earlier ones; signal test of the path to the dispatch centre; the outputs. */
export function WalkTestScreen() {
  const { item } = route.value;
  return item === undefined ? <Tests /> : <EarlierReport key={item} number={item} />;
}

function Tests() {
  const test = walkTest.value;
  const isRunning = test?.running === true;
  return (
    <>
      {/* While a test runs, its headline is the title that is seen. */}
      <h1 class={isRunning ? "unseen" : ""}>{t("walk.title")}</h1>
      {!isRunning && zones.value.length === 0 && <NoZones />}
      {!isRunning && zones.value.length > 0 && mayOperate() && <Start />}
      {!test && zones.value.length > 0 && !mayOperate() && (
        <EmptyState icon="clipboard-check" text={t("walk.noneRunning")} />
      )}
      {test && (isRunning ? <Running test={test} /> : <WalkReport test={test} />)}
      {!isRunning && <EarlierTests shown={test ?? undefined} />}
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
    void prepareBeep();
    return runWithErrorNotice(() => changeWalkTest({ minutes }));
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
      <Unfinished />
      <LifeSafetyNames zones={zones.value.filter(({ isLifeSafety }) => isLifeSafety)} />
    </ConfirmDialog>
  );
}

/** Alarms that are not done: a trip of their zones during the test would look like a part of it. */
function Unfinished() {
  const alarms = (status.value?.journeys ?? []).filter(({ isAlarm }) => isAlarm);
  if (alarms.length === 0) return null;
  const names = [...new Set(alarms.map(({ name }) => name))].join(", ");
  return (
    <p>
      <strong>{t("walk.unfinished", { n: alarms.length, names })}</strong>
    </p>
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
            <Act type="submit" class="main">
              {t("walk.start")}
            </Act>
          </p>
        </div>
      </Form>
    </section>
  );
}
