import { DaemonText } from "../daemon-text.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import type { PendingChange } from "../zone-draft.ts";

/** What the daemon says of a change without errors. */
export function Checked({ pending: { proposal, next, earlier } }: { readonly pending: PendingChange }) {
  const needsRestart = proposal.needsRestart.join(", ");
  const others = proposal.applied.join(", ");
  return (
    <ul class="items">
      <li>
        <span class="disc s-fine">
          <Icon name="check" />
        </span>
        <div class="grow">
          <b>{t("review.valid")}</b>
          <small>{t("review.zones", { n: proposal.zones.length })}</small>
        </div>
      </li>
      <li>
        <span class="disc s-fine">
          <Icon name="history" />
        </span>
        <div class="grow">
          <b>
            {needsRestart === "" ? t("review.noRestart") : t("saved.afterRestart", { options: needsRestart })}
          </b>
          <small>{t(next === undefined ? "review.trial" : "review.siteTrial")}</small>
        </div>
      </li>
      {others !== "" && (
        <li>
          <span class="disc s-attention">
            <Icon name="circle-alert" />
          </span>
          <div class="grow">
            <b>{t("earlier.others", { options: others })}</b>
            <small>{t(earlier === undefined ? "review.othersText" : "earlier.othersText")}</small>
          </div>
        </li>
      )}
      {proposal.warnings.map((warning) => (
        <li key={warning}>
          <span class="disc s-attention">
            <Icon name="circle-alert" />
          </span>
          <span class="grow">
            <DaemonText text={warning} />
          </span>
        </li>
      ))}
    </ul>
  );
}
