import "../guide.css";
import type { Objective, ObjectiveType } from "../../generated/types.ts";
import type { ConfiguredZonesView } from "../../site/configuration-view.ts";
import type { SyncView } from "../../site/sync-view.ts";
import { Act } from "../act.tsx";
import { request, useQuery, type QueryState } from "../api.ts";
import { LinkReason } from "../condition-text.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { stepCount, stepStates, testedZones } from "../guide-steps.ts";
import { apiPath } from "../http.ts";
import { LanguageChoice } from "../language-choice.tsx";
import { language, t } from "../i18n.ts";
import { status, zones } from "../live-updates.ts";
import { Pending, showNotice } from "../notice.tsx";
import { route } from "../route.ts";
import { account } from "../session.ts";
import { CentreTrial } from "./centre-trial.tsx";
import { FirstConfiguration } from "./first-configuration.tsx";
import { SignalStep, useLastSignal } from "./guide-signal.tsx";
import { Step, type OwnState } from "./guide-step.tsx";
import { isUnnamed, NameOfNewSite } from "./site-form.tsx";

/** The language and the administrator: there is no set-up without them. */
const DONE_BEFORE = 2;

/** Guides through the set-up of a new installation, from the configuration to a signal at the centre; the step that is next is open. */
export function SetUpGuide() {
  const counted = useObjectiveCount();
  const signal = useLastSignal();
  const states = stepStates({
    isNamed: !isUnnamed(),
    link: status.value?.link.state ?? "none",
    objectives: counted.count,
    zones: zones.value,
    isSignalThere: signal.upstreamId === undefined ? undefined : signal.upstreamId !== null,
  });
  return (
    <>
      <Head states={states} />
      <p>{t("guide.text")}</p>
      <NameOfNewSite />
      <NextStep states={states} />
      <ol class="guide">
        <Step title={t("app.language")} state="done" result={t(`choice.language.${language.value}`)}>
          <LanguageChoice />
        </Step>
        <Step title={t("guide.administrator")} state="done" result={account.value?.email ?? ""} />
        <SiteStep state={states.site} />
        <CentreStep state={states.centre} />
        <ObjectivesStep state={states.objectives} counted={counted} />
        <ZonesStep state={states.zones} />
        <WalkStep state={states.walk} />
        {states.signal !== "unused" && <SignalStep state={states.signal} signal={signal} />}
      </ol>
    </>
  );
}

/** The title with how much is done, in words and as a bar. */
function Head({ states }: { readonly states: ReturnType<typeof stepStates> }) {
  const { done, all } = stepCount(states, DONE_BEFORE);
  const text = t("guide.count", { done, all });
  return (
    <>
      <div class="head">
        <h1 class="grow">{t("nav.setup")}</h1>
        <span class="quiet">{text}</span>
      </div>
      <progress class="guide-bar" value={done} max={all} aria-label={text} />
    </>
  );
}

/**
 * Where the next step is done, above the list: on a phone the list is two screens long. The step itself does not repeat it. The
 * other steps are done in the list.
 */
function NextStep({ states }: { readonly states: ReturnType<typeof stepStates> }) {
  const hasZones = zones.value.length > 0;
  const walk = [t("guide.goTo", { screen: t("nav.walkTest") }), "#/walk-test"] as const;
  const add = [t("zones.addFirst"), "#/zones/found"] as const;
  const look = [t("guide.goTo", { screen: t("nav.zones") }), "#/zones"] as const;
  const next = states.walk === "next" ? walk : states.zones !== "next" ? undefined : hasZones ? look : add;
  return (
    next && (
      <a class="button main" href={next[1]}>
        {next[0]}
      </a>
    )
  );
}

function SiteStep({ state }: OwnState) {
  const site = status.value?.site;
  const now = t("guide.siteNow", { name: site?.name ?? "", ref: site?.ref ?? "", n: zones.value.length });
  const { response } = useQuery<ConfiguredZonesView>("/site/configuration/zones");
  // Without a file the daemon runs with the configuration of the first run.
  const isExample = response?.body.file === null;
  const isWanted = "configure" in route.value.query;
  return (
    <Step title={t("guide.site")} state={isExample ? "example" : state} result={now} isOpen={isWanted}>
      <details open={isWanted}>
        <summary>{t("guide.configure")}</summary>
        <FirstConfiguration />
      </details>
    </Step>
  );
}

