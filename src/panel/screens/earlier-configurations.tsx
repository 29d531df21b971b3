import type { EarlierConfigurationsView, EarlierConfigurationView } from "../../site/configuration-view.ts";
import { useQuery } from "../api.ts";
import { Badge } from "../badge.tsx";
import { formatTime } from "../date-format.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { originText } from "../event-detail-texts.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { Pending } from "../notice.tsx";
import { go, isAt, route } from "../route.ts";
import { configuredZones, pendingChange, proposeReturn, savedChanges } from "../zone-draft.ts";
import { StepHead } from "./step-head.tsx";

const ADDRESS = "#/zones/earlier";

/** The last texts of the configuration file; the review shows what a return to one of them changes. */
export function EarlierConfigurations() {
  const { response, error, reload } = useQuery<EarlierConfigurationsView>(
    "/site/configuration/earlier",
    savedChanges.value,
  );
  const [problem, run] = useErrorMessage();
  const file = configuredZones.value?.file?.split("/").pop() ?? "";
  const review = (name: string): Promise<void> =>
    run(async () => {
      const here = route.value;
      const proposed = await proposeReturn(name);
      if (!isAt(here)) return;
      pendingChange.value = {
        ...proposed,
        wanted: () => [],
        earlier: name,
        of: name,
        forget: () => {},
        zoneIds: [],
        back: ADDRESS,
        next: ADDRESS,
      };
      go("#/zones/review");
    });
  return (
    <>
      <StepHead title={t("earlier.title")} back="#/zones/edit" />
      <p class="quiet">{t("earlier.text", { file })}</p>
      <ErrorMessage text={problem} />
      {!response && <Pending error={error} reload={reload} />}
      {response?.body.earlier.length === 0 && <p class="quiet empty">{t("earlier.none")}</p>}
      {response && response.body.earlier.length > 0 && (
        <ul class="items rows earlier" aria-label={t("earlier.title")}>
          {response.body.earlier.map((earlier) => (
            <Row key={earlier.name} earlier={earlier} review={() => void review(earlier.name)} />
          ))}
        </ul>
      )}
    </>
  );
}

function Row({
  earlier,
  review,
}: {
  readonly earlier: EarlierConfigurationView;
  readonly review: () => void;
}) {
  const { isCurrent } = earlier;
  const until = t("earlier.until", { time: formatTime(earlier.replacedAt) });
  return (
    <li>
      <span class="disc s-off">
        <Icon name="history" />
      </span>
      <div class="grow">
        <b>{until}</b>
        <small>{authorText(earlier)}</small>
      </div>
      {isCurrent ? (
        <Badge tone="off">{t("earlier.current")}</Badge>
      ) : (
        <button type="button" aria-label={`${t("earlier.compare")}: ${until}`} onClick={review}>
          {t("earlier.compare")}
        </button>
      )}
    </li>
  );
}

function authorText({ source, who, from, writtenAt }: EarlierConfigurationView): string {
  const time = formatTime(writtenAt);
  if (source === "change")
    return t("earlier.byChange", { time, who: originText(who ?? ""), from: originText(from ?? "") });
  return source === "file" ? t("earlier.byFile", { time }) : t("earlier.unknown");
}
