import { useEffect } from "preact/hooks";
import type { ComparisonView, DifferenceView, SyncRecordView, SyncView } from "../../http/site/sync-port.ts";
import { ask, useAnswer } from "../api.ts";
import { Badge } from "../badge.tsx";
import { every } from "../clock.ts";
import { LinkReason } from "../condition-text.tsx";
import { say } from "../language.ts";
import { LinkPictures } from "../link-pictures.tsx";
import { status } from "../live.ts";
import { sayMoment } from "../moments.ts";
import { attempt, Pending, tell } from "../notice.tsx";
import { mayOperate } from "../session.ts";
import { ComparisonBadge, isStuck, LINK_TONES, SyncBadge } from "../sync-badge.tsx";
import { Table, type Column } from "../table.tsx";
import { StuckActions } from "./stuck-actions.tsx";

const LOOK_EVERY_MS = 3_000;

/** What is still on its way to the centre, and what a person must see to. */
export function SyncQueueScreen() {
  const { answer, refusal, askAgain } = useAnswer<SyncView>(
    "/site/sync",
    JSON.stringify([status.value?.outbox, status.value?.link]),
  );
  // Tries and their moments change while the numbers of the status stay what they are.
  useEffect(() => every(LOOK_EVERY_MS, askAgain), []);
  const syncNow = (): Promise<boolean> =>
    attempt(async () => {
      const { body } = await ask<SyncView>("/site/sync/now", { method: "POST" });
      tell(say("sync.done", { n: body.summary.waiting }));
      askAgain();
    });
  if (!answer) return <Pending refusal={refusal} askAgain={askAgain} />;
  const { link, records, comparison } = answer.body;
  const stuck = records.filter(({ phase }) => isStuck(phase));
  const waiting = records.filter(({ phase }) => !isStuck(phase));
  return (
    <>
      <h1>{say("nav.sync")}</h1>
      <p class="row">
        <Badge tone={LINK_TONES[link.state]}>
          {say("status.link")}: {say(`link.${link.state}`)}
        </Badge>
        {link.nextTryAt === null && link.answeredAt !== null && (
          <span class="quiet">{say("link.answered", { time: sayMoment(link.answeredAt) })}</span>
        )}
        {link.nextTryAt !== null && (
          <span class="quiet">{say("link.nextTry", { time: sayMoment(link.nextTryAt) })}</span>
        )}
        {mayOperate() && link.state !== "none" && (
          <button type="button" class="main" onClick={() => void syncNow()}>
            {say("sync.now")}
          </button>
        )}
      </p>
      {link.state !== "none" && (
        <p class="row">
          {say("compared.title")}: <ComparisonBadge comparison={comparison} />
          {comparison && <span class="quiet">{say("compared.at", { time: sayMoment(comparison.at) })}</span>}
        </p>
      )}
      <LinkReason link={link} />
      {link.state !== "none" && <LinkPictures />}
      {stuck.length > 0 && (
        <section>
          <h2>{say("sync.stuck", { n: stuck.length })}</h2>
          <p>{say("sync.stuckText")}</p>
          <Table
            caption={say("sync.stuck", { n: stuck.length })}
            columns={[...columns(), ...(mayOperate() ? [actionColumn(askAgain)] : [])]}
            rows={stuck}
            keyOf={({ interventionId }) => interventionId}
          />
        </section>
      )}
      {comparison && comparison.differing > 0 && <Differences of={comparison} />}
      <h2>{say("sync.waiting", { n: waiting.length })}</h2>
      <Table
        caption={say("sync.waiting", { n: waiting.length })}
        columns={columns()}
        rows={waiting}
        keyOf={({ interventionId }) => interventionId}
      />
    </>
  );
}

function actionColumn(done: () => void): Column<SyncRecordView> {
  return {
    key: "actions",
    title: say("zones.actions"),
    cell: (record) => <StuckActions record={record} done={done} />,
  };
}

/** What the last comparison with the centre's list has found, record by record. */
function Differences({ of: { differences } }: { readonly of: ComparisonView }) {
  return (
    <section>
      <h2>{say("compared.list")}</h2>
      <Table
        caption={say("compared.list")}
        columns={differenceColumns()}
        rows={differences}
        keyOf={({ kind, interventionId, name, upstreamIds }) =>
          `${kind} ${interventionId ?? name} ${upstreamIds.join(" ")}`
        }
      />
    </section>
  );
}

function differenceColumns(): Column<DifferenceView>[] {
  return [
    {
      key: "id",
      title: say("sync.record"),
      cell: ({ interventionId: id, name }) =>
        id === null ? name : <a href={`#/interventions/${id}`}>{`#${id}`}</a>,
    },
    { key: "upstream", title: say("sync.centre"), cell: ({ upstreamIds }) => upstreamIds.join(", ") || "–" },
    { key: "what", title: say("compared.what"), cell: ({ kind }) => say(`differs.${kind}`) },
  ];
}

function columns(): Column<SyncRecordView>[] {
  return [
    {
      key: "id",
      title: say("sync.record"),
      cell: ({ interventionId: id }) =>
        mayOperate() ? <a href={`#/interventions/${id}`}>{`#${id}`}</a> : `#${id}`,
    },
    { key: "phase", title: say("record.sync"), cell: ({ phase }) => <SyncBadge phase={phase} /> },
    { key: "upstream", title: say("sync.centre"), cell: ({ upstreamId }) => upstreamId ?? "–" },
    { key: "attempts", title: say("sync.attempts"), cell: ({ attempts }) => attempts },
    { key: "next", title: say("sync.nextTry"), cell: ({ nextTryAt }) => sayMoment(nextTryAt) },
    {
      key: "last",
      title: say("sync.lastAnswer"),
      cell: ({ lastAnswer }) => (lastAnswer === null ? "–" : <span lang="en">{lastAnswer}</span>),
    },
  ];
}
