import "../one-row.css";
import { useState } from "preact/hooks";
import type { TimelineEntry } from "../../site/timeline-view.ts";
import { daemonNowMs } from "../clock.ts";
import { formatClock, siteDay } from "../date-format.ts";
import { CATEGORIES, CATEGORIES_OF_CENTRE, isOf } from "../event-category.ts";
import { csvOf, type SaidEntry } from "../event-csv.ts";
import { EmptyState } from "../empty-state.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { EventList } from "../event-list.tsx";
import { logRows } from "../event-records.ts";
import { loadEventLog } from "../event-export.ts";
import { eventSearch } from "../event-search.ts";
import { eventSentence } from "../event-sentence.ts";
import { useEventPages, type EventPages } from "../event-pages.ts";
import { downloadFile } from "../file-download.ts";
import { Menu } from "../menu.tsx";
import { SearchField } from "../more-fields.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { status, zones } from "../live-updates.ts";
import { Pending } from "../notice.tsx";
import { route, setQuery } from "../route.ts";
import { useIsPhone, useIsWide } from "../width.ts";
import { chartedTrips, EventTrips } from "./event-trips.tsx";

/** Rows that are drawn at once: a slow phone takes seconds for two thousand. */
const DRAWN_MAX = 200;
const DRAWN_MORE = 100;

/** The event log as sentences, newest entry first; older pages are loaded on demand. */
export function EventLogScreen() {
  const { kind = "", q = "", zone = "" } = route.value.query;
  const isCentre = status.value?.role === "centre";
  const isFound = eventSearch(q);
  const matches = (entry: TimelineEntry): boolean =>
    (kind === "" || isOf(entry, kind, isCentre)) &&
    (zone === "" || isAbout(entry, zone)) &&
    (q === "" || isFound(entry));
  const isFiltered = kind !== "" || q !== "" || zone !== "";
  const pages = useEventPages(isFiltered ? matches : undefined);
  const isWide = useIsWide();
  const { loaded } = pages;
  if (!loaded)
    return (
      <>
        <h1>{t("events.title")}</h1>
        <Pending error={pages.error} reload={pages.reload} />
      </>
    );
  const charted = isCentre ? undefined : chartedTrips(kind, q);
  const isBeside = isWide && charted !== undefined;
  return (
    <>
      <Head matches={matches} />
      <SearchField text={q} find={(text) => setQuery({ q: text })} />
      <Filters kind={kind} zone={zone} categories={isCentre ? CATEGORIES_OF_CENTRE : CATEGORIES} />
      {!isBeside && charted && zone !== "" && <EventTrips zone={zone} filter={charted} />}
      <div class={isBeside ? "split" : ""}>
        <div class="stack">
          <Found key={`${kind} ${zone} ${q}`} pages={pages} isFiltered={isFiltered} />
        </div>
        {isBeside && (
          <div class="stack">
            <EventTrips zone={zone} filter={charted} />
          </div>
        )}
      </div>
    </>
  );
}

/** The entries that match, with what is new above them and what is older below. */
function Found({ pages, isFiltered }: { readonly pages: EventPages; readonly isFiltered: boolean }) {
  const { loaded, shown } = pages;
  const [drawn, setDrawn] = useState(DRAWN_MAX);
  const rows = logRows(shown);
  const older = (): void => {
    setDrawn(drawn + DRAWN_MORE);
    if (rows.length < drawn + DRAWN_MORE) pages.loadOlder();
  };
  return (
    <>
      {pages.waiting > 0 && (
        <p class="new-events">
          <button type="button" class="main" onClick={pages.showNew}>
            {t("events.new", { n: pages.waiting })}
          </button>
        </p>
      )}
      {shown.length === 0 && (
        <EmptyState
          icon="scroll-text"
          text={t(loaded?.entries.length === 0 ? "app.nothing" : "events.noneFound")}
        >
          {isFiltered && (
            <button type="button" onClick={() => setQuery({ kind: "", q: "", zone: "" })}>
              {t("events.all")}
            </button>
          )}
        </EmptyState>
      )}
      <EventList rows={rows.slice(0, drawn)} isWhole />
      <ErrorMessage text={pages.problem} />
      {(rows.length > drawn || loaded?.next !== undefined) && (
        <p class="row pager">
          <button type="button" onClick={older}>
            {t("events.older")}
          </button>
        </p>
      )}
    </>
  );
}

/** The categories, and the zone of a link from its sheet. */
function Filters({
  kind,
  zone,
  categories,
}: {
  readonly kind: string;
  readonly zone: string;
  readonly categories: readonly (typeof CATEGORIES)[number][];
}) {
  return (
    <div class="chips one-row" role="group" aria-label={t("events.kind")}>
      {zone !== "" && (
        <button type="button" aria-pressed onClick={() => setQuery({ zone: "" })}>
          {zones.value.find(({ id }) => id === zone)?.name ?? zone} <Icon name="x" />
        </button>
      )}
      {categories.map((one) => (
        <button type="button" key={one} aria-pressed={kind === one} onClick={() => setQuery({ kind: one })}>
          {one === "" ? t("app.all") : t(`events.${one}`)}
        </button>
      ))}
    </div>
  );
}

type Matches = (entry: TimelineEntry) => boolean;

function Head({ matches }: { readonly matches: Matches }) {
  const [problem, run] = useErrorMessage();
  const exports = (["csv", "json"] as const).map((format) => (
    <button type="button" key={format} onClick={() => void run(() => save(format, matches))}>
      <Icon name="download" />
      {format.toUpperCase()}
    </button>
  ));
  return (
    <>
      <div class="head">
        <h1>{t("events.title")}</h1>
        <div class="actions">
          {useIsPhone() ? (
            <Menu label={t("events.export")} icon="download">
              {exports}
            </Menu>
          ) : (
            exports
          )}
        </div>
      </div>
      <ErrorMessage text={problem} />
    </>
  );
}

/** Whether an entry is of a zone or about it. */
function isAbout({ who, subject }: TimelineEntry, zone: string): boolean {
  return [who, subject].includes(`zone ${zone}`);
}

/** Downloads the event log, as far as it matches what is shown. */
async function save(format: "csv" | "json", matches: Matches): Promise<void> {
  const entries = (await loadEventLog()).filter(matches);
  const text = format === "csv" ? csvOf(entries, sentenceOf) : JSON.stringify(entries, null, 2);
  const type = format === "csv" ? "text/csv" : "application/json";
  const name = `${status.value?.site.ref ?? "santinela"}-events-${siteDay(daemonNowMs())}.${format}`;
  downloadFile(new Blob([text], { type }), name);
}

/** What a person reads of an entry, for a file. */
function sentenceOf(entry: TimelineEntry): SaidEntry {
  const { text, note } = eventSentence(entry);
  const local = `${siteDay(Date.parse(entry.at))} ${formatClock(entry.at)}`;
  return { local, text: note === "" ? text : `${text} · ${note}` };
}
