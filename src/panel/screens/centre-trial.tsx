import { useState } from "preact/hooks";
import type { TraitFinding } from "../../domain/centre-trait.ts";
import type { CentreTrialView } from "../../site/sync-view.ts";
import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { fillIn, language, t } from "../i18n.ts";
import { RO_TRAITS } from "../messages/ro-traits.ts";

const TONES: Readonly<Record<TraitFinding["status"], Tone>> = {
  ok: "fine",
  warning: "attention",
  error: "fault",
};

/** Tests the dispatch centre with test records and shows the results. */
export function CentreTrial() {
  const [findings, setFindings] = useState<readonly TraitFinding[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [problem, run] = useErrorMessage();
  const tryCentre = async (): Promise<void> => {
    setBusy(true);
    await run(async () => {
      const { body } = await request<CentreTrialView>("/site/sync/try-centre", { method: "POST" });
      setFindings(body.findings);
    });
    setBusy(false);
  };
  return (
    <div class="stack tight">
      <p class="quiet">{t("centreTrial.text")}</p>
      <Act disabled={isBusy} onClick={() => void tryCentre()}>
        {t(isBusy ? "centreTrial.busy" : "centreTrial.do")}
      </Act>
      <ErrorMessage text={problem} />
      {findings.length > 0 && (
        <ul aria-label={t("centreTrial.findings")}>
          {findings.map((finding) => (
            <li key={finding.code}>
              <Badge tone={TONES[finding.status]}>{t(`centreTrial.${finding.status}`)}</Badge>{" "}
              <FindingText finding={finding} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function FindingText({ finding: { code, text, values } }: { readonly finding: TraitFinding }) {
  return language.value === "ro" ? <>{fillIn(RO_TRAITS[code], values)}</> : <>{text}</>;
}
