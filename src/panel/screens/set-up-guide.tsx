import type { ComponentChildren } from "preact";
import type { SyncView } from "../../http/site/sync-port.ts";
import { ask } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { LinkReason } from "../condition-text.tsx";
import { LanguageChoice } from "../language-choice.tsx";
import { say } from "../language.ts";
import { status, walkTest, zones } from "../live.ts";
import { attempt, tell } from "../notice.tsx";
import { account } from "../session.ts";
import { LINK_TONES } from "../sync-badge.tsx";
import { CentreTrial } from "./centre-trial.tsx";
import { FirstConfiguration } from "./first-configuration.tsx";

/** The way from an installation that has just been made to one whose zones have been tried, step by step. */
export function SetUpGuide() {
  return (
    <>
      <h1>{say("nav.setup")}</h1>
      <p>{say("guide.text")}</p>
      <ol class="guide">
        <Step title={say("app.language")} tone="good">
          <LanguageChoice />
        </Step>
        <Step title={say("guide.administrator")} tone="good">
          <p>{say("signIn.expiredAs", { email: account.value?.email ?? "" })}</p>
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

function SiteStep() {
  const site = status.value?.site;
  return (
    <Step title={say("guide.site")} tone="quiet">
      <p>{say("guide.siteNow", { name: site?.name ?? "", ref: site?.ref ?? "", n: zones.value.length })}</p>
      <details>
        <summary>{say("guide.configure")}</summary>
        <FirstConfiguration />
      </details>
    </Step>
  );
}

function CentreStep() {
  const state = status.value?.link.state ?? "none";
  const tryNow = (): Promise<boolean> =>
    attempt(async () => {
      const { body } = await ask<SyncView>("/site/sync/now", { method: "POST" });
      tell(`${say("status.link")}: ${say(`link.${body.link.state}`)}`, body.link.state === "down");
    });
  return (
    <Step title={say("guide.centre")} tone={LINK_TONES[state]}>
      <p>
        {say("status.link")}: {say(`link.${state}`)}
      </p>
      {status.value && <LinkReason link={status.value.link} />}
      {state === "none" ? (
        <p class="quiet">{say("guide.noCentre")}</p>
      ) : (
        <>
          <button type="button" onClick={() => void tryNow()}>
            {say("guide.tryCentre")}
          </button>
          <CentreTrial />
        </>
      )}
    </Step>
  );
}

function ObjectivesStep() {
  return (
    <Step title={say("nav.objectives")} tone="quiet">
      <p>{say("guide.objectives")}</p>
      <a class="button" href="#/objectives">
        {say("guide.look")} {say("nav.objectives")}
      </a>
    </Step>
  );
}

function ZonesStep() {
  const unseen = zones.value.filter(({ contact }) => contact === "unknown").length;
  const isGood = zones.value.length > 0 && unseen === 0;
  return (
    <Step title={say("nav.zones")} tone={isGood ? "good" : "warn"}>
      <p>
        {zones.value.length === 0 ? say("guide.noZones") : say("guide.zones", { n: zones.value.length })}{" "}
        {unseen > 0 && say("status.zonesUnknown", { n: unseen })}
      </p>
      {zones.value.length > 0 && (
        <a class="button" href="#/zones">
          {say("guide.look")} {say("nav.zones")}
        </a>
      )}
    </Step>
  );
}

function WalkStep() {
  const test = walkTest.value;
  const seen = test?.zones.filter(({ trips }) => trips > 0).length ?? 0;
  const isWhole = test !== null && seen === test.zones.length && seen > 0;
  return (
    <Step title={say("walk.title")} tone={isWhole ? "good" : "warn"}>
      <p>{test ? say("walk.seen", { seen, n: test.zones.length }) : say("guide.walk")}</p>
      <a class="button main" href="#/walk-test">
        {say("guide.look")} {say("walk.title")}
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
    <li class="guide-step box">
      <h2>
        <Badge tone={tone}>{title}</Badge>
      </h2>
      {children}
    </li>
  );
}
