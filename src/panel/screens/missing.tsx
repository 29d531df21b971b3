import { t } from "../i18n.ts";
import { route } from "../route.ts";

/** Shown at an address without a screen: a misspelt link, or a screen that this account may not open. */
export function MissingScreen() {
  return (
    <>
      <h1>{t("missing.title")}</h1>
      <p>{t("missing.text", { screen: route.value.screen })}</p>
      <p>
        <a href="#/status">{t("nav.status")}</a>
      </p>
    </>
  );
}
