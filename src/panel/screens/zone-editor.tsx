import "../zone-editor.css";
import "../zone-input.ts";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ConfiguredZonesView } from "../../site/configuration-view.ts";
import { useQuery } from "../api.ts";
import { t } from "../i18n.ts";
import { LazyScreen } from "../lazy-screen.tsx";
import { Pending } from "../notice.tsx";
import { route } from "../route.ts";
import { configuredZones, savedChanges } from "../zone-draft.ts";
import { ConfiguredZones } from "./configured-zones.tsx";
import { StepHead } from "./step-head.tsx";
import { ZoneReview } from "./zone-review.tsx";
import { ZoneSaved } from "./zone-saved.tsx";

/* Each step is loaded when it is opened, so that the list of zones appears at once on a phone. */
const foundSensors = () => import("./found-sensors.tsx").then((step) => step.FoundSensors);
const earlierConfigurations = () =>
  import("./earlier-configurations.tsx").then((step) => step.EarlierConfigurations);
const zoneForm = () => import("./zone-form.tsx").then((step) => step.ZoneForm);

/** Adding and changing zones, by the address: what was found, the form, the difference, and the configured zones. */
export function ZoneEditor() {
  const { item, query } = route.value;
  // Each step waits for the zones as the file has them now: those of an earlier step may lack what has been saved since.
  return <Step key={`${item ?? ""} ${query["zone"] ?? ""}`} item={item} />;
}

function Step({ item }: { readonly item: string | undefined }) {
  const { response, error, reload } = useQuery<ConfiguredZonesView>(
    "/site/configuration/zones",
    savedChanges.value,
  );
  // Read once, the step stays while they are read again: it has input that is not in the draft, and the focus.
  const isRead = useRef(false);
  useLayoutEffect(() => {
    isRead.current = response !== undefined;
    configuredZones.value = response?.body;
  }, [response]);
  const site = configuredZones.value;
  if (!site || !isRead.current)
    return (
      <>
        <StepHead title={t("edit.title")} back="#/zones" />
        <Pending error={error} reload={reload} />
      </>
    );
  if (site.file === null || site.mode === "file-only" || !site.isWritable) return <NotHere site={site} />;
  if (item === "found") return <LazyScreen load={foundSensors} />;
  if (item === "form") return <LazyScreen load={zoneForm} />;
  if (item === "earlier") return <LazyScreen load={earlierConfigurations} />;
  if (item === "review") return <ZoneReview site={site} />;
  return item === "saved" ? <ZoneSaved /> : <ConfiguredZones site={site} />;
}

/** Why zones cannot be changed here, and what to do. */
function NotHere({ site: { file, mode } }: { readonly site: ConfiguredZonesView }) {
  const reason = file === null ? "noFile" : mode === "file-only" ? "fileOnly" : "readOnly";
  return (
    <>
      <StepHead title={t("edit.title")} back="#/zones" />
      <section class="card">
        <h2>{t(`notHere.${reason}`)}</h2>
        <p>{t(`notHere.${reason}Text`, { file: file ?? "" })}</p>
        {reason === "noFile" && (
          <a class="button" href="#/setup?configure">
            {t("guide.configure")}
          </a>
        )}
        {reason === "fileOnly" && (
          <>
            <p>{t("notHere.allow")}</p>
            <pre>{"http:\n  configuration: panel"}</pre>
          </>
        )}
        {reason !== "noFile" && (
          <>
            <p>{t("notHere.permission")}</p>
            <pre>{`sudo chgrp santinela ${file ?? ""}\nsudo chmod 660 ${file ?? ""}\nsudo systemctl restart santinela`}</pre>
            <p>{t("notHere.byFile")}</p>
            <pre>{`santinela zones discover\nsantinela check-config\nsantinela reload`}</pre>
          </>
        )}
      </section>
    </>
  );
}
