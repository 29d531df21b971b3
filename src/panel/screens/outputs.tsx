import { useEffect, useState } from "preact/hooks";
import type { OutputView } from "../../domain/output.ts";
import { Act } from "../act.tsx";
import { useQuery } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { everyShown } from "../clock.ts";
import { DaemonText } from "../daemon-text.tsx";
import { formatTime } from "../date-format.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { t } from "../i18n.ts";
import { postOnce } from "../idempotency-key.ts";
import { Pending, runWithErrorNotice } from "../notice.tsx";
import { mayOperate } from "../session.ts";

/** A test lasts two seconds, and who makes it wants to see its end. */
const REFRESH_INTERVAL_MS = 1_000;

/** The outputs of the configuration with their state; nothing without outputs. */
export function Outputs() {
  const { response, error, reload, refresh } = useQuery<OutputView[]>("/site/outputs");
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const outputs = response?.body ?? [];
  const hasOutputs = outputs.length > 0;
  useEffect(() => (hasOutputs ? everyShown(REFRESH_INTERVAL_MS, refresh) : undefined), [hasOutputs]);
  if (!response && error) return <Pending error={error} reload={reload} />;
  if (!hasOutputs) return null;
  const test = (name: string): Promise<boolean> =>
    runWithErrorNotice(async () => {
      await postOnce(`/site/outputs/${encodeURIComponent(name)}/test`, {});
      reload();
    });
  // The message of an earlier test would be read as that of this one.
  const ask = (name: string): void => void runWithErrorNotice(async () => setAsked(name));
  return (
    <section class="card no-print" aria-label={t("outputs.title")}>
      <h2>{t("outputs.title")}</h2>
      <ul class="items">
        {outputs.map((output) => (
          <Row key={output.name} output={output} ask={() => ask(output.name)} />
        ))}
      </ul>
      {asked !== undefined && (
        <ConfirmDialog
          title={t("outputs.ask", { output: asked })}
          action={t("outputs.test")}
          act={() => test(asked)}
          close={() => setAsked(undefined)}
        >
          <p>{t("outputs.askText")}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function Row({ output, ask }: { readonly output: OutputView; readonly ask: () => void }) {
  const { name, reason, target, since, fault, isInUse } = output;
  const [tone, state] = stateOf(output);
  return (
    <li class="row">
      <div class="grow stack tight">
        <b>{name}</b>
        <small>
          {t(`outputs.${reason}`)} · {target}
          {since !== null && ` · ${t("outputs.since", { time: formatTime(since) })}`}
        </small>
        {isInUse && mayOperate() && <small>{useText(output)}</small>}
        {fault !== null && (
          <small>
            <DaemonText text={fault} />
          </small>
        )}
      </div>
      <Badge tone={tone}>{state}</Badge>
      {mayOperate() && (
        <Act disabled={isInUse} onClick={ask}>
          {t("outputs.test")} <span class="unseen">{name}</span>
        </Act>
      )}
    </li>
  );
}

/** Until when it cannot be tested, and what ends it. */
function useText({ reason, until }: OutputView): string {
  if (until === null) return t("outputs.inUse");
  return t(reason === "alarm" ? "outputs.inUseUntil" : "outputs.pulseUntil", { time: formatTime(until) });
}

function stateOf({ isOn, fault }: OutputView): [Tone, string] {
  if (fault !== null) return ["fault", t("outputs.failed")];
  if (isOn === null) return ["off", t("outputs.unknown")];
  return isOn ? ["attention", t("outputs.on")] : ["off", t("outputs.off")];
}
