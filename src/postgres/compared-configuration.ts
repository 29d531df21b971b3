import { createHash } from "node:crypto";
import type { Conditions } from "../domain/condition.ts";
import type { SilenceTimes } from "../domain/site-silence.ts";

/** A step of the schema: options that every process of a centre must have with the same value, as JSON of their marks. */
export const PROCESS_CONFIGURATION = `
  ALTER TABLE report_reception ADD COLUMN configuration text COLLATE "C" NOT NULL DEFAULT '{}'`;

/** A mark for the value of each option; other releases may have more or fewer of them. */
type Marks = Readonly<Record<string, string>>;

/** Characters of a mark, which is not a secret: enough to tell two values apart. */
const MARK_LENGTH = 12;

/** The configuration of one process of a centre, compared with those of the others: each process reads its own file. */
export class ComparedConfiguration {
  /** As the other processes read it. */
  readonly text: string;
  readonly #marks: Marks;
  readonly #conditions: Pick<Conditions, "raise" | "clear">;

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

  /** Reports which options differ, or that none does. @param others the `text` of each other process that runs */
  compare(others: readonly string[]): void {
    const differing = new Set<string>();
    for (const other of others)
      for (const [name, mark] of Object.entries(JSON.parse(other) as Marks))
        if (name in this.#marks && this.#marks[name] !== mark) differing.add(name);
    if (differing.size === 0) this.#conditions.clear("configurations-differ");
    else this.#conditions.raise("configurations-differ", { options: [...differing].toSorted().join(", ") });
  }
}

function markOf(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return createHash("sha256").update(text).digest("base64url").slice(0, MARK_LENGTH);
}
