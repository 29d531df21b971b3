import { useState } from "preact/hooks";
import type { Intervention, Objective, Status } from "../../generated/types.ts";
import type { HistoryView } from "../../http/site/journal-view.ts";
import { request, useQuery } from "../api.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { EventRows } from "../event-rows.tsx";
import { t, tCode } from "../i18n.ts";
import { journalVersion, status } from "../live-updates.ts";
import { formatRecordDate } from "../date-format.ts";
import { runWithErrorNotice, Pending, showNotice } from "../notice.tsx";
import { go } from "../route.ts";
import { SyncBadge } from "../sync-badge.tsx";
import { interfacePath } from "../http.ts";
import { InterventionForm } from "./intervention-form.tsx";
import { STATUSES } from "./interventions.tsx";

/** One intervention: what it says, how far it has come, and what may be done with it. */
export function InterventionScreen({ id, isEdited }: { readonly id: string; readonly isEdited: boolean }) {
  const path = interfacePath(`/interventii/${id}`);
  const { answer, refusal, askAgain } = useQuery<Intervention>(path, journalVersion.value);
  const record = answer?.body;
  if (!answer || !record || String(record.id) !== id)
    return (
      <>
        <h1>{`#${id}`}</h1>
        <Pending refusal={refusal} askAgain={askAgain} />
        <Back />
      </>
    );
  const etag = answer.headers.get("ETag") ?? "*";
  if (isEdited) return <InterventionForm record={record} etag={etag} />;
  return (
    <>
      <Back />
      <h1>{`#${id} ${record.name}`}</h1>
      <StatusButtons record={record} etag={etag} askAgain={askAgain} />
      <Facts record={record} />
      <div class="row">
        <a class="button" href={`#/interventions/${id}/edit`}>
          {t("interventions.edit")}
        </a>
        <Deletion record={record} etag={etag} />
      </div>
      <History id={record.id} />
    </>
  );
}

function Back() {
  return (
    <p>
      <a href="#/interventions">‹ {t("nav.interventions")}</a>
    </p>
  );
}

function StatusButtons({
  record,
  etag,
  askAgain,
}: {
  readonly record: Intervention;
  readonly etag: string;
  readonly askAgain: () => void;
}) {
  const set = (next: Status): Promise<boolean> =>
    runWithErrorNotice(async () => {
      await request(interfacePath(`/interventii/${record.id}`), {
        method: "PUT",
        headers: { "If-Match": etag },
        body: { status: next },
      });
      showNotice(t("interventions.saved"));
      askAgain();
    });
  return (
    <div class="row" role="group" aria-label={t("record.status")}>
      <span>{t("record.status")}:</span>
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
  const objective = useQuery<Objective>(interfacePath(`/${objectiveType}/${objectiveId}`)).answer?.body;
  const asked = (["police", "ambulance", "firetruck"] as const).filter((service) => record[service]);
  const facts: readonly (readonly [string, string | number])[] = [
    [t("record.objective"), `${objective?.name ?? ""} (${tCode("objective", objectiveType)} ${objectiveId})`],
    [t("record.priority"), t(`priority.${record.priority}`)],
    [t("record.type"), t(`type.${record.type}`)],
    [t("record.dateStart"), formatRecordDate(record.dateStart)],
    [t("record.dateEnd"), formatRecordDate(record.dateEnd)],
    [t("record.crews"), record.crews],
    [t("record.services"), asked.map((service) => t(`record.${service}`)).join(", ") || "–"],
    [t("record.description"), record.description ?? "–"],
    [t("record.notes"), record.notes ?? "–"],
  ];
  return (
    <dl class="facts box">
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
      await request(interfacePath(`/interventii/${record.id}`), { method: "DELETE", headers });
      showNotice(t("interventions.deleted", { id: record.id }));
      go("#/interventions");
    });
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsAsked(true)}>
        {t("interventions.delete")}
      </button>
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

/** From the contact to the centre: every step of the record that was written down. */
function History({ id }: { readonly id: number }) {
  const { answer, refusal, askAgain } = useQuery<HistoryView>(
    `/site/interventions/${id}/history`,
    `${journalVersion.value} ${JSON.stringify(status.value?.outbox)}`,
  );
  if (!answer) return <Pending refusal={refusal} askAgain={askAgain} />;
  const { entries, sync } = answer.body;
  return (
    <section>
      <h2>{t("interventions.history")}</h2>
      {sync && status.value?.link.state !== "none" && (
        <p>
          {t("record.sync")}: <SyncBadge phase={sync.isSynced ? undefined : sync.phase} />
          {sync.upstreamId !== null && t("sync.upstreamId", { id: sync.upstreamId })}{" "}
          {sync.lastResponse !== null && <span lang="en">{sync.lastResponse}</span>}
        </p>
      )}
      <EventRows caption={t("interventions.history")} entries={entries} />
    </section>
  );
}
