import type { Recovery } from "./recovery.ts";

/** Adds the result of a recovery as a sentence. */
export function withSentence(result: Omit<Recovery, "sentence">): Recovery {
  const { name, problem, quarantined, isWhole, isOnlyCut = false } = result;
  const how = isWhole ? "it was rebuilt from its write-ahead log" : remedyOf(result);
  if (isOnlyCut) {
    const sentence = `${name} was damaged (${problem}); it continues without that commit. Its log is kept as ${quarantined}-wal.`;
    return { ...result, sentence };
  }
  const sentence = `${name} was damaged (${problem}); ${how}. The damaged file is kept as ${quarantined}.`;
  return { ...result, sentence };
}

function remedyOf(result: Omit<Recovery, "sentence">): string {
  const { salvage: salvaged } = result;
  const rows = (count: "taken" | "refused"): string =>
    (salvaged?.tables ?? [])
      .filter((each) => each[count] > 0)
      .map((each) => `${each.table} ${each[count]}`)
      .join(", ");
  const taken = rows("taken");
  const refused = rows("refused");
  return [
    baseOf(result),
    taken === "" ? "no row could be salvaged" : `rows salvaged: ${taken}`,
    ...(refused === "" ? [] : [`rows unusable: ${refused}`]),
  ].join("; ");
}

/** The state that the salvaged rows were added to. */
function baseOf({ name, isEarlier, backup }: Omit<Recovery, "sentence">): string {
  if (isEarlier) return "an earlier state was rebuilt from its write-ahead log";
  if (backup) return `the backup of ${new Date(backup.atMs).toISOString()} was restored`;
  return name === "santinela.db"
    ? "there was no intact backup, so a new database was created"
    : "a new database was created";
}
