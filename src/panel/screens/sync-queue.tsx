import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { ComparisonView, DifferenceView, SyncRecordView, SyncView } from "../../site/sync-view.ts";
import { Act } from "../act.tsx";
import { request, useQuery } from "../api.ts";
import { Badge } from "../badge.tsx";
import { everyShown } from "../clock.ts";
import { LinkReason } from "../condition-text.tsx";
import { DaemonText } from "../daemon-text.tsx";
import { EmptyState } from "../empty-state.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { t } from "../i18n.ts";
import { LinkHistory } from "../link-history-chart.tsx";
import { status } from "../live-updates.ts";
import { formatTime } from "../date-format.ts";
import type { MessageKey } from "../messages/catalogue.ts";
import { Pending } from "../notice.tsx";
import { showQueued } from "../queued-text.ts";
import { mayAdminister, mayOperate } from "../session.ts";
import { ComparisonBadge, needsAttention, LINK_TONES, SyncBadge } from "../sync-badge.tsx";
import { Table, type Column } from "../table.tsx";
import { FailedRecordActions } from "./failed-record-actions.tsx";

const RELOAD_EVERY_MS = 3_000;

/** Queued records, records that need attention, and differences from the dispatch centre. */
export function SyncQueueScreen() {
  const { response, error, reload, refresh } = useQuery<SyncView>(
    "/site/sync",
    JSON.stringify([status.value?.outbox, status.value?.link]),
  );
  // Attempts and their times change without a change of the status.
  useEffect(() => everyShown(RELOAD_EVERY_MS, refresh), []);
  const [problem, run] = useErrorMessage();
  const syncNow = (): Promise<void> =>
    run(async () => {
      const { body } = await request<SyncView>("/site/sync/now", { method: "POST" });
      showQueued(body);
      reload();
    });
  if (!response)
    return (
      <>
        <h1>{t("nav.sync")}</h1>
        <Pending error={error} reload={reload} />
      </>
    );
  const { link, summary, records, isComplete, comparison } = response.body;
  const failed = records.filter(({ phase }) => needsAttention(phase));
  const waiting = records.filter(({ phase }) => !needsAttention(phase));
  // A long queue is not listed to its end.
  const failedCount = isComplete ? failed.length : summary.blocked + summary.rejected + summary.gone;
  const waitingCount = isComplete ? waiting.length : summary.waiting + summary.doubtful;
  return (
    <>
      <h1>{t("nav.sync")}</h1>
      <p class="row">
        <Badge tone={LINK_TONES[link.state]}>
          {t("status.link")}: {t(`link.${link.state}`)}
        </Badge>
        {link.nextAttemptAt === null && link.answeredAt !== null && (
          <span class="quiet">{t("link.lastResponse", { time: formatTime(link.answeredAt) })}</span>
        )}
        {link.nextAttemptAt !== null && (
          <span class="quiet">{t("link.nextAttempt", { time: formatTime(link.nextAttemptAt) })}</span>
        )}
        {mayOperate() && link.state !== "none" && (
          <Act class="main" onClick={() => void syncNow()}>
            {t("sync.now")}
          </Act>
        )}
      </p>
      <ErrorMessage text={problem} />
      {link.state !== "none" && (
        <p class="row">
          {t("compared.title")}: <ComparisonBadge comparison={comparison} />
          {comparison && <span class="quiet">{t("compared.at", { time: formatTime(comparison.at) })}</span>}
        </p>
      )}
      <LinkReason link={link} />
      {link.state !== "none" && <LinkHistory />}
      <NeedingAttention records={failed} count={failedCount} reload={reload} />
      {comparison && comparison.differing > 0 && <Differences of={comparison} />}
      <h2>{t("sync.waiting", { n: waitingCount })}</h2>
      <Waiting records={waiting} count={waitingCount} isAlone={link.state === "none"} />
    </>
  );
}

