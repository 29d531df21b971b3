import { useEffect, useRef, useState } from "preact/hooks";
import type { WalkTestView } from "../../http/site/test-port.ts";
import { ask } from "../api.ts";
import { Badge } from "../badge.tsx";
import { beep, prepareBeep, shake } from "../beeper.ts";
import { Question } from "../dialog.tsx";
import { Form, TextField, textOf } from "../field.tsx";
import { say } from "../language.ts";
import { walkTest, zones } from "../live.ts";
import { sayMoment } from "../moments.ts";
import { attempt } from "../notice.tsx";
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
      <h1>{say("walk.title")}</h1>
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
    return attempt(async () => {
      walkTest.value = (
        await ask<WalkTestView>("/site/walk-test", { method: "POST", body: { minutes } })
      ).body;
    });
  };
  return (
    <Question
      title={say("walk.ask", { n: minutes })}
      action={say("walk.start")}
      isDanger
      act={start}
      close={close}
    >
      <p>{say("walk.askText")}</p>
      <LifeSafetyNames zones={zones.value.filter(({ isLifeSafety }) => isLifeSafety)} />
    </Question>
  );
}

function StartForm({ order }: { readonly order: (minutes: number) => void }) {
  return (
    <Form onSubmit={async (fields) => order(Number(textOf(fields, "minutes")))}>
      <p>{say("walk.text")}</p>
      <div class="filters">
        <TextField
          label={say("walk.minutes")}
          name="minutes"
          type="number"
          min={1}
          max={MINUTES_MAX}
          initial={String(MINUTES_DEFAULT)}
          required
        />
        <p class="row">
          <button class="main">{say("walk.start")}</button>
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
      <h2 aria-live="polite">{say("walk.seen", { seen: seen.length, n: test.zones.length })}</h2>
      {test.running ? (
        <div class="row">
          <TimeLeft until={test.until} />
          <PocketSignals trips={seen.reduce((sum, { trips }) => sum + trips, 0)} />
          {mayOperate() && (
            <button type="button" class="danger" onClick={() => void endWalkTest()}>
              {say("walk.stop")}
            </button>
          )}
        </div>
      ) : (
        <p>{say("walk.ended", { who: test.who, from: sayMoment(test.since), to: sayMoment(test.ended) })}</p>
      )}
      <ul class="walk">
        {[...test.zones]
          .sort((a, b) => Number(b.trips > 0) - Number(a.trips > 0))
          .map(({ id, trips, last }) => (
            <li key={id} class="box">
              {trips > 0 ? (
                <Badge tone="good">{say("walk.yes")}</Badge>
              ) : (
                <Badge tone="bad">{say("walk.no")}</Badge>
              )}
              <strong>{names.get(id) ?? id}</strong>{" "}
              {trips > 0 && (
                <span class="quiet">
                  {sayMoment(last)} ×{trips}
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
        {say("walk.sound")}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={wantsShake}
          onChange={(event) => setWantsShake(event.currentTarget.checked)}
        />{" "}
        {say("walk.shake")}
      </label>
    </>
  );
}
