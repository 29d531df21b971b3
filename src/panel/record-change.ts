import { useRef } from "preact/hooks";
import type { Intervention, InterventionUpdate } from "../generated/types.ts";
import { request } from "./api.ts";
import { ApiError, apiPath, FORM_ERROR_CODE, type ApiResponse } from "./http.ts";
import { t, translateCode } from "./i18n.ts";
import { mayBeDone, newKey } from "./idempotency-key.ts";
import { isChangeIn, mergedNotes } from "./merged-notes.ts";

type Values = Readonly<Record<string, unknown>>;

/** What a form has sent to create its record. */
interface Creation {
  readonly key: string;
  /** The bodies that may be stored although no response said so, by their text. */
  readonly unanswered: Map<string, InterventionUpdate>;
  created?: ApiResponse<Intervention>;
  /** What the record was created with and changed to since, as far as it may be stored, newest first. */
  readonly versions: Values[];
}

/**
 * Creates the record of a form, once however often it is submitted: what was sent without a response may be stored. All is sent with
 * one key. If the daemon has stored an earlier body with it, what was entered since changes that record.
 */
export function useCreation(): (wanted: InterventionUpdate) => Promise<ApiResponse<Intervention>> {
  const creation = useRef<Creation>(undefined);
  return async (wanted) => {
    const own: Creation = (creation.current ??= { key: newKey(), unanswered: new Map(), versions: [] });
    const created = (own.created ??= await create(own, wanted));
    const isStored = ([name, value]: [string, unknown]): boolean =>
      own.versions.every((one) => one[name] === value);
    const changed = Object.fromEntries(Object.entries(wanted).filter((field) => !isStored(field)));
    if (Object.keys(changed).length === 0) return created;
    const earlier = [...own.versions];
    own.versions.unshift({ ...wanted });
    const know = (now: Changed): void => {
      own.created = { ...created, body: { ...created.body, ...now } };
    };
    return changeRecord(created.body, created.headers.get("ETag") ?? "*", changed, know, earlier);
  };
}

/** @returns the record with the wanted body, or else with the earlier one that is stored. @throws ApiError */
async function create(
  { key, unanswered, versions }: Creation,
  wanted: InterventionUpdate,
): Promise<ApiResponse<Intervention>> {
  let reused: unknown;
  for (const body of [wanted, ...unanswered.values()]) {
    try {
      const order = { method: "POST", headers: { "Idempotency-Key": key }, body } as const;
      const created = await request<Intervention>(apiPath("/interventii"), order);
      versions.push({ ...body });
      return created;
    } catch (error) {
      if (mayBeDone(error)) unanswered.set(JSON.stringify(body), body);
      if (!(error instanceof ApiError && error.code === "key-reused")) throw error;
      reused = error;
    }
  }
  throw reused;
}

/** Changes the record of a form as `changeRecord` does, also if what the form has sent before is stored without a response. */
export function useChange(): (...change: ChangeArguments) => Promise<ApiResponse<Intervention>> {
  const unanswered = useRef<Values[]>([]);
  return async (before, etag, body, know) => {
    try {
      const saved = await changeRecord(before, etag, body, know, unanswered.current);
      unanswered.current = [];
      return saved;
    } catch (error) {
      if (mayBeDone(error)) unanswered.current.unshift({ ...body });
      throw error;
    }
  };
}

/** Fields of a record as they are now, which were changed here and elsewhere. */
type Changed = Partial<Intervention>;
type ChangeArguments = [
  before: Intervention,
  etag: string,
  body: InterventionUpdate,
  know: (now: Changed) => void,
];

/** Each further trip of an alarm makes a new version, also while one is saved. */
const ATTEMPTS = 5;

/**
 * Changes fields of a record. A newer version of it is changed too unless one of these fields differs there; of the notes, which
 * each further trip of an alarm writes, both changes are kept.
 * @param know called with the fields that others have changed, if nothing is saved; the next attempt is based on them
 * @param earlier what the user has sent before and may be stored, newest first
 * @throws ApiError
 */
