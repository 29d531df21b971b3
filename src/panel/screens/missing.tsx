import { useEffect } from "preact/hooks";
import { t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { replaceBy, route } from "../route.ts";

/** Shown at an address without a screen: a misspelt link, or a screen that this account may not open. */
export function MissingScreen() {
  // The first sign-in leads to the set-up before the role is known, and a dispatch centre has none.
  const isSetUpOfCentre = route.value.screen === "setup" && status.value?.role === "centre";
  useEffect(() => {
    if (isSetUpOfCentre) replaceBy("#/status");
  }, [isSetUpOfCentre]);
  return (
    <>
      <h1>{t("missing.title")}</h1>
      <p>{t("missing.text")}</p>
      <p>
        <a href="#/status">{t("nav.status")}</a>
      </p>
    </>
  );
}
