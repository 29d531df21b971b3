import "./walk-strip.css";
import { Act } from "./act.tsx";
import { t } from "./i18n.ts";
import { walkTest } from "./live-updates.ts";
import { mayOperate } from "./session.ts";
import { LifeSafetyNames } from "./walk-banner.tsx";
import { endWalkTest, useTimeLeft } from "./walk-change.tsx";

/** The running walk test on every other screen: a strip that unfolds, because most of a phone is for the screen itself. */
export function WalkStrip() {
  const test = walkTest.value;
  const left = useTimeLeft(test?.until ?? "");
  if (!test?.running) return null;
  return (
    <section class="banner s-test walk-strip" aria-label={t("walk.title")}>
      <details>
        <summary>
          <span>
            {t("walk.strip")} <b>{left}</b>
          </span>
        </summary>
        <LifeSafetyNames zones={test.lifeSafetySuppressed} />
        <a href="#/walk-test">{t("walk.title")}</a>
      </details>
      {mayOperate() && (
        <Act aria-label={t("walk.stop")} onClick={() => void endWalkTest()}>
          {t("walk.end")}
        </Act>
      )}
    </section>
  );
}
