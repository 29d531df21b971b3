import "../guide.css";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Objective, ObjectiveType } from "../../generated/types.ts";
import type { ConfiguredZonesView } from "../../site/configuration-view.ts";
import type { SyncView } from "../../site/sync-view.ts";
import { Act } from "../act.tsx";
import { request, useQuery, type QueryState } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { LinkReason } from "../condition-text.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { stepStates, testedZones, type StepState } from "../guide-steps.ts";
import { apiPath } from "../http.ts";
import type { IconName } from "../icons.ts";
import { LanguageChoice } from "../language-choice.tsx";
import { language, t } from "../i18n.ts";
import { status, zones } from "../live-updates.ts";
import { Pending, showNotice } from "../notice.tsx";
import { route } from "../route.ts";
import { account } from "../session.ts";
import { CentreTrial } from "./centre-trial.tsx";
import { FirstConfiguration } from "./first-configuration.tsx";
import { isUnnamed, NameOfNewSite } from "./site-form.tsx";

/** Guides through the set-up of a new installation, from the configuration to the walk test; the step that is next is open. */
export function SetUpGuide() {
  const counted = useObjectiveCount();
  const states = stepStates({
    isNamed: !isUnnamed(),
    link: status.value?.link.state ?? "none",
    objectives: counted.count,
    zones: zones.value,
  });
  return (
    <>
      <h1>{t("nav.setup")}</h1>
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
      </ol>
    </>
  );
}

/** Where the next step is done, above the list: on a phone the list is two screens long. The other steps are done in it. */
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

interface OwnState {
  readonly state: StepState;
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
        {n > 0 && (
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
      <a class="button" href="#/walk-test">
        {t("guide.goTo", { screen: t("nav.walkTest") })}
      </a>
    </Step>
  );
}

/** `example`: the site is the one of the configuration without a file. */
type ShownState = StepState | "example";

const LOOKS: Readonly<Record<ShownState, readonly [Tone, IconName]>> = {
  done: ["fine", "check"],
  next: ["link", "play"],
  later: ["off", "ellipsis"],
  example: ["off", "ellipsis"],
  unused: ["off", "circle-slash"],
  unknown: ["off", "ellipsis"],
};

/** A step with its state in a word and its result in a line. It opens when it is the next one and stays so for its reader. */
function Step({
  title,
  state,
  result,
  isOpen = false,
  children,
}: {
  readonly title: string;
  readonly state: ShownState;
  readonly result: string;
  readonly isOpen?: boolean;
  readonly children?: ComponentChildren;
}) {
  const wasNext = useRef(false);
  if (state === "next" || isOpen) wasNext.current = true;
  const [tone, icon] = LOOKS[state];
  const head = (
    <>
      <h2>{title}</h2>{" "}
      <Badge tone={tone} icon={icon}>
        {t(`guide.${state}`)}
      </Badge>
      <small>{result}</small>
    </>
  );
  return (
    <li class="guide-step card" aria-current={state === "next" ? "step" : undefined}>
      {children === undefined ? (
        <div class="guide-head">{head}</div>
      ) : (
        <details open={wasNext.current}>
          <summary class="guide-head">{head}</summary>
          <div class="stack tight">{children}</div>
        </details>
      )}
    </li>
  );
}