/** The records that need attention, with their actions. */
function NeedingAttention({
  records,
  count,
  reload,
}: {
  readonly records: readonly SyncRecordView[];
  readonly count: number;
  readonly reload: () => void;
}) {
  if (records.length === 0) return null;
  return (
    <section>
      <h2>{t("sync.needsAttention", { n: count })}</h2>
      <p>{t("sync.needsAttentionText")}</p>
      <Table
        caption={t("sync.needsAttention", { n: count })}
        columns={[...columns(), ...(mayOperate() ? [actionColumn(reload)] : [])]}
        rows={records}
        keyOf={({ interventionId }) => interventionId}
      />
      <Unlisted listed={records.length} count={count} />
    </section>
  );
}

/** The records that wait to be sent, or why there are none. */
function Waiting({
  records,
  count,
  isAlone,
}: {
  readonly records: readonly SyncRecordView[];
  readonly count: number;
  /** Whether there is no dispatch centre. */
  readonly isAlone: boolean;
}) {
  if (records.length > 0)
    return (
      <>
        <Table
          caption={t("sync.waiting", { n: count })}
          columns={columns()}
          rows={records}
          keyOf={({ interventionId }) => interventionId}
        />
        <Unlisted listed={records.length} count={count} />
      </>
    );
  return (
    <EmptyState icon="refresh-cw" text={t(emptyText(isAlone))}>
      {isAlone && mayAdminister() && (
        <a class="button" href="#/setup">
          {t("guide.goTo", { screen: t("nav.setup") })}
        </a>
      )}
    </EmptyState>
  );
}

function emptyText(isAlone: boolean): MessageKey {
  if (!isAlone) return "sync.nothingQueued";
  return status.value?.monitoring ? "sync.receiverOnly" : "sync.standalone";
}

/** Says that a list has only its first records. */
function Unlisted({ listed, count }: { readonly listed: number; readonly count: number }) {
  return listed < count ? <p class="quiet">{t("sync.firstListed", { n: listed })}</p> : null;
}

function actionColumn(done: () => void): Column<SyncRecordView> {
  return {
    key: "actions",
    title: t("zones.actions"),
    isMenu: true,
    cell: (record) => <FailedRecordActions record={record} done={done} />,
  };
}

/** Differences found by the last comparison with the dispatch centre. */
function Differences({ of: { differences } }: { readonly of: ComparisonView }) {
  return (
    <section>
      <h2>{t("compared.list")}</h2>
      <Table
        caption={t("compared.list")}
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
      title: t("sync.record"),
      cell: ({ interventionId: id, name }) => (id === null ? name : recordLink(id)),
    },
    { key: "upstream", title: t("sync.centre"), cell: ({ upstreamIds }) => upstreamIds.join(", ") || "–" },
    { key: "what", title: t("compared.what"), cell: ({ kind }) => t(`differs.${kind}`) },
  ];
}

/** The number of an intervention, which a viewer cannot open. */
function recordLink(id: number): ComponentChildren {
  return mayOperate() ? <a href={`#/interventions/${id}`}>{`#${id}`}</a> : `#${id}`;
}

function columns(): Column<SyncRecordView>[] {
  return [
    {
      key: "id",
      title: t("sync.record"),
      isLead: true,
      cell: ({ interventionId }) => recordLink(interventionId),
    },
    { key: "phase", title: t("record.sync"), cell: ({ phase }) => <SyncBadge phase={phase} /> },
    { key: "upstream", title: t("sync.centre"), isShort: true, cell: ({ upstreamId }) => upstreamId ?? "–" },
    {
      key: "attempts",
      title: t("sync.attempts"),
      isShort: true,
      place: "table",
      cell: ({ attempts }) => attempts,
    },
    {
      key: "next",
      title: t("sync.nextAttempt"),
      isShort: true,
      cell: ({ nextAttemptAt }) => formatTime(nextAttemptAt),
    },
    {
      key: "last",
      title: t("sync.lastResponse"),
      isWide: true,
      cell: ({ lastResponse }) => (lastResponse === null ? "–" : <DaemonText text={lastResponse} />),
    },
  ];
}
