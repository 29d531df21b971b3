import "./alarm-bar.css";
import { useEffect, useRef, useState } from "preact/hooks";
import type { NewestAlarmView } from "../site/status-view.ts";
import { AlarmSound, prepareAtPress, soundAlarm } from "./alarm-sound.tsx";
import { language, t } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import { status } from "./live-updates.ts";
import { NewAlarms } from "./new-alarms.ts";
import { useRecordSites } from "./record-sites.ts";
import { route } from "./route.ts";
import { mayOperate } from "./session.ts";

/** Alarms that the bar names: a phone must keep room for the screen. */
const NAMED_MAX = 3;

/** Names on every screen the alarms that are new since the page was opened, until they are opened or dismissed on it. */
export function AlarmBar() {
  return mayOperate() ? <Announcements /> : null;
}

function Announcements() {
  const alarms = useRef<NewAlarms | undefined>(undefined);
  alarms.current ??= new NewAlarms();
  const { current } = alarms;
  const [announced, setAnnounced] = useState(current.announced);
  // What screen readers say: only what is new.
  const [said, setSaid] = useState("");
  useEffect(prepareAtPress, []);
  // It was in the former language, and is not new.
  useEffect(() => setSaid(""), [language.value]);
  const newest = status.value?.newestAlarms ?? null;
  useEffect(() => {
    const fresh = current.take(newest);
    if (fresh.length > 0) {
      setSaid(announcementOf(fresh));
      soundAlarm();
    }
    setAnnounced(current.announced);
  }, [JSON.stringify(newest)]);
  const { screen, item } = route.value;
  const close = (id?: number): void => {
    current.close(id);
    setAnnounced(current.announced);
  };
  useEffect(() => {
    if (screen === "interventions" && item !== undefined) close(Number(item));
  }, [screen, item]);
  return (
    <>
      <p class="unseen" role="alert">
        {announced.length > 0 && said}
      </p>
      {announced.length > 0 && <Bar alarms={announced} dismiss={() => close()} />}
    </>
  );
}

function announcementOf(alarms: readonly NewestAlarmView[]): string {
  const names = alarms.slice(0, NAMED_MAX).map(({ id, name }) => `#${id} ${name}`);
  const more = alarms.length - names.length;
  const rest = more > 0 ? [t("newAlarms.more", { n: more })] : [];
  return `${t("newAlarms.title", { n: alarms.length })}: ${[...names, ...rest].join("; ")}`;
}

function Bar({
  alarms,
  dismiss,
}: {
  readonly alarms: readonly NewestAlarmView[];
  readonly dismiss: () => void;
}) {
  const named = alarms.slice(0, NAMED_MAX);
  const more = alarms.length - named.length;
  const siteOf = useRecordSites(named);
  return (
    <section class="banner s-alarm new-alarms" aria-label={t("newAlarms.title", { n: alarms.length })}>
      <ul>
        {named.map(({ id, name }) => {
          const site = siteOf({ id });
          return (
            <li key={id}>
              <Icon name="siren" />
              <span class="grow">
                {`#${id} ${name}`}
                {site && <small>{` · ${site.name ?? site.ref}`}</small>}
              </span>
              <a class="button" href={`#/interventions/${id}`} aria-label={`${t("newAlarms.open")} #${id}`}>
                {t("newAlarms.open")}
              </a>
            </li>
          );
        })}
      </ul>
      <div class="row">
        <AlarmSound />
        {more > 0 && <a href="#/interventions?status=open">{t("newAlarms.more", { n: more })}</a>}
        <button type="button" onClick={dismiss}>
          {t("newAlarms.dismiss")}
        </button>
      </div>
    </section>
  );
}
