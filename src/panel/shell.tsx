import { computed } from "@preact/signals";
import type { ComponentChildren, JSX, Ref } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isLoading } from "./api.ts";
import { Badge, type Tone } from "./badge.tsx";
import { language, t } from "./i18n.ts";
import { LanguageChoice } from "./language-choice.tsx";
import { liveness, status, type Liveness } from "./live-updates.ts";
import { Later } from "./later.tsx";
import { NoticeLine } from "./notice.tsx";
import { route } from "./route.ts";
import { EventLogScreen } from "./screens/event-log.tsx";
import { InterventionForm } from "./screens/intervention-form.tsx";
import { InterventionScreen } from "./screens/intervention.tsx";
import { InterventionsScreen } from "./screens/interventions.tsx";
import { ExpiredDialog, InitialPasswordForm, SignIn } from "./screens/sign-in.tsx";
import { StatusScreen } from "./screens/status.tsx";
import { SyncQueueScreen } from "./screens/sync-queue.tsx";
import { ZonesScreen } from "./screens/zones.tsx";
import { mayAdminister, mayOperate, signOut, sessionState, type SessionState } from "./session.ts";
import { WalkBanner } from "./walk-banner.tsx";
import type { MessageKey } from "./messages/catalogue.ts";

interface Screen {
  readonly name: string;
  readonly title: MessageKey;
  readonly show: () => JSX.Element;
  /** Whether the user may see it; default: every user. */
  readonly forRole?: () => boolean;
  /** Not in the menu: another screen links to it. */
  readonly isAside?: boolean;
}

/* Large screens are loaded when they are opened. */
const walkTest = () => import("./screens/walk-test.tsx").then((screen) => screen.WalkTestScreen);
const objectives = () => import("./screens/objectives.tsx").then((screen) => screen.ObjectivesScreen);
const settings = () => import("./screens/settings.tsx").then((screen) => screen.SettingsScreen);
const setUp = () => import("./screens/set-up.tsx").then((screen) => screen.SetUp);
const setUpGuide = () => import("./screens/set-up-guide.tsx").then((screen) => screen.SetUpGuide);

const SCREENS: readonly [Screen, ...Screen[]] = [
  { name: "status", title: "nav.status", show: () => <StatusScreen /> },
  { name: "zones", title: "nav.zones", show: () => <ZonesScreen /> },
  { name: "walk-test", title: "nav.walkTest", show: () => <Later load={walkTest} /> },
  { name: "interventions", title: "nav.interventions", show: interventions, forRole: mayOperate },
  {
    name: "objectives",
    title: "nav.objectives",
    show: () => <Later load={objectives} />,
    forRole: mayOperate,
  },
  { name: "events", title: "nav.events", show: () => <EventLogScreen />, forRole: mayOperate },
  { name: "sync", title: "nav.sync", show: () => <SyncQueueScreen /> },
  { name: "settings", title: "nav.settings", show: () => <Later load={settings} />, forRole: mayAdminister },
  {
    name: "setup",
    title: "nav.setup",
    show: () => <Later load={setUpGuide} />,
    forRole: mayAdminister,
    isAside: true,
  },
];

function interventions(): JSX.Element {
  const { item, action } = route.value;
  if (item === undefined) return <InterventionsScreen />;
  if (item === "new") return <InterventionForm />;
  return <InterventionScreen key={item} id={item} isEdited={action === "edit"} />;
}

/** The frame around every screen: site name, live updates, language, sign-out and menu. */
export function Shell() {
  useEffect(() => {
    document.documentElement.lang = language.value;
  }, [language.value]);
  const isInside = sessionState.value === "in" || sessionState.value === "expired";
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        {t("app.skip")}
      </a>
      <Header isInside={isInside} />
      <NoticeLine />
      {isInside ? <Inside /> : <Outside />}
      {sessionState.value === "expired" && <ExpiredDialog />}
    </>
  );
}

function Header({ isInside }: { readonly isInside: boolean }) {
  return (
    <header>
      <p class="name">
        {t("app.name")}
        {isInside && status.value && <span> · {status.value.site.name}</span>}
      </p>
      <div class="tools">
        {isInside && <Badge tone={TONES[liveness.value]}>{t(`live.${liveness.value}`)}</Badge>}
        <LanguageChoice />
        {isInside && (
          <button type="button" onClick={signOut}>
            {t("app.signOut")}
          </button>
        )}
      </div>
    </header>
  );
}

const TONES: Readonly<Record<Liveness, Tone>> = {
  starting: "quiet",
  live: "good",
  polling: "good",
  lost: "bad",
};

function Inside() {
  const { screen, item, action } = route.value;
  const allowed = SCREENS.filter(({ forRole }) => forRole?.() ?? true);
  const inMenu = allowed.filter(({ isAside }) => isAside !== true);
  const shown = allowed.find(({ name }) => name === screen) ?? SCREENS[0];
  const address = shown.name === screen ? [screen, item, action].filter(Boolean).join("/") : shown.name;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${t(shown.title)} · ${t("app.name")}`;
  }, [shown, language.value]);
  useEffect(() => {
    // Keyboard and screen reader users start at the beginning of a new screen.
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [shown]);
  return (
    <>
      <nav aria-label={t("app.menu")}>
        {inMenu.map(({ name, title }) => (
          <a key={name} href={`#/${name}`} aria-current={name === shown.name ? "page" : undefined}>
            {t(title)}
          </a>
        ))}
      </nav>
      <WalkBanner />
      <Main screen={address} place={main}>
        {shown.show()}
      </Main>
    </>
  );
}

function Outside() {
  useEffect(() => {
    document.title = `${t("signIn.title")} · ${t("app.name")}`;
  }, [language.value]);
  return (
    <Main screen={OUTSIDE[sessionState.value]}>
      {sessionState.value === "set-up" && <Later load={setUp} />}
      {sessionState.value === "out" && <SignIn />}
      {sessionState.value === "first-password" && <InitialPasswordForm />}
      {sessionState.value === "starting" && <p class="quiet">{t("app.loading")}</p>}
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

/**
 * The content below the frame. The markup has the name of the screen and whether it is complete, so that screen readers
 * and tests do not read leftovers of the previous screen.
 * @param screen address after `#/`
 */
function Main({
  screen,
  place,
  children,
}: {
  readonly screen: string;
  readonly place?: Ref<HTMLElement>;
  readonly children: ComponentChildren;
}) {
  return (
    <main
      id="content"
      tabIndex={-1}
      data-screen={screen}
      aria-busy={isIncomplete}
      {...(place ? { ref: place } : {})}
    >
      {children}
    </main>
  );
}

const isIncomplete = computed(
  () => isLoading.value || (sessionState.value === "in" && liveness.value === "starting"),
);

/** Moves the focus, because the fragment of the URL is the screen. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
