import { useEffect, useState } from "preact/hooks";
import type { TimelineEntry } from "../../site/timeline-view.ts";
import { request, useQuery } from "../api.ts";
import { csvOf } from "../event-csv.ts";
import { Empty } from "../empty.tsx";
import { EventList } from "../event-list.tsx";
import { eventSentence } from "../event-sentence.ts";
import { nextPage, loadEventLog } from "../event-export.ts";
import { downloadFile } from "../file-download.ts";
import { SearchField } from "../more-fields.tsx";
import { folded } from "../search-folding.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { journalVersion, status } from "../live-updates.ts";
import { runWithErrorNotice, Pending } from "../notice.tsx";
import { route, setQuery } from "../route.ts";

const CATEGORIES = ["", "alarms", "suppressed", "faults", "users", "records", "system"] as const;
type Category = (typeof CATEGORIES)[number];
const PAGE_SIZE = 100;

/** The event log as sentences, newest entry first; older pages are loaded on demand. */
export function EventLogScreen() {
  const { kind = "", q = "" } = route.value.query;
  const newest = useQuery<TimelineEntry[]>(`/site/journal?limit=${PAGE_SIZE}`, journalVersion.value);
  const [older, setOlder] = useState<
    { entries: readonly TimelineEntry[]; next: string | undefined } | undefined
  >();
  const first = newest.response;
  // Older pages would leave a gap when the first page changes.
  useEffect(() => setOlder(undefined), [first]);
  if (!first)
    return (
      <>
        <h1>{t("nav.events")}</h1>
        <Pending {...newest} />
      </>
    );
  const next = older ? older.next : nextPage(first.headers);
  const entries = [...first.body, ...(older?.entries ?? [])];
  const shown = entries.filter(
    (entry) => (kind === "" || categoryOf(entry) === kind) && folded(searchText(entry)).includes(folded(q)),
  );
  const loadOlder = (path: string): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const page = await request<TimelineEntry[]>(path);
      setOlder({ entries: [...(older?.entries ?? []), ...page.body], next: nextPage(page.headers) });
    });
  return (
    <>
      <Head />
      <SearchField text={q} find={(text) => setQuery({ q: text })} />
      <div class="chips" role="group" aria-label={t("events.kind")}>
        {CATEGORIES.map((one) => (
          <button type="button" key={one} aria-pressed={kind === one} onClick={() => setQuery({ kind: one })}>
            {one === "" ? t("app.all") : t(`events.${one}`)}
          </button>
        ))}
      </div>
      {shown.length === 0 && (
        <Empty icon="scroll-text" text={t(entries.length === 0 ? "app.nothing" : "events.noneFound")}>
          {entries.length > 0 && (
            <button type="button" onClick={() => setQuery({ kind: "", q: "" })}>
              {t("events.all")}
            </button>
          )}
        </Empty>
      )}
      <EventList entries={shown} />
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

function Head() {
  return (
    <div class="head">
      <h1>{t("nav.events")}</h1>
      <div class="actions">
        {(["csv", "json"] as const).map((format) => (
          <button type="button" key={format} onClick={() => void runWithErrorNotice(() => save(format))}>
            <Icon name="download" />
            {format.toUpperCase()}
          </button>
        ))}
      </div>
    </div>
  );
}

/** The category of an entry, from its name and what became of it. */
function categoryOf({ event, detail }: TimelineEntry): Exclude<Category, ""> {
  if (event === "trip" || event === "standing") {
    const isDispatched = ["posted", "merged", "waiting", "refused"].includes(String(detail["state"]));
    return isDispatched ? "alarms" : "suppressed";
  }
  if (event.startsWith("fault")) return "faults";
  if (/^(restore|signal|zone|walk)/.test(event)) return "alarms";
  if (/^(sign-?ed|sign-in|forbidden|account)/.test(event)) return "users";
  if (event.startsWith("intervention")) return "records";
  return "system";
}

function searchText(entry: TimelineEntry): string {
  const { event, who, from, subject } = entry;
  const { text, note } = eventSentence(entry);
  return [text, note, event, who, from, subject].join(" ");
}

/** Downloads the event log. */
async function save(format: "csv" | "json"): Promise<void> {
  const entries = await loadEventLog();
  const text = format === "csv" ? csvOf(entries) : JSON.stringify(entries, null, 2);
  const type = format === "csv" ? "text/csv" : "application/json";
  downloadFile(new Blob([text], { type }), `${status.value?.site.ref ?? "santinela"}-events.${format}`);
}
