import type { TimelineEntry } from "../../site/timeline-view.ts";
import { useQuery } from "../api.ts";
import { EventList } from "../event-list.tsx";
import { logRows } from "../event-records.ts";
import { t } from "../i18n.ts";
import { journalVersion } from "../live-updates.ts";
import { Pending } from "../notice.tsx";

/** Rows shown, of the entries read: sign-ins are left to the event log. */
const LATEST_SHOWN = 5;
const LATEST_READ = 30;

/** The newest entries of the event log, on Home. */
export function LatestEvents() {
  const { response, error, reload } = useQuery<TimelineEntry[]>(
    `/site/journal?limit=${LATEST_READ}`,
    journalVersion.value,
  );
  const noted = response?.body.filter(({ event }) => !event.startsWith("sign"));
  const shown = noted && logRows(noted).slice(0, LATEST_SHOWN);
  return (
    <section class="card latest">
      <div class="row">
        <h2 class="grow">{t("status.latest")}</h2>
        <a href="#/events">{t("home.fullLog")}</a>
      </div>
      {shown ? <EventList rows={shown} /> : <Pending error={error} reload={reload} />}
      {shown?.length === 0 && <p class="quiet">{t("home.onlySignIns")}</p>}
    </section>
  );
}