async function changeRecord(
  ...[before, etag, body, know, earlier]: [...ChangeArguments, earlier: readonly Values[]]
): Promise<ApiResponse<Intervention>> {
  const path = apiPath(`/interventii/${before.id}`);
  let version = etag;
  let wanted = body;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      const headers = { "If-Match": version };
      return await request<Intervention>(path, { method: "PUT", headers, body: wanted });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error;
    }
    const newest = await request<Intervention>(path);
    version = newest.headers.get("ETag") ?? "*";
    wanted = changeOf(newest.body, before, body, know, earlier);
  }
  throw new ApiError(412, t("record.changedAgain"), { code: FORM_ERROR_CODE });
}

/** The change of a newer version. @throws ApiError if others have changed there what the user has */
function changeOf(
  newest: Intervention,
  ...[before, body, know, earlier]: [
    before: Intervention,
    body: InterventionUpdate,
    know: (now: Changed) => void,
    earlier: readonly Values[],
  ]
): InterventionUpdate {
  const now: Values = { ...newest };
  const stored = storedOf(earlier, { ...before }, now);
  const base: Values = { ...before, ...stored };
  // What is stored of it, the user may have taken back since.
  const former = Object.fromEntries(
    Object.keys(stored).map((name) => [name, ({ ...before } as Values)[name]]),
  );
  const wanted: InterventionUpdate = { ...former, ...body };
  // A number names an objective only together with its type.
  const isObjective = "objectiveType" in wanted || "objectiveId" in wanted;
  const names = [...Object.keys(wanted), ...(isObjective ? ["objectiveType", "objectiveId"] : [])];
  const notes = mergedNotes(textIn(base["notes"]), wanted.notes ?? "", newest.notes ?? "");
  const conflicts = differing(names, now, base).filter(
    (name) => now[name] !== { ...base, ...wanted }[name] && (name !== "notes" || notes === undefined),
  );
  if (conflicts.length === 0)
    return "notes" in wanted && notes !== undefined ? { ...wanted, notes: notes || null } : wanted;
  know(Object.fromEntries(conflicts.map((name) => [name, now[name]])));
  const changed = [...new Set(conflicts.map((name) => textOf(name, newest)))].join(", ");
  throw new ApiError(412, t("record.changedMeanwhile", { changed }), { code: FORM_ERROR_CODE });
}

/** The fields that the user has changed before with what is stored; trips may have changed other lines of its notes since. */
function storedOf(sent: readonly Values[], before: Values, now: Values): Values {
  const changes = sent
    .map((one) => Object.fromEntries(Object.entries(one).filter(([name, value]) => value !== before[name])))
    .filter((one) => Object.keys(one).length > 0);
  const others = (one: Values): string[] => differing(Object.keys(one), one, now);
  const isIn = (one: Values): boolean =>
    others(one).every(
      (name) =>
        name === "notes" && isChangeIn(textIn(before["notes"]), textIn(one["notes"]), textIn(now["notes"])),
    );
  const isSame = (one: Values): boolean => others(one).length === 0;
  return changes.find(isSame) ?? changes.find(isIn) ?? {};
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function differing(names: readonly string[], one: Values, other: Values): string[] {
  return names.filter((name) => one[name] !== other[name]);
}

/** A field by its label, with its value if that is a word. */
function textOf(name: string, { status, priority, type }: Intervention): string {
  if (name === "status") return `${t("record.status")}: ${t(`status.${status}`)}`;
  if (name === "priority") return `${t("record.priority")}: ${t(`priority.${priority}`)}`;
  if (name === "type") return `${t("record.type")}: ${t(`type.${type}`)}`;
  return translateCode("record", name.startsWith("objective") ? "objective" : name);
}

/**
 * The fields of a saved record that were sent. Of the notes what was sent, because the stored ones may have lines of others that
 * the form does not show.
 */
export function sentIn(saved: Intervention, sent: InterventionUpdate): Partial<Intervention> {
  const fields = Object.fromEntries(Object.entries(saved).filter(([name]) => name in sent));
  return sent.notes === undefined ? fields : { ...fields, notes: sent.notes };
}
