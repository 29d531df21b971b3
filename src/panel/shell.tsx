import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { siteTimeText } from "./date-format.ts";
import { Header } from "./header.tsx";
import { hasMoreTexts, language, t, withMoreTexts } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";
import { isStale, status, tabLevel } from "./live-updates.ts";
import { LazyScreen, Loading, NotLoaded } from "./lazy-screen.tsx";
import type { MessageKey } from "./messages/catalogue.ts";
import { NoticeLine } from "./notice.tsx";
import { itemTitle, frameDialog, route } from "./route.ts";
import { HomeScreen } from "./screens/home.tsx";
import { SignIn } from "./screens/sign-in.tsx";
import {
  account,
  isUnanswered,
  mayAdminister,
  mayOperate,
  sessionState,
  type SessionState,
} from "./session.ts";
import { Main } from "./main-content.tsx";
import { StaleBar } from "./stale-bar.tsx";
import { WalkBanner } from "./walk-banner.tsx";

interface Screen {
  readonly name: string;
  readonly title: MessageKey;
  readonly show: () => JSX.Element;
  readonly icon: IconName;
  /** `bar`: always in the menu. `more`: on a phone behind More. `aside`: another screen links to it. */
  readonly place: "bar" | "more" | "aside";
  /** Whether this user sees it at this daemon; default: every user, everywhere. */
  readonly forRole?: () => boolean;
}

/* Every screen but Home is loaded when it is opened. */
const zones = () => import("./screens/zones.tsx").then((screen) => screen.Zones);
const walkTest = () => import("./screens/walk-test.tsx").then((screen) => screen.WalkTestScreen);
const interventions = () => import("./screens/intervention-screens.tsx").then((all) => all.Interventions);
const events = () => import("./screens/event-log.tsx").then((screen) => screen.EventLogScreen);
const sites = () => import("./screens/sites.tsx").then((screen) => screen.SitesScreen);
const objectives = () => import("./screens/objectives.tsx").then((screen) => screen.ObjectivesScreen);
const sync = () => import("./screens/sync-queue.tsx").then((screen) => screen.SyncQueueScreen);
const settings = () => import("./screens/settings.tsx").then((screen) => screen.SettingsScreen);
const api = () => import("./screens/api.tsx").then((screen) => screen.ApiScreen);
const alarmBar = () => withMoreTexts(import("./alarm-bar.tsx")).then((bar) => bar.AlarmBar);
const sessionForms = () => withMoreTexts(import("./screens/session-forms.tsx"));
const expiredDialog = () => sessionForms().then((forms) => forms.ExpiredDialog);
const initialPassword = () => sessionForms().then((forms) => forms.InitialPasswordForm);
const setUp = () => withMoreTexts(import("./screens/set-up.tsx")).then((screen) => screen.SetUp);
const plan = () => import("./screens/plan.tsx").then((screen) => screen.PlanScreen);
const more = () => import("./screens/more.tsx").then((screen) => screen.MoreScreen);
const missing = () => import("./screens/missing.tsx").then((found) => found.MissingScreen);
const setUpGuide = () => import("./screens/set-up-guide.tsx").then((screen) => screen.SetUpGuide);

/** A dispatch centre has no zones and no upstream. */
function isSite(): boolean {
  return status.value?.role !== "centre";
}

const SCREENS: readonly Screen[] = [
  { name: "status", title: "nav.status", icon: "house", place: "bar", show: () => <HomeScreen /> },
  screen("zones", "nav.zones", "layout-grid", "bar", zones, isSite),
  screen("interventions", "nav.interventions", "siren", "bar", interventions, mayOperate),
  screen("events", "nav.events", "scroll-text", "bar", events, mayOperate),
  screen("plan", "nav.plan", "map", "more", plan, isSite),
  screen("walk-test", "nav.walkTest", "clipboard-check", "more", walkTest, isSite),
  screen("sites", "nav.sites", "layout-grid", "bar", sites, () => !isSite() && mayOperate()),
  screen("objectives", "nav.objectives", "building-2", "more", objectives, mayOperate),
  screen("sync", "nav.sync", "refresh-cw", "more", sync, isSite),
  screen("settings", "nav.settings", "settings", "more", settings, mayAdminister, true),
  screen("setup", "nav.setup", "wrench", "aside", setUpGuide, () => mayAdminister() && isSite(), true),
  screen("api", "nav.api", "file-text", "aside", api, mayOperate),
  screen("more", "nav.more", "ellipsis", "aside", more),
];

/** At an address without a screen for this user. A dispatch centre has others, so it waits until the role is known. */
const MISSING = screen("missing", "app.name", "house", "bar", missing, undefined, true);

function screen(
  name: string,
  title: MessageKey,
  icon: IconName,
  place: Screen["place"],
  load: Parameters<typeof LazyScreen>[0]["load"],
  forRole?: () => boolean,
  needsState = forRole === isSite,
): Screen {
  const loadWhole = () => withMoreTexts(load());
  return {
    name,
    title,
    icon,
    place,
    show: () => <LazyScreen key={name} load={loadWhole} needsState={needsState} />,
    ...(forRole ? { forRole } : {}),
  };
}

