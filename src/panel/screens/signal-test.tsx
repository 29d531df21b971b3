import { useState } from "preact/hooks";
import type { SignalTestView } from "../../http/site/test-port.ts";
import { ask, useAnswer } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { say } from "../language.ts";
import { journalVersion, status } from "../live.ts";
import { attempt } from "../notice.tsx";

/** One marked intervention sent the way that an alarm goes, hop by hop. */
export function SignalTest() {
  const [key, setKey] = useState<string | undefined>(undefined);
  const { answer } = useAnswer<SignalTestView>(
    key === undefined ? undefined : `/site/signal-test/${key}`,
    `${journalVersion.value} ${JSON.stringify(status.value?.outbox)}`,
  );
  const start = (): Promise<boolean> =>
    attempt(async () => {
      const { body } = await ask<SignalTestView>("/site/signal-test", { method: "POST", body: {} });
      setKey(body.key);
    });
  return (
    <section class="below">
      <h2>{say("signal.title")}</h2>
      <p>{say("signal.text")}</p>
      <p>
        <button type="button" onClick={() => void start()}>
          {say("signal.start")}
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
      <Hop tone="good" text={say("signal.written")} />
      <Hop
        tone={local}
        text={isHere ? say("signal.here", { id: test.interventionId ?? "" }) : say("signal.notHere")}
      />
      {hasCentre && (
        <Hop
          tone={hasArrived ? "good" : "quiet"}
          text={hasArrived ? say("signal.arrived", { id: test.upstreamId ?? "" }) : say("signal.notArrived")}
        />
      )}
      {test.isOver && <Hop tone={local} text={say("signal.over")} />}
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
