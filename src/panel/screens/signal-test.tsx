import { useState } from "preact/hooks";
import type { SignalTestView } from "../../http/site/field-test-port.ts";
import { request, useQuery } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { t } from "../i18n.ts";
import { journalVersion, status } from "../live-updates.ts";
import { runWithErrorNotice } from "../notice.tsx";

/** One marked intervention sent the way that an alarm goes, hop by hop. */
export function SignalTest() {
  const [key, setKey] = useState<string | undefined>(undefined);
  const { answer } = useQuery<SignalTestView>(
    key === undefined ? undefined : `/site/signal-test/${key}`,
    `${journalVersion.value} ${JSON.stringify(status.value?.outbox)}`,
  );
  const start = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const { body } = await request<SignalTestView>("/site/signal-test", { method: "POST", body: {} });
      setKey(body.key);
    });
  return (
    <section class="below">
      <h2>{t("signal.title")}</h2>
      <p>{t("signal.text")}</p>
      <p>
        <button type="button" onClick={() => void start()}>
          {t("signal.start")}
        </button>
      </p>
      {answer && answer.body.key === key && <Hops test={answer.body} />}
    </section>
  );
}

function Hops({ test }: { readonly test: SignalTestView }) {
  const hasCentre = status.value?.link.state !== "none";
  const isHere = test.interventionId !== null;
  const hasArrived = test.upstreamId !== null;
  const local = test.state === "refused" ? "bad" : isHere ? "good" : "quiet";
  return (
    <ol class="hops" aria-live="polite">
      <Hop tone="good" text={t("signal.written")} />
      <Hop
        tone={local}
        text={isHere ? t("signal.here", { id: test.interventionId ?? "" }) : t("signal.notHere")}
      />
      {hasCentre && (
        <Hop
          tone={hasArrived ? "good" : "quiet"}
          text={hasArrived ? t("signal.arrived", { id: test.upstreamId ?? "" }) : t("signal.notArrived")}
        />
      )}
      {test.isOver && <Hop tone={local} text={t("signal.over")} />}
      {test.reason !== null && (
        <li class="quiet" lang="en">
          {test.reason}
        </li>
      )}
    </ol>
  );
}

function Hop({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return (
    <li>
      <Badge tone={tone}>{text}</Badge>
    </li>
  );
}