function CentreStep({ state }: OwnState) {
  const link = status.value?.link;
  const linkState = link?.state ?? "none";
  const [problem, run] = useErrorMessage();
  const testLink = (): Promise<void> =>
    run(async () => {
      const { body } = await request<SyncView>("/site/sync/now", { method: "POST" });
      showNotice(`${t("status.link")}: ${t(`link.${body.link.state}`)}`, body.link.state === "down");
    });
  return (
    <Step title={t("guide.centre")} state={state} result={`${t("status.link")}: ${t(`link.${linkState}`)}`}>
      {link && <LinkReason link={link} />}
      {linkState === "none" ? (
        <>
          <p class="quiet">{t("guide.noCentre")}</p>
          <a class="button" href="#/settings?open=centre">
            {t("guide.enrol")}
          </a>
        </>
      ) : (
        <>
          <Act onClick={() => void testLink()}>{t("guide.testLink")}</Act>
          <ErrorMessage text={problem} />
          <CentreTrial />
        </>
      )}
    </Step>
  );
}

function ObjectivesStep({
  state,
  counted: { count, error, reload },
}: OwnState & { readonly counted: ObjectiveCount }) {
  const now = count === undefined ? "" : t("guide.objectivesNow", { n: count });
  return (
    <Step title={t("nav.objectives")} state={state} result={now}>
      {count === undefined && error && <Pending error={error} reload={reload} />}
      <p>{t("guide.objectives")}</p>
      <a class="button" href="#/objectives">
        {t("guide.goTo", { screen: t("nav.objectives") })}
      </a>
    </Step>
  );
}

interface ObjectiveCount extends Pick<QueryState<Objective[]>, "error" | "reload"> {
  /** Of all types; undefined before all of them are counted. */
  readonly count: number | undefined;
}

function useObjectiveCount(): ObjectiveCount {
  const queries = [
    useCount("obiective/cladiri"),
    useCount("obiective/bunuri"),
    useCount("obiective/persoane"),
  ];
  const counts = queries.map(({ response }) => Number(response?.headers.get("X-Total-Count") ?? Number.NaN));
  const sum = counts.reduce((a, b) => a + b, 0);
  return {
    count: Number.isNaN(sum) ? undefined : sum,
    error: queries.find(({ error }) => error)?.error,
    reload: () => queries.forEach(({ reload }) => reload()),
  };
}

function useCount(type: ObjectiveType): QueryState<Objective[]> {
  return useQuery<Objective[]>(apiPath(`/${type}?_end=1`));
}

function ZonesStep({ state }: OwnState) {
  const n = zones.value.length;
  const unknown = zones.value.filter(({ contact }) => contact === "unknown").length;
  const now = n === 0 ? t("guide.noZones") : t("guide.zones", { n });
  const missing = unknown > 0 ? ` ${t("status.zonesUnknown", { n: unknown })}` : "";
  return (
    <Step title={t("nav.zones")} state={state} result={now + missing}>
      <div class="row">
        <a class="button" href="#/zones/found">
          {t("edit.add")}
        </a>
        {n > 0 && state !== "next" && (
          <a class="button" href="#/zones">
            {t("guide.goTo", { screen: t("nav.zones") })}
          </a>
        )}
      </div>
    </Step>
  );
}

function WalkStep({ state }: OwnState) {
  const n = zones.value.length;
  const tested = testedZones(zones.value).length;
  return (
    <Step title={t("walk.title")} state={state} result={n === 0 ? "" : t("walk.tested", { tested, n })}>
      <p>{t("guide.walk")}</p>
      {state !== "next" && (
        <a class="button" href="#/walk-test">
          {t("guide.goTo", { screen: t("nav.walkTest") })}
        </a>
      )}
    </Step>
  );
}
