import type { StatusView } from "../../site/status-view.ts";
import type { SupplyView, SupplyZoneView } from "../../site/supply-view.ts";
import { Badge, type Tone } from "../badge.tsx";
import { LinkCause } from "../condition-text.tsx";
import { formatTime } from "../date-format.ts";
import { t } from "../i18n.ts";
import { LinkDay } from "../link-history-chart.tsx";
import { status } from "../live-updates.ts";
import { ComparisonBadge, LINK_TONES } from "../sync-badge.tsx";

/** What is next to the state of the site: its link and its power supply. */
export function HomeAside() {
  const now = status.value;
  if (!now) return null;
  return (
    <>
      {now.link.state !== "none" && <LinkCard now={now} />}
      {now.supply && <SupplyCard supply={now.supply} />}
    </>
  );
}

/** The link to the dispatch centre, its last day, and what waits for it. */
function LinkCard({ now: { link, outbox, comparison } }: { readonly now: StatusView }) {
  const failed = outbox.blocked + outbox.rejected + outbox.gone;
  return (
    <section class="card" data-link={link.state} data-queued={outbox.waiting}>
      <div class="row">
        <h2 class="grow">{t("status.link")}</h2>
        <Badge tone={LINK_TONES[link.state]} icon={link.state === "down" ? "unlink" : "link"}>
          {t(`link.${link.state}`)}
        </Badge>
      </div>
      <LinkDay />
      <LinkCause link={link} />
      <p class="quiet">
        {link.nextAttemptAt === null
          ? link.answeredAt && t("link.lastResponse", { time: formatTime(link.answeredAt) })
          : t("link.nextAttempt", { time: formatTime(link.nextAttemptAt) })}
      </p>
      <div class="row">
        <a href="#/sync">{t("sync.waiting", { n: outbox.waiting })}</a>
        {failed > 0 && <Badge tone="fault">{t("status.outboxNeedsAttention", { n: failed })}</Badge>}
        {comparison && <ComparisonBadge comparison={comparison} />}
      </div>
    </section>
  );
}

const SUPPLY_TONES: Readonly<Record<SupplyView["state"], Tone>> = {
  "battery-low": "fault",
  "on-battery": "attention",
  "under-voltage": "attention",
  unknown: "attention",
  charging: "attention",
  sufficient: "fine",
};

/** Mains, battery and voltage, each as its zone shows it, and when the machine is powered off. */
function SupplyCard({ supply: { state, powerOffAfterS, zones } }: { readonly supply: SupplyView }) {
  const isOnBattery = state === "battery-low" || state === "on-battery";
  return (
    <section class="card" data-supply={state}>
      <div class="row">
        <h2 class="grow">{t("supply.title")}</h2>
        <Badge tone={SUPPLY_TONES[state]}>{t(`supply.${state}`)}</Badge>
      </div>
      <dl class="facts">
        {zones.map((zone) => (
          <SupplyZone key={zone.id} zone={zone} />
        ))}
      </dl>
      {isOnBattery && powerOffAfterS !== null && (
        <p class="quiet">{t("supply.powerOff", { n: Math.ceil(powerOffAfterS / 60) })}</p>
      )}
    </section>
  );
}

function SupplyZone({ zone: { name, watches, contact, since } }: { readonly zone: SupplyZoneView }) {
  const word = t(contact === "unknown" ? "supply.noReading" : `supply.${watches}.${contact}`);
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {word}
        {contact === "open" && since !== null && ` · ${t("status.since", { time: formatTime(since) })}`}
      </dd>
    </>
  );
}
