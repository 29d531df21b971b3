import type { JourneyView } from "../../site/journey-view.ts";
import type { SyncRecordStatus } from "../../site/sync-view.ts";
import { Badge } from "../badge.tsx";
import { DaemonText } from "../daemon-text.tsx";
import { formatTime } from "../date-format.ts";
import { formatDuration } from "../duration.ts";
import { language, t } from "../i18n.ts";
import { Journey } from "../journey.tsx";
import { Undelivered } from "../journey-card.tsx";
import { status } from "../live-updates.ts";
import { SyncBadge } from "../sync-badge.tsx";
import { FailedRecordButtons } from "./failed-record-actions.tsx";

/** The way of an intervention to the dispatch centre, and how long it took. @param stored as of its history */
export function Delivery({
  id,
  stored,
}: {
  readonly id: number;
  readonly stored: JourneyView | null | undefined;
}) {
  // While it is not done, the status has each attempt.
  const journey = status.value?.journeys.find(({ interventionId }) => interventionId === id) ?? stored;
  if (!journey) return null;
  const tookMs = deliveryMs(journey);
  return (
    <>
      <Journey journey={journey} />
      <Undelivered centre={journey.centre} />
      {tookMs !== undefined && (
        <p class="quiet">{t("interventions.reached", { time: formatShortTime(tookMs) })}</p>
      )}
    </>
  );
}

/** From the contact to the answer of the dispatch centre; undefined if one of them is not known, or the clock was set between. */
function deliveryMs({ contactAt, centre }: JourneyView): number | undefined {
  const arrivedAt = centre?.arrivedAt ?? null;
  if (contactAt === null || arrivedAt === null) return undefined;
  const tookMs = Date.parse(arrivedAt) - Date.parse(contactAt);
  return tookMs < 0 ? undefined : tookMs;
}

/** Below a minute with a tenth of a second, such as `2.1 s`. */
function formatShortTime(ms: number): string {
  const seconds = ms / 1000;
  if (seconds >= 60) return formatDuration(seconds);
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${seconds.toLocaleString(language.value, digits)} s`;
}

/** What the dispatch centre has answered about a record that needs a user, and what can be done. */
export function Refused({ sync, done }: { readonly sync: SyncRecordStatus; readonly done: () => void }) {
  return (
    <section class="card">
      <h2>{t("headline.attention")}</h2>
      <p>
        <SyncBadge phase={sync.phase} />
      </p>
      {sync.phase === "blocked" && <p>{t("sync.blockedText")}</p>}
      {sync.lastResponse !== null && (
        <p>
          {t("sync.lastResponse")}: <DaemonText text={sync.lastResponse} />
        </p>
      )}
      <FailedRecordButtons record={sync} done={done} />
    </section>
  );
}

/** Marks a value that the dispatch centre has set. @param at when it was changed; undefined for any other value */
export function SetThere({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return null;
  return (
    <Badge tone="link" icon="radio-tower">
      {t("interventions.setThere", { time: formatTime(at) })}
    </Badge>
  );
}
