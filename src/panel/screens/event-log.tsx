import { useEffect, useState } from "preact/hooks";
import type { TimelineEntry } from "../../site/timeline-view.ts";
import { request, useQuery } from "../api.ts";
import { csvOf } from "../event-csv.ts";
import { detailText } from "../event-detail.ts";
import { nextPage, loadEventLog } from "../event-export.ts";
import { EventRows } from "../event-rows.tsx";
import { Choice, SearchField } from "../field.tsx";
import { downloadFile } from "../file-download.ts";
import { folded } from "../search-folding.ts";
import { t, tCode } from "../i18n.ts";
import { journalVersion, status } from "../live-updates.ts";
import { runWithErrorNotice, Pending } from "../notice.tsx";

const CATEGORIES = ["", "alarms", "users", "records", "system"] as const;
type Category = (typeof CATEGORIES)[number];
const PAGE_SIZE = 100;

/** The event log, newest entry first; older pages are loaded on demand. */
export function EventLogScreen() {
  const [category, setCategory] = useState<Category>("");
  const [search, setSearch] = useState("");
  const newest = useQuery<TimelineEntry[]>(`/site/journal?limit=${PAGE_SIZE}`, journalVersion.value);
  const [older, setOlder] = useState<
    { entries: readonly TimelineEntry[]; next: string | undefined } | undefined
  >();
  const first = newest.response;
  // Older pages would leave a gap when the first page changes.
  useEffect(() => setOlder(undefined), [first]);
  if (!first) return <Pending {...newest} />;
  const next = older ? older.next : nextPage(first.headers);
  const entries = [...first.body, ...(older?.entries ?? [])];
  const shown = entries.filter(
    (entry) =>
      (category === "" || categoryOf(entry) === category) &&
      folded(searchText(entry)).includes(folded(search)),
  );
  const loadOlder = (path: string): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const page = await request<TimelineEntry[]>(path);
      setOlder({ entries: [...(older?.entries ?? []), ...page.body], next: nextPage(page.headers) });
    });
  return (
    <>
      <h1>{t("nav.events")}</h1>
      <div class="filters">
        <Choice
          label={t("events.kind")}
          name="category"
          value={category}
          onChange={setCategory}
          options={CATEGORIES.map((one) => [one, one === "" ? t("app.all") : t(`events.${one}`)])}
        />
        <SearchField text={search} find={setSearch} />
        <p class="row">
          <button type="button" onClick={() => void runWithErrorNotice(() => save("csv"))}>
            CSV
          </button>
          <button type="button" onClick={() => void runWithErrorNotice(() => save("json"))}>
            JSON
          </button>
        </p>
      </div>
      <EventRows caption={t("nav.events")} entries={shown} />
      {next !== undefined && (
        <p class="row pager">
          <button type="button" onClick={() => void loadOlder(next)}>
            {t("events.older")}
          </button>
        </p>
      )}
    </>
  );
}

/** The category of an entry, from its name. */
function categoryOf({ event }: TimelineEntry): Exclude<Category, ""> {
  if (/^(trip|fault|zone|walk)/.test(event)) return "alarms";
  if (/^(sign-?ed|sign-in|forbidden|account)/.test(event)) return "users";
  if (event.startsWith("intervention")) return "records";
  return "system";
}

function searchText({ event, who, from, subject, detail }: TimelineEntry): string {
  return [tCode("event", event), event, who, from, subject, detailText(detail)].join(" ");
}

/** Downloads the event log. */
async function save(format: "csv" | "json"): Promise<void> {
  const entries = await loadEventLog();
  const text = format === "csv" ? csvOf(entries) : JSON.stringify(entries, null, 2);
  const type = format === "csv" ? "text/csv" : "application/json";
  downloadFile(new Blob([text], { type }), `${status.value?.site.ref ?? "santinela"}-events.${format}`);
}
