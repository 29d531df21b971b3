import { useState } from "preact/hooks";
import type { Intervention, InterventionUpdate } from "../../generated/types.ts";
import { Act } from "../act.tsx";
import { Checkbox } from "../checkbox.tsx";
import { daemonNowMs } from "../clock.ts";
import {
  checkDates,
  DateField,
  NO_DATE_PROBLEMS,
  refusedDate,
  type DateName,
  type DateProblems,
} from "../date-field.tsx";
import { Form, TextField, formText } from "../field.tsx";
import { t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { Choice, TextArea } from "../more-fields.tsx";
import { ObjectiveChoice } from "../objective-choice.tsx";
import { goFrom, isAt, listOf, route } from "../route.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { errorText, showNotice } from "../notice.tsx";
import { ApiError } from "../http.ts";
import { CancelLink, GuardUnsavedFields } from "../unsaved.tsx";
import { sentIn, useChange, useCreation } from "../record-change.ts";
import { recordMinute } from "../record-date.ts";
import { useClosing } from "./intervention-closing.tsx";
import { PRIORITIES, STATUSES, WORK_TYPES } from "./interventions.tsx";

/**
 * Form for a new or an existing intervention.
 * @param etag the version shown to the user, so that newer changes are not overwritten
 */
export function InterventionForm(given: { readonly record?: Intervention; readonly etag?: string }) {
  // The record at the start of editing, as the fields show it: later changes must not count as input.
  const [{ record: shown }] = useState(given);
  // What was saved since is stored; what others have changed is not in the fields.
  const [{ record, etag }, setStored] = useState(given);
  const [error, run] = useErrorMessage();
  const [problems, setProblems] = useState(NO_DATE_PROBLEMS);
  const create = useCreation();
  const change = useChange();
  const isNew = record === undefined;
  const { changeTo, question } = useClosing();
  const save = async (fields: FormData, form: HTMLFormElement): Promise<void> => {
    const here = route.value;
    const body = changedFields(fields, record);
    const { body: saved, headers } = await (isNew
      ? create(body)
      : change(record, etag ?? "*", body, (now) =>
          setStored((stored) => ({ ...stored, record: { ...record, ...now } })),
        ));
    const isAsSent = JSON.stringify(changedFields(new FormData(form), record)) === JSON.stringify(body);
    if (isAsSent || !isAt(here)) return goFrom(here, `#/interventions/${saved.id}`);
    // With its former version the next save compares what others have changed since.
    setStored(
      isNew
        ? { record: saved, etag: headers.get("ETag") ?? "*" }
        : { ...(etag === undefined ? {} : { etag }), record: { ...record, ...sentIn(saved, body) } },
    );
    showNotice(t("app.savedBefore"));
  };
  const saveOrPoint = async (fields: FormData, form: HTMLFormElement): Promise<void> => {
    try {
      await save(fields, form);
    } catch (cause) {
      const name = cause instanceof ApiError ? refusedDate(cause.message) : undefined;
      if (name === undefined) throw cause;
      setProblems({ ...NO_DATE_PROBLEMS, [name]: { said: errorText(cause as ApiError) } });
    }
  };
  return (
    <>
      <h1>{isNew ? t("interventions.new") : t("interventions.editTitle", { id: record.id })}</h1>
      <Form
        onSubmit={async (fields, form) => {
          const saveAll = (): Promise<unknown> => run(() => saveOrPoint(fields, form));
          const isClosed = !isNew && record.status !== "done" && formText(fields, "status") === "done";
          await (isClosed ? changeTo(record.id, "done", saveAll) : saveAll());
        }}
      >
        <Fields {...(shown ? { record: shown } : {})} problems={problems} setProblems={setProblems} />
        <ErrorMessage text={error} />
        <div class="row">
          <Act type="submit" class="main">
            {t("app.save")}
          </Act>
          <CancelLink href={isNew ? listOf("interventions") : `#/interventions/${record.id}`} />
        </div>
        <GuardUnsavedFields />
      </Form>
      {question}
    </>
  );
}

function Fields({
  record,
  ...dates
}: {
  readonly record?: Intervention;
  readonly problems: DateProblems;
  readonly setProblems: StateUpdater;
}) {
  const text = (value: string | null | undefined): string => value ?? "";
  return (
    <>
      <TextField label={t("record.name")} name="name" initial={text(record?.name)} required maxLength={200} />
      <ObjectiveChoice type={record?.objectiveType ?? "obiective/cladiri"} id={record?.objectiveId} />
      <div class="grid">
        <Choice
          label={t("record.status")}
          name="status"
          initial={record?.status ?? "planned"}
          options={STATUSES.map((one) => [one, t(`status.${one}`)])}
        />
        <Choice
          label={t("record.priority")}
          name="priority"
          initial={record?.priority ?? "medium"}
          options={PRIORITIES.map((one) => [one, t(`priority.${one}`)])}
        />
        <Choice
          label={t("record.type")}
          name="type"
          initial={record?.type ?? "maintenance"}
          options={WORK_TYPES.map((one) => [one, t(`type.${one}`)])}
          {...(status.value?.role === "centre" ? { hint: t("interventions.otherIsAlarm") } : {})}
        />
        <DateFields {...(record ? { record } : {})} {...dates} />
        <TextField
          label={t("record.crews")}
          name="crews"
          type="number"
          min={1}
          max={1000}
          initial={String(record?.crews ?? 1)}
          required
        />
      </div>
      <fieldset class="row">
        <legend>{t("record.services")}</legend>
        {SERVICES.map((service) => (
          <Checkbox
            key={service}
            name={service}
            label={t(`record.${service}`)}
            checked={record?.[service] ?? false}
          />
        ))}
      </fieldset>
      <TextArea label={t("record.description")} name="description" value={text(record?.description)} />
      <TextArea label={t("record.notes")} name="notes" value={text(record?.notes)} />
    </>
  );
}

/** Start and end; a change of one may correct the other. */
function DateFields({
  record,
  problems,
  setProblems,
}: {
  readonly record?: Intervention;
  readonly problems: DateProblems;
  readonly setProblems: StateUpdater;
}) {
  // What a dispatcher enters has mostly begun.
  const [openedAt] = useState(() => new Date(daemonNowMs()).toISOString());
  const onInput = ({ form }: HTMLInputElement): void => {
    if (!form) return;
    const fields = new FormData(form);
    checkDates(form, (name) => dateIn(fields, name, record));
    setProblems(NO_DATE_PROBLEMS);
  };
  return DATES.map((name) => (
    <DateField
      key={name}
      name={name}
      label={t(`record.${name}`)}
      initial={recordMinute((record ? record[name] : name === "dateStart" ? openedAt : "") ?? "")}
      problem={problems[name]}
      setProblem={(problem) => setProblems((known) => ({ ...known, [name]: problem }))}
      onInput={onInput}
    />
  ));
}

const DATES = ["dateStart", "dateEnd"] as const;
type StateUpdater = (change: DateProblems | ((known: DateProblems) => DateProblems)) => void;

const SERVICES = ["police", "ambulance", "firetruck"] as const;

/** The fields that differ from the record; only these are sent. */
function changedFields(fields: FormData, record: Intervention | undefined): InterventionUpdate {
  const given: Record<string, unknown> = {
    name: formText(fields, "name"),
    objectiveType: formText(fields, "objectiveType"),
    objectiveId: Number(formText(fields, "objectiveId")),
    status: formText(fields, "status"),
    priority: formText(fields, "priority"),
    type: formText(fields, "type"),
    crews: Number(formText(fields, "crews")),
    description: normalized(formText(fields, "description")) || null,
    notes: normalized(formText(fields, "notes")) || null,
    dateStart: dateIn(fields, "dateStart", record),
    dateEnd: dateIn(fields, "dateEnd", record),
    ...Object.fromEntries(SERVICES.map((service) => [service, fields.has(service)])),
  };
  const known: Readonly<Record<string, unknown>> = record ? { ...record } : {};
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => normalized(known[name]) !== normalized(value)),
  );
}

/** An unchanged date keeps its seconds and offset, which the field cannot show. */
function dateIn(fields: FormData, name: DateName, record: Intervention | undefined): string | null {
  const given = formText(fields, name);
  const before = record?.[name] ?? null;
  if (before !== null && recordMinute(before) === given) return before;
  return given === "" ? null : given;
}

/** Browsers send CRLF line ends. */
function normalized(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/\r\n/g, "\n") : value;
}
