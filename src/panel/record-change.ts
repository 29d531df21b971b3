import { useRef } from "preact/hooks";
import type { Intervention, InterventionUpdate } from "../generated/types.ts";
import { request } from "./api.ts";
import { ApiError, apiPath, type ApiResponse } from "./http.ts";
import { newKey } from "./idempotency-key.ts";

/**
 * Creates the record of a form, once however often it is submitted: what was sent without a response may be stored. That is sent
 * again with its key, which returns the record, and what was entered since changes it.
 */
export function useCreation(): (wanted: InterventionUpdate) => Promise<ApiResponse<Intervention>> {
  const sent = useRef<{ readonly key: string; readonly body: InterventionUpdate }>(undefined);
  return async (wanted) => {
    const { key, body } = (sent.current ??= { key: newKey(), body: wanted });
    const order = { method: "POST", headers: { "Idempotency-Key": key }, body } as const;
    const created = await request<Intervention>(apiPath("/interventii"), order).catch((error: unknown) => {
      // What is rejected is not stored.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) sent.current = undefined;
      throw error;
    });
    const isSent = ([name, value]: [string, unknown]): boolean =>
      value === (body as Readonly<Record<string, unknown>>)[name];
    const changed = Object.fromEntries(Object.entries(wanted).filter((field) => !isSent(field)));
    if (Object.keys(changed).length === 0) return created;
    return changeRecord(created.body, created.headers.get("ETag") ?? "*", changed);
  };
}

/**
 * Changes fields of a record. A newer version of it is changed too unless one of these fields differs there: each further
 * trip of an alarm writes its notes.
 * @throws ApiError
 */
export async function changeRecord(
  before: Intervention,
  etag: string,
  body: InterventionUpdate,
): Promise<ApiResponse<Intervention>> {
  const path = apiPath(`/interventii/${before.id}`);
  const put = (version: string): Promise<ApiResponse<Intervention>> =>
    request(path, { method: "PUT", headers: { "If-Match": version }, body });
  try {
    return await put(etag);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 412)) throw error;
    const { body: now, headers } = await request<Intervention>(path);
    const isSame = (name: keyof Intervention): boolean => now[name] === before[name];
    // A number names an objective only together with its type.
    const isObjective = "objectiveType" in body || "objectiveId" in body;
    const names = [...Object.keys(body), ...(isObjective ? ["objectiveType", "objectiveId"] : [])];
    if (!(names as (keyof Intervention)[]).every(isSame)) throw error;
    return put(headers.get("ETag") ?? "*");
  }
}

/** The fields of a saved record that were sent. */
export function sentIn(saved: Intervention, sent: InterventionUpdate): Partial<Intervention> {
  return Object.fromEntries(Object.entries(saved).filter(([name]) => name in sent));
}
