import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { zones } from "../live-updates.ts";
import { route } from "../route.ts";
import { ZoneTile } from "../zone-tile.tsx";
import { StepHead } from "./step-head.tsx";

/** After the change: the zones that it concerns, live, and what to do next. */
export function ZoneSaved() {
  const ids = (route.value.query["ids"] ?? "").split(",");
  const changed = zones.value.filter(({ id }) => ids.includes(id));
  // A zone of life safety trips with its first message.
  const unread = changed.filter(({ contact, isLifeSafety }) => contact === "unknown" && !isLifeSafety);
  const names = unread.map(({ name }) => name).join(", ");
  return (
    <>
      <StepHead title={t("saved.title")} back="#/zones" />
      <section class="box s-fine" role="status">
        <p>{t("saved.text")}</p>
      </section>
      {changed.length > 0 && (
        <section class="stack tight">
          <h2>{t("saved.live")}</h2>
          <ul class="tiles">
            {changed.map((zone) => (
              <li key={zone.id}>
                <ZoneTile zone={zone} href={`#/zones?zone=${zone.id}`} />
              </li>
            ))}
          </ul>
          {unread.length > 0 && <p>{t("saved.firstReading", { n: unread.length, zones: names })}</p>}
          {unread.length < changed.length && <p class="quiet">{t("saved.warning")}</p>}
        </section>
      )}
      <div class="row">
        <a class="button main" href="#/zones/found">
          <Icon name="plus" />
          {t("saved.another")}
        </a>
        <a class="button" href="#/walk-test">
          {t("guide.goTo", { screen: t("nav.walkTest") })}
        </a>
        <a class="button" href="#/zones">
          {t("guide.goTo", { screen: t("nav.zones") })}
        </a>
      </div>
    </>
  );
}
