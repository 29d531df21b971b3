import { computed } from "@preact/signals";
import type { ComponentChildren, JSX, Ref } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isAwaiting } from "./api.ts";
import { Badge, type Tone } from "./badge.tsx";
import { language, t } from "./i18n.ts";
import { LanguageChoice } from "./language-choice.tsx";
import { liveness, status, type Liveness } from "./live-updates.ts";
import { Later } from "./later.tsx";
import { NoticeLine } from "./notice.tsx";
import { place } from "./route.ts";
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
  /** Whether the person may see it; everybody may where it is left out. */
  readonly forRole?: () => boolean;
  /** Left out of the menu: another screen leads to it. */
  readonly isAside?: boolean;
}

/* Large screens that are rarely opened are loaded when they are. */
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
  const { item, action } = place.value;
  if (item === undefined) return <InterventionsScreen />;
  if (item === "new") return <InterventionForm />;
  return <InterventionScreen key={item} id={item} isEdited={action === "edit"} />;
}

/** The frame around every screen: who and where one is, whether what is seen is fresh, and the way to the others. */
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
  asking: "good",
  lost: "bad",
};

function Inside() {
  const { screen, item, action } = place.value;
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
    // Whoever goes to another screen with the keyboard or by ear starts at its beginning.
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

/** The screens of people who are not signed in have no address; these are their names. */
const OUTSIDE: Readonly<Record<SessionState, string>> = {
  starting: "starting",
  "set-up": "first-start",
  out: "sign-in",
  "first-password": "first-password",
  in: "",
  expired: "",
};

/**
 * What is below the frame. The markup names the screen and says whether it is complete, so that programs which look at
 * the panel, a screen reader or a test, never take what is still there of the screen before for it.
 * @param screen its address behind `#/`
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
  () => isAwaiting.value || (sessionState.value === "in" && liveness.value === "starting"),
);

/** The address after the # names a screen, so the link moves the focus itself. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
