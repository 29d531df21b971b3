import "../wide-word.css";
import "../print.css";
import "../facts.css";
import "../three.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Intervention, Objective, Status } from "../../generated/types.ts";
import type { SyncRecordStatus } from "../../site/sync-view.ts";
import type { HistoryView } from "../../site/timeline-view.ts";
import { Act } from "../act.tsx";
import { useQuery, type QueryState } from "../api.ts";
import { BackLink } from "../back-link.tsx";
import { everyShown } from "../clock.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { HistoryList } from "../event-list.tsx";
import { Icon } from "../icon.tsx";
import { DaemonText } from "../daemon-text.tsx";
import { t } from "../i18n.ts";
import { journalVersion, status } from "../live-updates.ts";
import { errorText, Pending } from "../notice.tsx";
import { PlanLink } from "../plan-link.tsx";
import { formatRecordDate } from "../record-date.ts";
import { useRecordSites } from "../record-sites.ts";
import { isFromList, itemTitle, listOf } from "../route.ts";
import { account } from "../session.ts";
import { AtCentre, needsAttention, SyncBadge } from "../sync-badge.tsx";
import { apiPath, type ApiResponse } from "../http.ts";
import { setStatus, useClosing } from "./intervention-closing.tsx";
import { Deletion } from "./intervention-deletion.tsx";
import { Delivery, Refused, SetThere } from "./intervention-delivery.tsx";
import { InterventionForm } from "./intervention-form.tsx";
import { aboutObjective, ObjectiveLink, SiteLink } from "./intervention-places.tsx";
import { STATUSES } from "./interventions.tsx";

/** One intervention with its fields, history and actions. */
export function InterventionScreen({ id, isEdited }: { readonly id: string; readonly isEdited: boolean }) {
  const path = apiPath(`/interventii/${id}`);
  const { response, error, reload } = useQuery<Intervention>(path, journalVersion.value);
  const record = response?.body;
  const past = useHistory(isEdited ? undefined : record?.id);
  const last = useRef<ApiResponse<Intervention> | undefined>(undefined);
  const name = record && String(record.id) === id ? `#${id} ${record.name}` : "";
  useTitle(name);
  if (response && String(response.body.id) === id) last.current = response;
  // What is being entered stays, also once another user has deleted the record.
  if (isEdited && last.current)
    return (
      <>
        <ErrorMessage text={error?.status === 404 ? errorText(error) : ""} />
        <InterventionForm record={last.current.body} etag={etagOf(last.current)} />
      </>
    );
  if (!response || !record || String(record.id) !== id)
    return (
      <>
        <h1>{`#${id}`}</h1>
        <Pending error={error} reload={reload} />
        <Back />
      </>
    );
  const { journey, sync = null, setThere = [], zones = [] } = past.response?.body ?? {};
  const setAt: SetAt = (...fields) => setThere.find(({ field }) => fields.includes(field))?.at;
  return (
    <>
      <Back />
      <div class="head">
        <h1 class="grow">{name}</h1>
        <div class="actions">
          <a class="button" href={`#/interventions/${id}/edit`}>
            <Icon name="pencil" />
            <span class="wide-word">{t("interventions.edit")}</span>
          </a>
          {account.value?.mayDelete === true && <Deletion record={record} etag={etagOf(response)} />}
        </div>
      </div>
      <div class="split">
        <div class="stack">
          <section class="card">
            <Delivery id={record.id} stored={journey} />
            {status.value?.role === "site" && <PlanLink zones={[journey?.zone?.id ?? "", ...zones]} />}
            <StatusButtons record={record} reload={reload} />
            {setAt("status") !== undefined && (
              <p>
                <SetThere at={setAt("status")} />
              </p>
            )}
          </section>
          {sync && needsAttention(sync.phase) && <Refused sync={sync} done={past.reload} />}
          <section class="card">
            <h2>{t("objectives.details")}</h2>
            <Facts record={record} setAt={setAt} />
          </section>
        </div>
        <History query={past} />
      </div>
    </>
  );
}

/** Names the intervention in the title of the page. */
function useTitle(name: string): void {
  useEffect(() => {
    itemTitle.value = name;
    return () => {
      itemTitle.value = "";
    };
  }, [name]);
}

function etagOf({ headers }: ApiResponse<Intervention>): string {
  return headers.get("ETag") ?? "*";
}

/** An attempt to send a record changes neither the journal nor the queue. */
const REFRESH_EVERY_MS = 3_000;

