import { signal } from "@preact/signals";
import type { CentreJourneyView, JourneyView } from "../site/journey-view.ts";
import type { SyncView } from "../site/sync-view.ts";
import { Act } from "./act.tsx";
import { request } from "./api.ts";
import { Badge } from "./badge.tsx";
import { DaemonText } from "./daemon-text.tsx";
import { formatMinute } from "./date-format.ts";
import { t, translateCode, withMoreTexts } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import { Journey } from "./journey.tsx";
import { status } from "./live-updates.ts";
import { runWithErrorNotice, showNotice } from "./notice.tsx";
import { mayOperate } from "./session.ts";

/** Zones with a place on a floor plan, once what follows the start has read them. */
export const pinnedZones = signal<readonly string[]>([]);

/** An unfinished intervention: its way to the dispatch centre, and what the dispatcher has set. */
export function JourneyCard({ journey }: { readonly journey: JourneyView }) {
  const { interventionId: id, name, isAlarm, zone, objective, refusal, centre } = journey;
  const isPlanned = journey.status === "planned";
  const facts = [
    // The crew of a dispatch centre goes to many sites, which may have zones of the same name.
    ...(status.value?.role === "centre"
      ? [objective.name, objective.address, objective.city].filter(Boolean)
      : []),
    ...(id === null ? [] : [`#${id}`]),
    t("journey.priority", { priority: t(`priority.${journey.priority}`) }),
    ...journey.services.map((service) => t(`record.${service}`)),
  ];
  return (
    <li class={isAlarm ? "card s-alarm" : "card"}>
      <div>
        <p class="title">
          {id !== null && mayOperate() ? <a href={`#/interventions/${id}`}>{name}</a> : name}
        </p>
        <small>{facts.join(" · ")}</small> {/* Whether a user has taken it. */}
        {id !== null && (
          <Badge tone={isPlanned ? "off" : "link"} icon={isPlanned ? "clock" : "play"}>
            {t(`status.${journey.status}`)}
          </Badge>
        )}
      </div>
      <Journey journey={journey} />
      <Undelivered centre={centre} />
      {refusal !== null && (
        <p class="quiet">
          <DaemonText text={refusal} />
        </p>
      )}
      <AtCentre journey={journey} />
      {zone && pinnedZones.value.includes(zone.id) && (
        <a class="button" href={`#/plan?zone=${encodeURIComponent(zone.id)}`}>
          {t("plan.show")}
        </a>
      )}
    </li>
  );
}

/** The moment in which a person is better than the queue: the warning, the telephone of the centre, and a new attempt. */
export function Undelivered({ centre }: Pick<JourneyView, "centre">) {
  if (!centre?.isUndelivered && !centre?.isStopped) return null;
  return (
    <>
      <p class="unknown-there" role="alert">
        <Icon name="unlink" />
        {undeliveredText(centre)}
      </p>
      <div class="row">
        <CallCentre />
        {!centre.isStopped && mayOperate() && <SendNow />}
      </div>
    </>
  );
}

/** What the dispatch centre does not have of an alarm: all of it, or a trip that has joined it since. */
export function undeliveredText(centre: CentreJourneyView): string {
  const { isStopped, upstreamId, latestTrip, tripWaitingSince } = centre;
  if (isStopped) return translateCode("journey", "stopped", t("journey.unknownThere"));
  if (upstreamId === null) return t("journey.unknownThere");
  const at = latestTrip?.at ?? tripWaitingSince;
  return translateCode("journey", "latestUnknown", t("journey.tripWaiting"), {
    trip: [latestTrip?.zone, at && formatMinute(at)].filter(Boolean).join(", "),
  });
}

/** A new attempt to send everything that waits. */
export function SendNow() {
  const sendNow = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const { body } = await request<SyncView>("/site/sync/now", { method: "POST" });
      // After an upgrade there is none of this name.
      const texts = await withMoreTexts(import("./queued-text.ts")).catch(() => undefined);
      const n = body.summary.waiting;
      if (texts) texts.showQueued(body);
      else showNotice(t("sync.waiting", { n }), n > 0);
    });
  return (
    <Act class="grow" onClick={() => void sendNow()}>
      {t("journey.sendNow")}
    </Act>
  );
}

/** The telephone of the dispatch centre, if it is configured. */
export function CallCentre() {
  const phone = status.value?.centrePhone;
  if (!phone) return null;
  return (
    <a class="button main grow" href={`tel:${phone.replace(/[^+\d]/g, "")}`}>
      <Icon name="phone" />
      {t("journey.call", { phone })}
    </a>
  );
}

function AtCentre({ journey: { centre } }: { readonly journey: JourneyView }) {
  if (centre === null || centre.upstreamId === null || centre.phase === "gone") return null;
  const { status: state, crews } = centre.set ?? {};
  const set = [
    ...(state ? [t(`status.${state}`)] : []),
    ...(typeof crews === "number" ? [t("journey.crews", { n: crews })] : []),
  ];
  return (
    <div class="row">
      <span class="disc s-link">
        <Icon name="radio-tower" />
      </span>
      <p class="grow">
        <strong>{t("journey.atCentre", { set: set.join(", ") || t("journey.arrived") })}</strong>
        <br />
        <small>{t("journey.number", { id: centre.upstreamId })}</small>
      </p>
    </div>
  );
}
