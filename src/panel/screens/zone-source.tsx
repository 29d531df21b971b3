import { useEffect } from "preact/hooks";
import type { ZoneSourceView, ZoneView } from "../../site/zone-view.ts";
import { useQuery } from "../api.ts";
import { everyShown } from "../clock.ts";
import { formatTime } from "../date-format.ts";
import { t } from "../i18n.ts";

/** A technician who opens the contact by hand sees its message while still at the sensor. */
const REFRESH_INTERVAL_MS = 2_000;
/** Sources that send messages. */
const HAS_MESSAGES: ReadonlySet<ZoneView["source"]> = new Set<ZoneView["source"]>(["mqtt", "dc09"]);

/** Stands for the topics or numbers beyond those that the daemon remembers. */
const OTHERS = "#";

/** Where a zone reads its contact, and its last message as it was received. */
export function ZoneSource({ zone }: { readonly zone: ZoneView }) {
  const { response, refresh } = useQuery<ZoneSourceView>(`/site/zones/${encodeURIComponent(zone.id)}/source`);
  const source = response?.body;
  useEffect(() => everyShown(REFRESH_INTERVAL_MS, refresh), []);
  const last = source?.lastMessage;
  return (
    <>
      <dt>{t("zones.source")}</dt>
      <dd>
        {t(`source.${zone.source}`)} {source && <Place source={source} />}
      </dd>
      {source && <Causes title={t("zones.openBy")} causes={source.openBy} />}
      {source && <Causes title={t("zones.faultyBy")} causes={source.faultyBy} />}
      {source && HAS_MESSAGES.has(zone.source) && (
        <>
          <dt>{t("found.lastMessage")}</dt>
          <dd>
            {last ? formatTime(last.at) : t("zones.noMessage")}{" "}
            {last?.isRetained === true && t("found.retained")}{" "}
            {/* Such as that of its availability: it does not say that the contact has reported. */}
            {last && source.topic !== null && last.topic !== source.topic && <code>{last.topic}</code>}
            {last && <code class="message">{last.payload}</code>}
          </dd>
        </>
      )}
    </>
  );
}

/** Topics or numbers; nothing without any. */
function Causes({ title, causes }: { readonly title: string; readonly causes: readonly string[] }) {
  if (causes.length === 0) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd>
        <code>{causes.map((one) => (one === OTHERS ? t("zones.openByOthers") : one)).join(", ")}</code>
      </dd>
    </>
  );
}

function Place({
  source: { topic, path, account, number, converter, line },
}: {
  readonly source: ZoneSourceView;
}) {
  if (account !== null) return <>{number === null ? account : t("zones.panelZone", { account, number })}</>;
  const place = [converter, line === null ? null : String(line)].filter((part) => part !== null).join(" · ");
  return <code>{topic === null ? place : [topic, path].filter((part) => part !== null).join(" ")}</code>;
}