/** The history of a record, again while the record waits. @param id undefined while there is nothing to ask */
function useHistory(id: number | undefined): QueryState<HistoryView> {
  const query = useQuery<HistoryView>(
    id === undefined ? undefined : `/site/interventions/${id}/history`,
    `${journalVersion.value} ${JSON.stringify(status.value?.outbox)}`,
  );
  const isWaiting = query.response?.body.sync?.isSynced === false;
  useEffect(() => (isWaiting ? everyShown(REFRESH_EVERY_MS, query.refresh) : undefined), [isWaiting]);
  return query;
}

/** When the dispatch centre has set the present value of one of these fields; undefined if it has not. */
type SetAt = (...fields: readonly string[]) => string | undefined;

function Back() {
  return (
    <BackLink
      href={listOf("interventions")}
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

function StatusButtons({ record, reload }: { readonly record: Intervention; readonly reload: () => void }) {
  const { changeTo, question } = useClosing();
  const [problem, run] = useErrorMessage();
  const set = (next: Status): Promise<void> =>
    run(async () => {
      await setStatus(record.id, next);
      reload();
    });
  return (
    <>
      <div class="three" role="group" aria-label={t("record.status")}>
        {STATUSES.map((one) => (
          <Act
            key={one}
            aria-pressed={record.status === one}
            onClick={() => {
              if (record.status !== one) void changeTo(record.id, one, () => set(one));
            }}
          >
            {t(`status.${one}`)}
          </Act>
        ))}
      </div>
      {question}
      <ErrorMessage text={problem} />
    </>
  );
}

function Facts({ record, setAt }: { readonly record: Intervention; readonly setAt: SetAt }) {
  const { objectiveType, objectiveId } = record;
  const objective = useQuery<Objective>(apiPath(`/${objectiveType}/${objectiveId}`)).response?.body;
  const site = useRecordSites([record])(record);
  const requested = (["police", "ambulance", "firetruck"] as const).filter((service) => record[service]);
  const facts: readonly (readonly [term: string, fact: ComponentChildren, setAt?: string | undefined])[] = [
    [
      t("record.objective"),
      <ObjectiveLink record={record} name={objective?.name} />,
      setAt("objectiveType", "objectiveId"),
    ],
    ...aboutObjective(objective),
    ...(site ? [[t("interventions.site"), <SiteLink site={site} />] as const] : []),
    [t("record.priority"), t(`priority.${record.priority}`), setAt("priority")],
    [t("record.type"), t(`type.${record.type}`), setAt("type")],
    [t("record.dateStart"), formatRecordDate(record.dateStart), setAt("dateStart")],
    [t("record.dateEnd"), formatRecordDate(record.dateEnd), setAt("dateEnd")],
    [t("record.crews"), record.crews, setAt("crews")],
    [
      t("record.services"),
      requested.map((service) => t(`record.${service}`)).join(", ") || "–",
      setAt("police", "ambulance", "firetruck"),
    ],
    [t("record.description"), record.description ?? "–", setAt("description")],
    [t("record.notes"), record.notes ?? "–", setAt("notes")],
  ];
  return (
    <dl class="facts">
      {facts.map(([term, fact, at]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>
            {fact} <SetThere at={at} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The recorded history of the intervention, and its sync phase. */
function History({ query: { response, error, reload } }: { readonly query: QueryState<HistoryView> }) {
  if (!response) return <Pending error={error} reload={reload} />;
  const { entries, sync, journey } = response.body;
  return (
    <section class="card">
      <h2>{t("interventions.history")}</h2>
      {sync && status.value?.link.state !== "none" && (
        <p class="row">
          {t("record.sync")}: {sync.phase === "closed" ? <AtCentre record={sync} /> : <Sent sync={sync} />}{" "}
          {sync.lastResponse !== null && !needsAttention(sync.phase) && (
            <DaemonText text={sync.lastResponse} />
          )}
        </p>
      )}
      <HistoryList entries={entries} journey={journey} />
    </section>
  );
}

/** The sync phase of a record that is or will be at the dispatch centre, and its id there. */
function Sent({ sync: { isSynced, phase, upstreamId } }: { readonly sync: SyncRecordStatus }) {
  return (
    <>
      <SyncBadge phase={isSynced ? undefined : phase} />
      {upstreamId !== null && <span>{t("sync.upstreamId", { id: upstreamId })}</span>}
    </>
  );
}