/** The frame around every screen: site name, live updates, menu of the user, and navigation. */
export function Shell() {
  useEffect(() => {
    document.documentElement.lang = language.value;
  }, [language.value]);
  const isInside = sessionState.value === "in" || sessionState.value === "expired";
  return (
    <>
      <div class={isInside && isStale.value ? "frame stale" : "frame"}>
        <a class="skip" href="#content" onClick={skipToContent}>
          {t("app.skip")}
        </a>
        <Header isInside={isInside} />
        <NoticeLine />
        {isInside ? <Inside /> : <Outside />}
        {frameDialog.value?.()}
      </div>
      {/* Never grey: it waits for the user. */}
      {sessionState.value === "expired" && <LazyScreen load={expiredDialog} isPart />}
    </>
  );
}

/** The screens of this user at this daemon. */
export function allowedScreens(): readonly Screen[] {
  return SCREENS.filter(({ forRole }) => forRole?.() ?? true);
}

function Inside() {
  const { screen: wanted, item, action } = route.value;
  const shown = allowedScreens().find(({ name }) => name === wanted) ?? MISSING;
  const address = shown.name === wanted ? [wanted, item, action].filter(Boolean).join("/") : shown.name;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const level = tabLevel.value ?? "well";
  const site = status.value?.site.name ?? t("app.name");
  const title = itemTitle.value || t(shown.title);
  const alarms = level === "alarm" && alarmCount() > 0 ? `(${alarmCount()}) ` : "";
  useEffect(() => {
    const state = level === "well" ? [] : [alarms + t(`headline.${level}`)];
    document.title = [...state, title, site].join(" · ");
    void import("./tab-icon.ts").then((icon) => icon.show(level)).catch(() => undefined);
  }, [title, language.value, level, alarms, site]);
  useEffect(() => {
    // Keyboard and screen reader users start at the beginning of a new screen.
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [address]);
  return (
    <>
      <Navigation shown={shown} />
      <div class="bars">
        <StaleBar />
        {/* Its texts are those of conditions and refusals too. */}
        <LazyScreen load={alarmBar} isPart />
        <WalkBanner />
      </div>
      <Main screen={address} place={main}>
        {shown.show()}
      </Main>
    </>
  );
}

/** The number of unfinished alarms. */
function alarmCount(): number {
  return status.value?.headline.reasons.find(({ code }) => code === "alarm-unfinished")?.count ?? 0;
}

/** The bottom bar of a phone, and the rail of wider screens. The number is that of unfinished alarms. */
function Navigation({ shown }: { readonly shown: Screen }) {
  const alarms = alarmCount();
  const places = allowedScreens().filter(({ place }) => place !== "aside");
  return (
    <nav aria-label={t("app.menu")}>
      {places.map(({ name, title, icon, place }) => (
        <a
          key={name}
          class={place === "more" ? "aside" : ""}
          href={`#/${name}`}
          aria-current={name === shown.name ? "page" : undefined}
        >
          <Icon name={icon} />
          <span>{t(title)}</span>
          {name === "interventions" && alarms > 0 && (
            <span class="count">
              <span aria-hidden="true">{alarms}</span>
              <span class="unseen">{t("reason.alarm-unfinished", { n: alarms })}</span>
            </span>
          )}
        </a>
      ))}
      <a class="more" href="#/more" aria-current={shown.place === "bar" ? undefined : "page"}>
        <Icon name="ellipsis" />
        <span>{t("nav.more")}</span>
      </a>
      <p class="foot">
        <span>{account.value?.email}</span>
        {/* After the headline: the first time in a time zone takes a slow phone a tenth of a second. */}
        <span>{hasMoreTexts() && siteTimeText()}</span>
      </p>
    </nav>
  );
}

function Outside() {
  // With the words of the page, before it is drawn: they change together when a user chooses the language.
  useLayoutEffect(() => {
    document.title = `${t("signIn.title")} · ${t("app.name")}`;
  }, [language.value]);
  return (
    <Main screen={OUTSIDE[sessionState.value]}>
      {sessionState.value === "set-up" && <LazyScreen load={setUp} />}
      {sessionState.value === "out" && <SignIn />}
      {sessionState.value === "first-password" && <LazyScreen load={initialPassword} />}
      {sessionState.value === "starting" && (isUnanswered.value ? <NotLoaded /> : <Loading />)}
    </Main>
  );
}

/** Names of the screens without a URL, shown before the sign-in. */
const OUTSIDE: Readonly<Record<SessionState, string>> = {
  starting: "starting",
  "set-up": "first-start",
  out: "sign-in",
  "first-password": "first-password",
  in: "",
  expired: "",
};

/** Moves the focus, because the fragment of the URL is the screen. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
