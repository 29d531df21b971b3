import { createHash } from "node:crypto";
import type { Conditions } from "../domain/condition.ts";
import { isProcessLost, untilLostMs, type ProcessReportReception } from "../domain/reception.ts";
import type { SilenceTimes } from "../domain/site-silence.ts";

/** A step of the schema: options that every process of a centre must have with the same value, as JSON of their marks. */
export const PROCESS_CONFIGURATION = `
  ALTER TABLE report_reception ADD COLUMN configuration text COLLATE "C" NOT NULL DEFAULT '{}'`;

/** A mark for the value of each option; other releases may have more or fewer of them. */
type Marks = Readonly<Record<string, string>>;

/** Another process of the centre, as it has stored itself. */
interface OtherProcess extends Pick<ProcessReportReception, "completeMs"> {
  readonly process: string;
  /** The `text` of its configuration. */
  readonly configuration: string;
}

/** Characters of a mark, which is not a secret: enough to tell two values apart. */
const MARK_LENGTH = 12;

/** The configuration of one process of a centre, compared with those of the others: each process reads its own file. */
export class ComparedConfiguration {
  /** As the other processes read it. */
  readonly text: string;
  readonly #marks: Marks;
  readonly #conditions: Pick<Conditions, "raise" | "clear">;
  /** When each of the other processes was first seen with other options; wall clock of the reports, milliseconds since 1970. */
  #unlikeSinceMs: ReadonlyMap<string, number> = new Map();

  /** @param config as all processes must have it; files, addresses and limits of one machine are its own */
  constructor(
    {
      site,
      fleet,
      objectives,
    }: { readonly site: object; readonly fleet: SilenceTimes; readonly objectives: object },
    conditions: Pick<Conditions, "raise" | "clear">,
  ) {
    const ofSite = Object.entries(site).map(([name, value]) => [`site.${name}`, value as unknown]);
    const options: Readonly<Record<string, unknown>> = {
      ...(Object.fromEntries(ofSite) as Readonly<Record<string, unknown>>),
      "fleet.silentS": fleet.silentS,
      "fleet.sites": Object.entries(fleet.sites).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      objectives,
    };
    this.#marks = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, markOf(value)]));
    this.text = JSON.stringify(this.#marks);
    this.#conditions = conditions;
  }

  /**
   * Reports which options differ, or that none does. After a change of the file a process meets itself as it was before its restart,
   * and others that restart after it: only one that goes on running with other options is reported.
   */
  compare(
    others: readonly OtherProcess[],
    { nowMs, signMs }: { readonly nowMs: number; readonly signMs: number },
  ): void {
    const unlike = others
      .map((other) => ({ ...other, options: this.#unlike(other.configuration) }))
      .filter(({ options }) => options.length > 0);
    // Also of those that seem lost: they may only be slower. The clock may have been set back.
    this.#unlikeSinceMs = new Map(
      unlike.map(({ process }) => [process, Math.min(nowMs, this.#unlikeSinceMs.get(process) ?? nowMs)]),
    );
    const running = unlike.filter(({ process, completeMs }) => {
      const ranMs = completeMs - (this.#unlikeSinceMs.get(process) ?? nowMs);
      return ranMs >= untilLostMs(signMs) && !isProcessLost({ completeMs }, { nowMs, signMs });
    });
    const options = new Set(running.flatMap((other) => other.options));
    if (options.size === 0) this.#conditions.clear("configurations-differ");
    else this.#conditions.raise("configurations-differ", { options: [...options].toSorted().join(", ") });
  }

  /** The options that both processes know, with different values. */
  #unlike(configuration: string): readonly string[] {
    const marks = Object.entries(JSON.parse(configuration) as Marks);
    return marks.flatMap(([name, mark]) => (name in this.#marks && this.#marks[name] !== mark ? [name] : []));
  }
}

function markOf(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return createHash("sha256").update(text).digest("base64url").slice(0, MARK_LENGTH);
}
