import type { ComponentChildren } from "preact";
import type { CentreJourneyView, JourneyView } from "../site/journey-view.ts";
import type { ReceiverJourneyView } from "../site/transmission-view.ts";
import { formatNarrow } from "./date-format.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";
import { kindIcon } from "./zone-appearance.ts";

/** The way of an intervention from the contact to the dispatch centre, with what is known of each stop. */
export function Journey({ journey }: { readonly journey: JourneyView }) {
  const { isAlarm, zone, contactAt, isJournaled, recordedAt, refusal, centre, receiver } = journey;
  const isCentreOpen = centre !== null && (centre.upstreamId === null || !isWhole(centre));
  return (
    <ol class="journey" aria-label={t("journey.title")}>
      {(zone || contactAt !== null) && (
        <Stop
          name={t(zone ? "journey.contact" : "journey.start")}
          icon={isAlarm ? kindIcon(zone?.kind ?? null, true) : "check"}
          state={isAlarm ? "trip" : "done"}
        >
          {contactAt === null ? t("journey.undated") : formatNarrow(contactAt)}
        </Stop>
      )}
      {isJournaled && (
        <Stop name={t("journey.journal")} icon="check" state="done" isBeforeOpen={recordedAt === null}>
          {t("journey.stored")}
        </Stop>
      )}
      {recordedAt === null ? (
        <Stop
          name={t("journey.record")}
          icon={refusal === null ? "hourglass" : "x"}
          state={refusal === null ? "waiting" : "refused"}
          isBeforeOpen
        >
          {t(refusal === null ? "journey.waiting" : "journey.refused")}
        </Stop>
      ) : (
        <Stop name={t("journey.record")} icon="check" state="done" isBeforeOpen={isCentreOpen}>
          {formatNarrow(recordedAt)}
        </Stop>
      )}
      {centre && <CentreStop centre={centre} hasRecord={recordedAt !== null} />}
      {receiver && <ReceiverStop receiver={receiver} />}
    </ol>
  );
}

/** Whether the centre has a record with all its trips, as far as is known. */
function isWhole({ phase, tripWaitingSince }: CentreJourneyView): boolean {
  return tripWaitingSince === null && phase !== "rejected" && phase !== "doubtful" && !isAway(phase);
}

/** Whether the centre no longer has it for this site. */
function isAway(phase: CentreJourneyView["phase"]): phase is "gone" | "out-of-scope" {
  return phase === "gone" || phase === "out-of-scope";
}

function CentreStop({
  centre,
  hasRecord,
}: {
  readonly centre: CentreJourneyView;
  readonly hasRecord: boolean;
}) {
  const { phase, upstreamId, arrivedAt, attempts } = centre;
  const name = t("journey.centre");
  if (upstreamId !== null && isWhole(centre))
    return (
      <Stop name={name} icon="check" state="done">
        {arrivedAt === null ? t("journey.arrived") : formatNarrow(arrivedAt)}
      </Stop>
    );
  if (phase === "blocked" || phase === "rejected" || isAway(phase))
    return (
      <Stop name={name} icon="x" state="refused">
        {t(phase === "rejected" ? "journey.refused" : `journey.${phase}`)}
      </Stop>
    );
  if (!hasRecord || phase === null || phase === "closed")
    return (
      <Stop name={name} icon="ellipsis" state="ahead">
        {t(phase === "closed" ? "journey.dropped" : "journey.ahead")}
      </Stop>
    );
  return (
    <Stop name={name} icon="hourglass" state="waiting">
      {phase === "doubtful"
        ? t("journey.doubtful")
        : attempts === 0
          ? t(upstreamId === null ? "journey.waiting" : "journey.tripWaiting")
          : t("journey.attempt", { n: attempts + 1 })}
    </Stop>
  );
}

/** The other way: the event at the monitoring receiver. */
function ReceiverStop({
  receiver: { state, acknowledgedAt, attempts },
}: {
  readonly receiver: ReceiverJourneyView;
}) {
  const name = t("journey.receiver");
  if (state === "withdrawn")
    return (
      <Stop name={name} icon="ellipsis" state="ahead">
        {t("journey.dropped")}
      </Stop>
    );
  if (state === "waiting")
    return (
      <Stop name={name} icon="hourglass" state="waiting">
        {attempts === 0 ? t("journey.waiting") : t("journey.attempt", { n: attempts + 1 })}
      </Stop>
    );
  return (
    <Stop name={name} icon="check" state="done">
      {acknowledgedAt === null ? t("journey.arrived") : formatNarrow(acknowledgedAt)}
    </Stop>
  );
}

function Stop({
  name,
  icon,
  state,
  isBeforeOpen = false,
  children,
}: {
  readonly name: string;
  readonly icon: IconName;
  readonly state: "trip" | "done" | "waiting" | "refused" | "ahead";
  /** Whether the next stop has not been reached. */
  readonly isBeforeOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <li class={isBeforeOpen ? `${state} before-open` : state}>
      <Icon name={icon} />
      <b>{name}</b>
      <span>{children}</span>
    </li>
  );
}
