import { useEffect, useState } from "preact/hooks";
import type { SignalTestView } from "../../site/zone-view.ts";
import { request, useQuery } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { every } from "../clock.ts";
import { DaemonText } from "../daemon-text.tsx";
import { t } from "../i18n.ts";
import { journalVersion, status } from "../live-updates.ts";
import { Pending, runWithErrorNotice } from "../notice.tsx";

/** The updates of the page report records and events; that the journal has the id of the record is neither. */
const REFRESH_INTERVAL_MS = 2_000;

/** Sends a test intervention along the alarm path and shows each step. */
export function SignalTest() {
  const [key, setKey] = useState<string | undefined>(undefined);
  const { response, error, reload, refresh } = useQuery<SignalTestView>(
    key === undefined ? undefined : `/site/signal-test/${key}`,
    `${journalVersion.value} ${JSON.stringify(status.value?.outbox)}`,
  );
  const isRunning = key !== undefined && response?.body.isOver !== true;
  useEffect(() => (isRunning ? every(REFRESH_INTERVAL_MS, refresh) : undefined), [isRunning, key]);
  // A second press before the response would send a second test.
  const [isStarting, setIsStarting] = useState(false);
  const start = async (): Promise<void> => {
    setIsStarting(true);
    await runWithErrorNotice(async () => {
      const { body } = await request<SignalTestView>("/site/signal-test", { method: "POST", body: {} });
      setKey(body.key);
    });
    setIsStarting(false);
  };
  return (
    <section class="card">
      <h2>{t("signal.title")}</h2>
      <p>{t("signal.text")}</p>
      <p>
        <button type="button" disabled={isStarting} onClick={() => void start()}>
          {t("signal.start")}
        </button>
      </p>
      {!response && error && <Pending error={error} reload={reload} />}
      {response && response.body.key === key && <Steps test={response.body} />}
    </section>
  );
}

function Steps({ test }: { readonly test: SignalTestView }) {
  const hasCentre = status.value?.link.state !== "none";
  const isHere = test.interventionId !== null;
  const hasArrived = test.upstreamId !== null;
  const local = test.state === "refused" ? "fault" : isHere ? "fine" : "off";
  return (
    <ol class="steps" aria-live="polite">
      <Step tone="fine" text={t("signal.recorded")} />
      <Step
        tone={local}
        text={isHere ? t("signal.here", { id: test.interventionId ?? "" }) : t("signal.notHere")}
      />
      {hasCentre && (
        <Step
          tone={hasArrived ? "fine" : "off"}
          text={hasArrived ? t("signal.arrived", { id: test.upstreamId ?? "" }) : t("signal.notArrived")}
        />
      )}
      {test.isOver && <Step tone={local} text={t("signal.completed")} />}
      {test.reason !== null && (
        <li class="quiet">
          <DaemonText text={test.reason} />
        </li>
      )}
    </ol>
  );
}

function Step({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return (
    <li>
      <Badge tone={tone}>{text}</Badge>
    </li>
  );
}
