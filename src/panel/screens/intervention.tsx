import { useState } from "preact/hooks";
import type { Intervention, Objective, Status } from "../../generated/types.ts";
import type { HistoryView } from "../../site/timeline-view.ts";
import { request, useQuery, type QueryState } from "../api.ts";
import { BackLink } from "../back-link.tsx";
import { ConfirmDialog } from "../dialog.tsx";
import { EventList } from "../event-list.tsx";
import { Icon } from "../icon.tsx";
import { Journey } from "../journey.tsx";
import { Menu } from "../menu.tsx";
import { DaemonText } from "../daemon-text.tsx";
import { t, translateCode } from "../i18n.ts";
import { journalVersion, status } from "../live-updates.ts";
import { formatRecordDate } from "../date-format.ts";
import { runWithErrorNotice, Pending, showNotice } from "../notice.tsx";
import { PlanLink } from "../plan-link.tsx";
import { go, isFromList } from "../route.ts";
import { SyncBadge } from "../sync-badge.tsx";
import { apiPath } from "../http.ts";
import { InterventionForm } from "./intervention-form.tsx";
import { STATUSES } from "./interventions.tsx";

/** One intervention with its fields, history and actions. */
export function InterventionScreen({ id, isEdited }: { readonly id: string; readonly isEdited: boolean }) {
  const path = apiPath(`/interventii/${id}`);
  const { response, error, reload } = useQuery<Intervention>(path, journalVersion.value);
  const record = response?.body;
  const history = useQuery<HistoryView>(
    isEdited || !record ? undefined : `/site/interventions/${record.id}/history`,
    `${journalVersion.value} ${JSON.stringify(status.value?.outbox)}`,
  );
  if (!response || !record || String(record.id) !== id)
    return (
      <>
        <h1>{`#${id}`}</h1>
        <Pending error={error} reload={reload} />
        <Back />
      </>
    );
  const etag = response.headers.get("ETag") ?? "*";
  if (isEdited) return <InterventionForm record={record} etag={etag} />;
  return (
    <>
      <Back />
      <div class="head">
        <h1 class="grow">{`#${id} ${record.name}`}</h1>
        <div class="actions">
          <a class="button" href={`#/interventions/${id}/edit`}>
            <Icon name="pencil" />
            <span class="wide-word">{t("interventions.edit")}</span>
          </a>
          <Deletion record={record} etag={etag} />
        </div>
      </div>
      <div class="split">
        <div class="stack">
          <section class="card">
            <OwnJourney id={record.id} />
            {status.value?.role === "site" && <PlanLink zones={zonesIn(history)} />}
            <StatusButtons record={record} etag={etag} reload={reload} />
          </section>
          <section class="card">
            <h2>{t("objectives.details")}</h2>
            <Facts record={record} />
          </section>
        </div>
        <History {...history} />
      </div>
    </>
  );
}

/** Its way to the dispatch centre, while it is not done. */
function OwnJourney({ id }: { readonly id: number }) {
  const journey = status.value?.journeys.find(({ interventionId }) => interventionId === id);
  return journey ? <Journey journey={journey} /> : null;
}

/** The zones that have tripped in it, oldest first. */
function zonesIn({ response }: QueryState<HistoryView>): readonly string[] {
  return (response?.body.entries ?? []).reduce<string[]>((later, { who }) => {
    const [, zone] = /^zone (\S+)$/.exec(who) ?? [];
    return zone === undefined ? later : [zone, ...later];
  }, []);
}

function Back() {
  return (
    <BackLink
      href="#/interventions"
      text={t("nav.interventions")}
      onClick={(event) => {
        // Back to the list as it was left, with its filters and page.
        if (!isFromList()) return;
        event.preventDefault();
        history.back();
      }}
    />
  );
}

function StatusButtons({
  record,
  etag,
  reload,
}: {
  readonly record: Intervention;
  readonly etag: string;
  readonly reload: () => void;
}) {
  const set = (next: Status): Promise<boolean> =>
    runWithErrorNotice(async () => {
      await request(apiPath(`/interventii/${record.id}`), {
        method: "PUT",
        headers: { "If-Match": etag },
        body: { status: next },
      });
      showNotice(t("interventions.saved"));
      reload();
    });
  return (
    <div class="row" role="group" aria-label={t("record.status")}>
      {STATUSES.map((one) => (
        <button
          type="button"
          key={one}
          aria-pressed={record.status === one}
          onClick={() => {
            if (record.status !== one) void set(one);
          }}
        >
          {t(`status.${one}`)}
        </button>
      ))}
    </div>
  );
}

function Facts({ record }: { readonly record: Intervention }) {
  const { objectiveType, objectiveId } = record;
  const objective = useQuery<Objective>(apiPath(`/${objectiveType}/${objectiveId}`)).response?.body;
  const requested = (["police", "ambulance", "firetruck"] as const).filter((service) => record[service]);
  const facts: readonly (readonly [string, string | number])[] = [
    [
      t("record.objective"),
      `${objective?.name ?? ""} (${translateCode("objective", objectiveType)} ${objectiveId})`,
    ],
    ...(objective?.address ? [[t("record.address"), objective.address] as const] : []),
    [t("record.priority"), t(`priority.${record.priority}`)],
    [t("record.type"), t(`type.${record.type}`)],
    [t("record.dateStart"), formatRecordDate(record.dateStart)],
    [t("record.dateEnd"), formatRecordDate(record.dateEnd)],
    [t("record.crews"), record.crews],
    [t("record.services"), requested.map((service) => t(`record.${service}`)).join(", ") || "–"],
    [t("record.description"), record.description ?? "–"],
    [t("record.notes"), record.notes ?? "–"],
  ];
  return (
    <dl class="facts">
      {facts.map(([term, fact]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

function Deletion({ record, etag }: { readonly record: Intervention; readonly etag: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const remove = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const headers = { "If-Match": etag };
      await request(apiPath(`/interventii/${record.id}`), { method: "DELETE", headers });
      showNotice(t("interventions.deleted", { id: record.id }));
      go("#/interventions");
    });
  return (
    <>
      <Menu label={t("app.moreActions")}>
        <button type="button" class="danger" onClick={() => setIsAsked(true)}>
          <Icon name="trash-2" />
          {t("interventions.delete")}
        </button>
      </Menu>
      {isAsked && (
        <ConfirmDialog
          title={t("interventions.deleteTitle", { id: record.id })}
          action={t("interventions.deleteDo")}
          isDanger
          act={remove}
          close={() => setIsAsked(false)}
        >
          <p>{t("interventions.deleteText")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The recorded history of the intervention, and its sync phase. */
function History({ response, error, reload }: QueryState<HistoryView>) {
  if (!response) return <Pending error={error} reload={reload} />;
  const { entries, sync } = response.body;
  return (
    <section class="card">
      <h2>{t("interventions.history")}</h2>
      {sync && status.value?.link.state !== "none" && (
        <p>
          {t("record.sync")}: <SyncBadge phase={sync.isSynced ? undefined : sync.phase} />
          {sync.upstreamId !== null && t("sync.upstreamId", { id: sync.upstreamId })}{" "}
          {sync.lastResponse !== null && <DaemonText text={sync.lastResponse} />}
        </p>
      )}
      <EventList entries={entries} />
    </section>
  );
}
