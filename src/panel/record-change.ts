import { useRef } from "preact/hooks";
import type { Intervention, InterventionUpdate } from "../generated/types.ts";
import { request } from "./api.ts";
import { ApiError, apiPath, FORM_ERROR_CODE, type ApiResponse } from "./http.ts";
import { t, translateCode } from "./i18n.ts";
import { newKey } from "./idempotency-key.ts";
import { mergedNotes } from "./merged-notes.ts";

type Values = Readonly<Record<string, unknown>>;

/** What a form has sent to create its record. */
interface Creation {
  readonly key: string;
  /** The bodies that may be stored although no response said so, by their text. */
  readonly unanswered: Map<string, InterventionUpdate>;
  created?: ApiResponse<Intervention>;
  /** What the record was created with and changed to since, as far as it may be stored. */
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
    own.versions.push({ ...wanted });
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
      const { status = 0, code } = error instanceof ApiError ? error : {};
      // What the daemon rejects is not stored; a proxy may have lost its response.
      if (code === undefined || status < 400 || status >= 500) unanswered.set(JSON.stringify(body), body);
      if (code !== "key-reused") throw error;
      reused = error;
    }
  }
  throw reused;
}

/** Fields of a record as they are now, which were changed here and elsewhere. */
type Changed = Partial<Intervention>;

/**
 * Changes fields of a record. A newer version of it is changed too unless one of these fields differs there; of the notes, which
 * each further trip of an alarm writes, both changes are kept.
 * @param know called with the fields that others have changed, if nothing is saved; the next attempt is based on them
 * @param earlier what the user has sent before and may be stored
 * @throws ApiError
 */
export async function changeRecord(
  before: Intervention,
  etag: string,
  body: InterventionUpdate,
  know: (now: Changed) => void,
  earlier: readonly Values[] = [],
): Promise<ApiResponse<Intervention>> {
  const path = apiPath(`/interventii/${before.id}`);
  const put = (version: string, wanted = body): Promise<ApiResponse<Intervention>> =>
    request(path, { method: "PUT", headers: { "If-Match": version }, body: wanted });
  try {
    return await put(etag);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 412)) throw error;
    const { body: newest, headers } = await request<Intervention>(path);
    const now: Values = { ...newest };
    // A number names an objective only together with its type.
    const isObjective = "objectiveType" in body || "objectiveId" in body;
    const names = [...Object.keys(body), ...(isObjective ? ["objectiveType", "objectiveId"] : [])];
    // This change may be stored already, if its response was lost.
    const isNow = (sent: Values): boolean => differing(names, now, { ...before, ...sent }).length === 0;
    const version = headers.get("ETag") ?? "*";
    if ([{}, { ...body }, ...earlier].some(isNow)) return put(version);
    const notes = mergedNotes(before.notes ?? "", body.notes ?? "", newest.notes ?? "");
    const conflicts = differing(names, now, { ...before }).filter(
      (name) => now[name] !== { ...before, ...body }[name] && (name !== "notes" || notes === undefined),
    );
    if (conflicts.length === 0)
      return put(version, "notes" in body && notes !== undefined ? { ...body, notes: notes || null } : body);
    know(Object.fromEntries(conflicts.map((name) => [name, now[name]])));
    const changed = [...new Set(conflicts.map((name) => textOf(name, newest)))].join(", ");
    throw new ApiError(412, t("record.changedMeanwhile", { changed }), { code: FORM_ERROR_CODE });
  }
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
