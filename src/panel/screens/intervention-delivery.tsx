import type { JourneyView } from "../../site/journey-view.ts";
import type { SyncRecordStatus } from "../../site/sync-view.ts";
import { Badge } from "../badge.tsx";
import { DaemonText } from "../daemon-text.tsx";
import { formatTime } from "../date-format.ts";
import { t } from "../i18n.ts";
import { Journey } from "../journey.tsx";
import { deliveryTime } from "../delivery-time.ts";
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
  const time = deliveryTime(journey);
  return (
    <>
      <Journey journey={journey} />
      <Undelivered centre={journey.centre} />
      {time !== undefined && <p class="quiet">{t("interventions.reached", { time })}</p>}
    </>
  );
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
