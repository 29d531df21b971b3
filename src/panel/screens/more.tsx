import "../actions-list.css";
import { siteTimeText } from "../date-format.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { account } from "../session.ts";
import { allowedScreens } from "../shell.tsx";

/** The places that do not fit into the bottom bar of a phone. */
export function MoreScreen() {
  const places = allowedScreens().filter(({ name, place }) => place !== "bar" && name !== "more");
  return (
    <>
      <h1>{t("nav.more")}</h1>
      <ul class="actions-list">
        {places.map(({ name, title, icon }) => (
          <li key={name}>
            <a href={`#/${name}`}>
              <Icon name={icon} />
              {t(title)}
            </a>
          </li>
        ))}
      </ul>
      <p class="quiet">{[account.value?.email, siteTimeText()].filter(Boolean).join(" · ")}</p>
    </>
  );
}
