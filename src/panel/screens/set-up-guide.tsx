import "../guide.css";
import type { ComponentChildren } from "preact";
import type { SyncView } from "../../site/sync-view.ts";
import { request } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { LinkReason } from "../condition-text.tsx";
import { LanguageChoice } from "../language-choice.tsx";
import { t } from "../i18n.ts";
import { status, walkTest, zones } from "../live-updates.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";
import { account } from "../session.ts";
import { LINK_TONES } from "../sync-badge.tsx";
import { CentreTrial } from "./centre-trial.tsx";
import { FirstConfiguration } from "./first-configuration.tsx";
import { NameOfNewSite } from "./site-form.tsx";

/** Guides through the set-up of a new installation, from the configuration to the walk test. */
export function SetUpGuide() {
  return (
    <>
      <h1>{t("nav.setup")}</h1>
      <p>{t("guide.text")}</p>
      <NameOfNewSite />
      <NextStep />
      <ol class="guide">
        <Step title={t("app.language")} tone="fine">
          <LanguageChoice />
        </Step>
        <Step title={t("guide.administrator")} tone="fine">
          <p>{t("signIn.expiredAs", { email: account.value?.email ?? "" })}</p>
        </Step>
        <SiteStep />
        <CentreStep />
        <ObjectivesStep />
        <ZonesStep />
        <WalkStep />
      </ol>
    </>
  );
}

/** What is to do now, above the list: on a phone the list is two screens long. */
function NextStep() {
  const hasZones = zones.value.length > 0;
  const test = walkTest.value;
  if (hasZones && test && test.zones.length > 0 && test.zones.every(({ trips }) => trips > 0)) return null;
  return (
    <a class="button main" href={hasZones ? "#/walk-test" : "#/zones/found"}>
      {hasZones ? t("guide.goTo", { screen: t("nav.walkTest") }) : t("zones.addFirst")}
    </a>
  );
}

function SiteStep() {
  const site = status.value?.site;
  return (
    <Step title={t("guide.site")} tone="off">
      <p>{t("guide.siteNow", { name: site?.name ?? "", ref: site?.ref ?? "", n: zones.value.length })}</p>
      <details>
        <summary>{t("guide.configure")}</summary>
        <FirstConfiguration />
      </details>
    </Step>
  );
}

function CentreStep() {
  const state = status.value?.link.state ?? "none";
  const testLink = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const { body } = await request<SyncView>("/site/sync/now", { method: "POST" });
      showNotice(`${t("status.link")}: ${t(`link.${body.link.state}`)}`, body.link.state === "down");
    });
  return (
    <Step title={t("guide.centre")} tone={LINK_TONES[state]}>
      <p>
        {t("status.link")}: {t(`link.${state}`)}
      </p>
      {status.value && <LinkReason link={status.value.link} />}
      {state === "none" ? (
        <p class="quiet">{t("guide.noCentre")}</p>
      ) : (
        <>
          <button type="button" onClick={() => void testLink()}>
            {t("guide.testLink")}
          </button>
          <CentreTrial />
        </>
      )}
    </Step>
  );
}

function ObjectivesStep() {
  return (
    <Step title={t("nav.objectives")} tone="off">
      <p>{t("guide.objectives")}</p>
      <a class="button" href="#/objectives">
        {t("guide.goTo", { screen: t("nav.objectives") })}
      </a>
    </Step>
  );
}

function ZonesStep() {
  const unknown = zones.value.filter(({ contact }) => contact === "unknown").length;
  const isGood = zones.value.length > 0 && unknown === 0;
  return (
    <Step title={t("nav.zones")} tone={isGood ? "fine" : "attention"}>
      <p>
        {zones.value.length === 0 ? t("guide.noZones") : t("guide.zones", { n: zones.value.length })}{" "}
        {unknown > 0 && t("status.zonesUnknown", { n: unknown })}
      </p>
      <a class="button" href="#/zones/found">
        {t("edit.add")}
      </a>
      {zones.value.length > 0 && (
        <a class="button" href="#/zones">
          {t("guide.goTo", { screen: t("nav.zones") })}
        </a>
      )}
    </Step>
  );
}

function WalkStep() {
  const test = walkTest.value;
  const tested = test?.zones.filter(({ trips }) => trips > 0).length ?? 0;
  const isComplete = test !== null && tested === test.zones.length && tested > 0;
  return (
    <Step title={t("walk.title")} tone={isComplete ? "fine" : "attention"}>
      <p>{test ? t("walk.tested", { tested, n: test.zones.length }) : t("guide.walk")}</p>
      <a class="button" href="#/walk-test">
        {t("guide.goTo", { screen: t("nav.walkTest") })}
      </a>
    </Step>
  );
}

function Step({
  title,
  tone,
  children,
}: {
  readonly title: string;
  readonly tone: Tone;
  readonly children: ComponentChildren;
}) {
  return (
    <li class="guide-step card">
      <h2>
        <Badge tone={tone}>{title}</Badge>
      </h2>
      {children}
    </li>
  );
}
