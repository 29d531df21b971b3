import { useRef } from "preact/hooks";
import type { Intervention, InterventionUpdate } from "../generated/types.ts";
import { request } from "./api.ts";
import { ApiError, apiPath, type ApiResponse } from "./http.ts";
import { newKey } from "./idempotency-key.ts";

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
    return changeRecord(created.body, created.headers.get("ETag") ?? "*", changed, earlier);
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

/**
 * Changes fields of a record. A newer version of it is changed too unless one of these fields differs there: each further
 * trip of an alarm writes its notes.
 * @param earlier what the user has sent before and may be stored
 * @throws ApiError
 */
export async function changeRecord(
  before: Intervention,
  etag: string,
  body: InterventionUpdate,
  earlier: readonly Values[] = [],
): Promise<ApiResponse<Intervention>> {
  const path = apiPath(`/interventii/${before.id}`);
  const put = (version: string): Promise<ApiResponse<Intervention>> =>
    request(path, { method: "PUT", headers: { "If-Match": version }, body });
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
    const isNow = (sent: Values): boolean => {
      const version: Values = { ...before, ...sent };
      return names.every((name) => now[name] === version[name]);
    };
    if (![{}, { ...body }, ...earlier].some(isNow)) throw error;
    return put(headers.get("ETag") ?? "*");
  }
}

/** The fields of a saved record that were sent. */
export function sentIn(saved: Intervention, sent: InterventionUpdate): Partial<Intervention> {
  return Object.fromEntries(Object.entries(saved).filter(([name]) => name in sent));
}
