import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";

/** Title of a step with the way back. @param step number of three; undefined outside the three steps */
export function StepHead({
  title,
  back,
  step,
}: {
  readonly title: string;
  readonly back: string;
  readonly step?: number;
}) {
  return (
    <div class="head step">
      <a class="button plain" href={back} aria-label={t("steps.back")}>
        <Icon name="chevron-left" />
      </a>
      <h1 class="grow">{title}</h1>
      {step !== undefined && <small>{t("steps.of", { step })}</small>}
    </div>
  );
}
