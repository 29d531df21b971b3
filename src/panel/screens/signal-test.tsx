import { useEffect, useState } from "preact/hooks";
import type { SignalTestView } from "../../site/zone-view.ts";
import { Act } from "../act.tsx";
import { useQuery } from "../api.ts";
import { Badge } from "../badge.tsx";
import { everyShown } from "../clock.ts";
import { DaemonText } from "../daemon-text.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { t } from "../i18n.ts";
import { postOnce } from "../idempotency-key.ts";
import { Journey } from "../journey.tsx";
import { journalVersion, status } from "../live-updates.ts";
import { Pending } from "../notice.tsx";

/** The updates of the page report records and events; that the journal has the id of the record is neither. */
const REFRESH_INTERVAL_MS = 2_000;

/** Sends a test intervention along the alarm path and shows each step. */
export function SignalTest() {
  return (
    <section class="card">
      <h2>{t("signal.title")}</h2>
      <SignalTrial />
    </section>
  );
}

/**
 * The test without its heading.
 * @param arrived called with its number at the dispatch centre
 */
export function SignalTrial({ arrived }: { readonly arrived?: (upstreamId: number) => void }) {
  const [key, setKey] = useState<string | undefined>(undefined);
  const { response, error, reload, refresh } = useQuery<SignalTestView>(
    key === undefined ? undefined : `/site/signal-test/${key}`,
    `${journalVersion.value} ${JSON.stringify(status.value?.outbox)}`,
  );
  const isRunning = key !== undefined && response?.body.isOver !== true;
  useEffect(() => (isRunning ? everyShown(REFRESH_INTERVAL_MS, refresh) : undefined), [isRunning, key]);
  // A second press before the response would send a second test.
  const [isStarting, setIsStarting] = useState(false);
  const [problem, run] = useErrorMessage();
  const start = async (): Promise<void> => {
    setIsStarting(true);
    await run(async () => {
      setKey((await postOnce<SignalTestView>("/site/signal-test", {})).key);
    });
    setIsStarting(false);
  };
  const upstreamId = response?.body.key === key ? (response?.body.upstreamId ?? null) : null;
  useEffect(() => {
    if (upstreamId !== null) arrived?.(upstreamId);
  }, [upstreamId]);
  return (
    <>
      <p>{t("signal.text")}</p>
      <p>
        <Act disabled={isStarting} onClick={() => void start()}>
          {t("signal.start")}
        </Act>
      </p>
      <ErrorMessage text={problem} />
      {!response && error && <Pending error={error} reload={reload} />}
      {response && response.body.key === key && <Progress test={response.body} />}
    </>
  );
}

/** Its way as that of an alarm, then its numbers and its end. */
function Progress({ test }: { readonly test: SignalTestView }) {
  const { journey, interventionId, upstreamId, state, isOver, reason } = test;
  const isHere = interventionId !== null;
  const local = state === "refused" ? "fault" : isHere ? "fine" : "off";
  return (
    <div class="stack" aria-live="polite">
      {journey && <Journey journey={journey} />}
      <p class="row">
        <Badge tone={local}>{isHere ? t("signal.here", { id: interventionId }) : t("signal.notHere")}</Badge>
        {upstreamId !== null && <Badge tone="fine">{t("signal.arrived", { id: upstreamId })}</Badge>}
        {isOver && <Badge tone={local}>{t("signal.completed")}</Badge>}
      </p>
      {reason !== null && (
        <p class="quiet">
          <DaemonText text={reason} />
        </p>
      )}
    </div>
  );
}
