import type { Queries } from "./connection.ts";

/** Wall clock of the server, which all processes of a centre share, milliseconds since 1970. */
export const SERVER_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** The wall clock of the server, milliseconds since 1970. @param nowMs another clock; undefined for that of the server */
export async function serverNow(queries: Queries, nowMs?: () => number): Promise<number> {
  if (nowMs) return Math.round(nowMs());
  const [row] = await queries.query<{ now: number }>(`SELECT ${SERVER_NOW} AS now`);
  return row?.now ?? 0;
}
