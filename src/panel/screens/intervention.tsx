import { useState } from "preact/hooks";
import type { Intervention, Objective, Status } from "../../generated/types.ts";
import type { HistoryView } from "../../http/site/journal-view.ts";
import { ask, useAnswer } from "../api.ts";
import { Question } from "../dialog.tsx";
import { EventRows } from "../event-rows.tsx";
import { say, sayCode } from "../language.ts";
import { journalVersion, status } from "../live.ts";
import { sayRecordDate } from "../moments.ts";
import { attempt, Pending, tell } from "../notice.tsx";
import { go } from "../place.ts";
import { SyncBadge } from "../sync-badge.tsx";
import { interfacePath } from "../wire.ts";
import { InterventionForm } from "./intervention-form.tsx";
import { STATUSES } from "./interventions.tsx";

/** One intervention: what it says, how far it has come, and what may be done with it. */
export function InterventionScreen({ id, isEdited }: { readonly id: string; readonly isEdited: boolean }) {
  const path = interfacePath(`/interventii/${id}`);
  const { answer, refusal, askAgain } = useAnswer<Intervention>(path, journalVersion.value);
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
          {say("interventions.edit")}
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
      <a href="#/interventions">‹ {say("nav.interventions")}</a>
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
    attempt(async () => {
      await ask(interfacePath(`/interventii/${record.id}`), {
        method: "PUT",
        headers: { "If-Match": etag },
        body: { status: next },
      });
      tell(say("interventions.saved"));
      askAgain();
    });
  return (
    <div class="row" role="group" aria-label={say("record.status")}>
      <span>{say("record.status")}:</span>
      {STATUSES.map((one) => (
        <button
          type="button"
          key={one}
          aria-pressed={record.status === one}
          onClick={() => {
            if (record.status !== one) void set(one);
          }}
        >
          {say(`status.${one}`)}
        </button>
      ))}
    </div>
  );
}

function Facts({ record }: { readonly record: Intervention }) {
  const { objectiveType, objectiveId } = record;
  const objective = useAnswer<Objective>(interfacePath(`/${objectiveType}/${objectiveId}`)).answer?.body;
  const asked = (["police", "ambulance", "firetruck"] as const).filter((service) => record[service]);
  const facts: readonly (readonly [string, string | number])[] = [
    [
      say("record.objective"),
      `${objective?.name ?? ""} (${sayCode("objective", objectiveType)} ${objectiveId})`,
    ],
    [say("record.priority"), say(`priority.${record.priority}`)],
    [say("record.type"), say(`type.${record.type}`)],
    [say("record.dateStart"), sayRecordDate(record.dateStart)],
    [say("record.dateEnd"), sayRecordDate(record.dateEnd)],
    [say("record.crews"), record.crews],
    [say("record.services"), asked.map((service) => say(`record.${service}`)).join(", ") || "–"],
    [say("record.description"), record.description ?? "–"],
    [say("record.notes"), record.notes ?? "–"],
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
    attempt(async () => {
      const headers = { "If-Match": etag };
      await ask(interfacePath(`/interventii/${record.id}`), { method: "DELETE", headers });
      tell(say("interventions.deleted", { id: record.id }));
      go("#/interventions");
    });
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsAsked(true)}>
        {say("interventions.delete")}
      </button>
      {isAsked && (
        <Question
          title={say("interventions.deleteTitle", { id: record.id })}
          action={say("interventions.deleteDo")}
          isDanger
          act={remove}
          close={() => setIsAsked(false)}
        >
          <p>{say("interventions.deleteText")}</p>
        </Question>
      )}
    </>
  );
}

/** From the contact to the centre: every step of the record that was written down. */
function History({ id }: { readonly id: number }) {
  const { answer, refusal, askAgain } = useAnswer<HistoryView>(
    `/site/interventions/${id}/history`,
    `${journalVersion.value} ${JSON.stringify(status.value?.outbox)}`,
  );
  if (!answer) return <Pending refusal={refusal} askAgain={askAgain} />;
  const { entries, sync } = answer.body;
  return (
    <section>
      <h2>{say("interventions.history")}</h2>
      {sync && status.value?.link.state !== "none" && (
        <p>
          {say("record.sync")}: <SyncBadge phase={sync.isAtRest ? undefined : sync.phase} />
          {sync.upstreamId !== null && say("sync.upstreamId", { id: sync.upstreamId })}{" "}
          {sync.lastAnswer !== null && <span lang="en">{sync.lastAnswer}</span>}
        </p>
      )}
      <EventRows caption={say("interventions.history")} entries={entries} />
    </section>
  );
}
