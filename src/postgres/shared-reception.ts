import {
  combineReceptions,
  signKeptMs,
  type ProcessReportReception,
  type ReceptionStall,
  type ReportReception,
} from "../domain/reception.ts";
import type { ComparedConfiguration } from "./compared-configuration.ts";
import type { NamedStatement, Queries } from "./connection.ts";

/** A step of the schema. */
export const REPORT_RECEPTION = `
  -- What each process knows of the reports that it takes: none calls a site silent whose report another has missed.
  CREATE TABLE report_reception(
    process text COLLATE "C" PRIMARY KEY,
    began_at bigint NOT NULL,
    missed_at bigint, complete_at bigint NOT NULL
  );
`;

/** A later step: stops that concern only sites with a short time, as JSON. */
export const RECEPTION_STALLS = `ALTER TABLE report_reception ADD COLUMN stalls text COLLATE "C" NOT NULL DEFAULT '[]'`;

/** What a process has stored; `stalls` is JSON. */
type SignRow = Omit<ProcessReportReception, "stalls"> & {
  readonly stalls: string;
  readonly process: string;
  readonly configuration: string;
};

/**
 * Tells the other processes of a centre what this one knows of its reports, and learns what they know.
 * @param configuration is stored for them and compared too; undefined for none
 */
export async function shareReception(
  queries: Queries,
  own: ProcessReportReception & { readonly process: string },
  { nowMs, silentMs, signMs }: { readonly nowMs: number; readonly silentMs: number; readonly signMs: number },
  configuration?: Pick<ComparedConfiguration, "text" | "compare">,
): Promise<ReportReception> {
  const { process, beganMs, missedMs, completeMs, stalls } = own;
  const keptFromMs = nowMs - signKeptMs({ silentMs, signMs });
  // Others may have stored theirs while this process waited for a connection.
  const keptUntilMs = nowMs + signMs;
  const rows = await queries.query<SignRow>(SHARE, [
    process,
    beganMs,
    missedMs,
    completeMs,
    keptFromMs,
    keptUntilMs,
    JSON.stringify(stalls),
    configuration?.text ?? "{}",
  ]);
  configuration?.compare(rows, { nowMs, signMs });
  const others = rows.map((row) => ({ ...row, stalls: JSON.parse(row.stalls) as ReceptionStall[] }));
  return combineReceptions(own, others, { nowMs, signMs });
}

/**
 * One row for each process. Rows of the future were written before the clock was set back; a process that still runs writes
 * its own again. Those that another process is removing are skipped, so that two never wait for each other.
 */
const SHARE: NamedStatement = {
  name: "share-reception",
  text: `
  WITH own AS (
    INSERT INTO report_reception(process, began_at, missed_at, complete_at, stalls, configuration)
    VALUES($1::text, $2::bigint, $3::bigint, $4::bigint, $7::text, $8::text)
    ON CONFLICT (process) DO UPDATE SET began_at = excluded.began_at, missed_at = excluded.missed_at,
      complete_at = excluded.complete_at, stalls = excluded.stalls, configuration = excluded.configuration),
  removed AS (
    DELETE FROM report_reception WHERE process IN (
      SELECT process FROM report_reception
      WHERE process <> $1 AND (complete_at < $5::bigint OR complete_at > $6::bigint) FOR UPDATE SKIP LOCKED))
  SELECT process, began_at AS "beganMs", missed_at AS "missedMs", complete_at AS "completeMs", stalls, configuration
  FROM report_reception
  WHERE process <> $1 AND complete_at BETWEEN $5 AND $6`,
};
