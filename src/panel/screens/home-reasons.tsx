import type { Condition } from "../../domain/condition.ts";
import type { HeadlineReason } from "../../domain/headline.ts";
import type { StatusView } from "../../site/status-view.ts";
import { LEVEL_TONES, TONE_ICONS } from "../badge.tsx";
import { ConditionText } from "../condition-text.tsx";
import { formatTime } from "../date-format.ts";
import { t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { CallCentre, undeliveredText } from "../journey-card.tsx";
import { status } from "../live-updates.ts";
import { mayOperate } from "../session.ts";
import { beginningOf } from "./home.tsx";

/** Reasons whose sites are in no list of this screen, with the address of what to do. */
const OF_SITES: Readonly<Record<string, string>> = {
  "site-fault": "#/sites?level=fault",
  "sites-unreported": "#/sites",
};

/**
 * Reasons that are neither an intervention nor a zone on this screen, or have more interventions than it shows, then the open
 * conditions with their remedies.
 */
export function HomeReasons() {
  const now: StatusView | undefined = status.value;
  if (!now) return null;
  const { headline, conditions } = now;
  const listed = headline.reasons.filter(
    ({ code, count, items }) =>
      ((items.length === 0 || code in OF_SITES) && !code.startsWith("cond")) ||
      (code in OF_INTERVENTIONS && count > shownOf(now, code)),
  );
  if (listed.length + conditions.length === 0 || beginningOf(headline.reasons)) return null;
  return (
    <section class="stack tight">
      <h2>{t("home.attention")}</h2>
      <ul class="conditions stack tight">
        {listed.map(({ code, level, count, items }) => (
          <li key={code} class={`box s-${LEVEL_TONES[level]}`}>
            <p class="row">
              <Icon name={TONE_ICONS[LEVEL_TONES[level]]} />
              <strong class="grow">{t(`reason.${code}`, { n: count })}</strong>
            </p>
            {code in OF_SITES && <NamedSites code={code} count={count} items={items} />}
            {code in OF_INTERVENTIONS && <Further shown={shownOf(now, code)} />}
          </li>
        ))}
        {conditions.map((condition) => (
          <OpenCondition key={`${condition.code}/${condition.subject}`} condition={condition} />
        ))}
      </ul>
    </section>
  );
}

/** In the headline: the cards that say what the dispatch centre does not have may be below the screen of a phone. */
export function AlarmsLacking() {
  const lacking = (status.value?.journeys ?? [])
    .flatMap(({ centre }) => centre ?? [])
    .filter(({ isUndelivered, isStopped }) => isUndelivered || isStopped);
  const n = lacking.filter(({ upstreamId }) => upstreamId === null).length;
  // It has the alarm, but not the last that has happened.
  const late = lacking.find(({ upstreamId }) => upstreamId !== null);
  if (lacking.length === 0) return null;
  return (
    <p class="row unknown-there">
      <Icon name="unlink" />
      <span class="grow">
        {n > 0 && t("home.lacking", { n })}
        {n > 0 && late && <br />}
        {late && undeliveredText(late)}
      </span>
      <CallCentre />
    </p>
  );
}

/** Reasons whose interventions have cards, of which the daemon sends the most urgent, and whether they are alarms. */
const OF_INTERVENTIONS: Readonly<Record<string, boolean>> = {
  "alarm-unfinished": true,
  "work-unfinished": false,
};

/** How many interventions of a reason have a card; a card without one is a trip that has no record yet. */
function shownOf({ journeys }: StatusView, code: string): number {
  return journeys.filter(
    ({ interventionId, isAlarm }) => interventionId !== null && isAlarm === OF_INTERVENTIONS[code],
  ).length;
}

/** How many of the interventions are on this screen, and where all of them are. */
function Further({ shown }: { readonly shown: number }) {
  return (
    <p>
      {shown > 0 && t("home.mostUrgent", { n: shown })}{" "}
      {mayOperate() && <a href="#/interventions?status=open">{t("home.allUnfinished")}</a>}
    </p>
  );
}

/** The names of the sites, as far as the daemon gives them, and what to do. */
function NamedSites({ code, count, items }: Pick<HeadlineReason, "code" | "count" | "items">) {
  const more = count - items.length;
  const address = OF_SITES[code];
  const names = items.map(({ name }) => name).join(", ");
  return (
    <>
      <p>{more > 0 ? `${names} ${t("headline.more", { n: more })}` : names}</p>
      <p>
        {code === "sites-unreported" && t("sites.unreportedRemedy")}{" "}
        {mayOperate() && address !== undefined && <a href={address}>{t("nav.sites")}</a>}
      </p>
    </>
  );
}

function OpenCondition({ condition }: { readonly condition: Condition }) {
  const { code, severity, title, since } = condition;
  const tone = severity === "error" ? "fault" : "attention";
  return (
    <li class={`box s-${tone}`}>
      <p class="row">
        <Icon name={TONE_ICONS[tone]} />
        <strong class="grow">{translateCode("condition", code, title)}</strong>
        <span class="quiet">{t("status.since", { time: formatTime(since) })}</span>
      </p>
      <ConditionText condition={condition} />
    </li>
  );
}
