import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { isoTime } from "../domain/clock.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { NO_CUT, type AuditRow } from "../store/audit-chain.ts";
import { TrailCheck } from "../store/trail-check.ts";
import { localTime } from "./local-time.ts";
import type { Terminal } from "./terminal.ts";

/* The lines of `events export`, and their verification without the database. */

/** A longer line is none of an export. */
const LINE_CHARS_MAX = 16 * 1_048_576;
/** The time zone of the site is not known on the machine of an auditor. */
const TIME_ZONE = "UTC";

/** An entry as a line. */
export function exportLine({ at, origin, detail, ...rest }: AuditRow): string {
  return JSON.stringify({ ...rest, at: isoTime(at), from: origin, detail: JSON.parse(detail) as unknown });
}

/**
 * Verifies the lines of an export and prints a summary.
 * @param file path; `-` for standard input
 * @param kept hash of an entry that the export should contain
 * @throws AppError `conflict` at the first line that breaks the chain, or if no line has the hash; `bad-data` for a line
 * that is no entry; `no-input` without a readable line
 */
export async function verifyExport(
  file: string,
  { stdin, stdout }: Terminal,
  kept: string | undefined,
): Promise<void> {
  const { first, last, entries, sought } = await verifiedLines(file === "-" ? stdin : opened(file), kept);
  const span = `from ${localTime(first.at, TIME_ZONE)} to ${localTime(last.at, TIME_ZONE)}`;
  const start =
    first.position === 1
      ? ""
      : `Entry ${first.position} itself is not verified: the export does not contain the entry before it.\n`;
  stdout.write(`${entries} entries, ${span}: intact\n${start}last hash: ${last.hash}\n`);
  if (kept === undefined)
    stdout.write("Whether later entries are missing is only shown by --head, with a hash that was kept.\n");
  else if (sought === null)
    throw new AppError("conflict", `no line has the hash ${kept}: ${reasonText(first.position)}`, {
      hint: "Export the trail again, or look for the hash in another export.",
    });
  else stdout.write(`hash ${kept}: entry ${sought}; ${last.position - sought} newer entries\n`);
}

function reasonText(firstPosition: number): string {
  const cut = "lines were removed from the end of the export, or it is of another trail";
  return firstPosition === 1 ? cut : `the entry is older than entry ${firstPosition}, ${cut}`;
}

interface VerifiedLines {
  readonly first: AuditRow;
  readonly last: AuditRow;
  readonly entries: number;
  /** Position of the entry with the hash; null if no line has it. */
  readonly sought: number | null;
}

async function verifiedLines(stream: Readable, kept: string | undefined): Promise<VerifiedLines> {
  let check: TrailCheck | undefined;
  let first: AuditRow | undefined;
  let last: AuditRow | undefined;
  let line = 0;
  for await (const text of linesOf(stream)) {
    line += 1;
    const row = entryIn(text, line);
    first ??= row;
    last = row;
    // The content of the first line can only be verified where the chain begins.
    if (check === undefined) check = new TrailCheck(row.position === 1 ? NO_CUT : row, kept);
    if (row !== first || row.position === 1) check.add(row);
    const { broken } = check.report();
    if (broken)
      throw new AppError(
        "conflict",
        `line ${line}: the audit trail is broken at entry ${broken.position}: ${broken.why}`,
        { hint: "Compare the line with another export or with the trail of the site." },
      );
  }
  if (!check || !first || !last) throw new AppError("no-input", "the export contains no entry");
  return { first, last, entries: line, sought: check.report().sought };
}

function opened(file: string): Readable {
  return createReadStream(file, "utf8");
}

/** The lines of a stream; only `\n` ends one, because a name may contain any other line separator. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of stream) {
      const parts = (rest + String(chunk)).split("\n");
      rest = parts.pop() ?? "";
      yield* parts;
      if (rest.length > LINE_CHARS_MAX) break;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("no-input", `the export cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (rest !== "") yield rest;
}

const TEXTS = ["event", "who", "from", "subject", "hash", "at"] as const;

/** @throws AppError `bad-data` for anything that `events export` does not write */
function entryIn(text: string, line: number): AuditRow {
  const plain = text.replace(/\r$/, "");
  try {
    const entry = JSON.parse(plain) as Record<string, unknown>;
    const { from, at: time, detail, ...rest } = entry;
    const row = { ...rest, at: Date.parse(String(time)), origin: from, detail: JSON.stringify(detail) };
    const isComplete = TEXTS.every((name) => typeof entry[name] === "string");
    const isNumbered = [entry["position"], entry["seq"]].every((value) => Number.isSafeInteger(value));
    // A further or repeated name, which no hash covers, would be lost on the way.
    const isSame =
      Object.keys(entry).length === TEXTS.length + 3 &&
      JSON.stringify(entry) === plain &&
      detail !== undefined;
    if (isComplete && isNumbered && isSame && isoTime(row.at) === time) return row as unknown as AuditRow;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError))
      throw error;
  }
  throw new AppError("bad-data", `line ${line} is not an entry as events export writes it`, {
    hint: "A line that ends early shows that the export is incomplete; export the trail again.",
  });
}
