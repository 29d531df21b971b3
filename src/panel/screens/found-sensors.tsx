import { useState } from "preact/hooks";
import type { DiscoveryView, FoundDeviceView, ProposalView } from "../../site/discovery-view.ts";
import { formatTime } from "../date-format.ts";
import { useDiscovered } from "../discovered.ts";
import { DaemonText } from "../daemon-text.tsx";
import { t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { Pending } from "../notice.tsx";
import { draft, type ZoneDraft } from "../zone-draft.ts";
import { kindIcon } from "../zone-appearance.ts";
import { SearchOver } from "./search-over.tsx";
import { FoundLines } from "./found-lines.tsx";
import { UnknownTopics } from "./found-topics.tsx";
import { StepHead } from "./step-head.tsx";

/** Sensors shown at first, so that the lines below are near; what was just opened is first. */
const OFFERS_SHOWN = 5;

/** Step 1: what was found on the network, the newest message first, then the free GPIO lines. */
export function FoundSensors() {
  const { found, error, isOver, reload } = useDiscovered();
  return (
    <>
      <StepHead title={t("found.title")} back="#/zones" step={1} />
      {(error || !found) && <Pending error={error} reload={reload} />}
      {isOver && <SearchOver again={reload} />}
      {found && <Found found={found} isOver={isOver} />}
    </>
  );
}

function Found({ found, isOver }: { readonly found: DiscoveryView; readonly isOver: boolean }) {
  const [isAll, setIsAll] = useState(false);
  const newest = found.devices
    .flatMap((device) => device.proposals.map((proposal) => ({ device, proposal })))
    .filter(({ proposal }) => proposal.zoneId === null)
    .sort((a, b) => timeOf(b.device).localeCompare(timeOf(a.device)));
  const silent = found.devices.filter(({ proposals }) => proposals.length === 0);
  const taken = found.devices.flatMap(({ proposals }) => proposals.filter(({ zoneId }) => zoneId !== null));
  return (
    <>
      <section class="stack tight" aria-label={t("found.sensors")}>
        <div class="row">
          <h2 class="grow">{t("found.sensors")}</h2>
          {!isOver && <Listening found={found} />}
        </div>
        <NoBroker found={found} />
        <ul class="cards">
          {(isAll ? newest : newest.slice(0, OFFERS_SHOWN)).map(({ device, proposal }) => (
            <li key={`${device.id} ${proposal.zone.id}`}>
              <Offer device={device} proposal={proposal} />
            </li>
          ))}
        </ul>
        {!isAll && newest.length > OFFERS_SHOWN && (
          <button type="button" onClick={() => setIsAll(true)}>
            {t("found.all", { n: newest.length })}
          </button>
        )}
        {newest.length === 0 && !hasNoBroker(found) && <p class="quiet">{t("found.noSensors")}</p>}
        {taken.length > 0 && (
          <small>{t("found.taken", { zones: taken.map(({ zone }) => zone.name).join(", ") })}</small>
        )}
      </section>
      <LeftOut leftOut={found.leftOut} />
      <FoundLines chips={found.chips} />
      <UnknownTopics topics={found.unknown} devices={silent} isOnly={newest.length === 0} />
      <ByHand hasBroker={!hasNoBroker(found)} />
    </>
  );
}

/** What is missing above or below because a limit was reached. A daemon of an earlier release does not say it. */
function LeftOut({ leftOut = [] }: { readonly leftOut?: DiscoveryView["leftOut"] | undefined }) {
  if (leftOut.length === 0) return null;
  return (
    <section class="card stack tight" aria-label={t("left-out.title")}>
      <b>{t("left-out.title")}</b>
      {leftOut.map(({ code, text, values }) => (
        <p key={code}>{translateCode("left-out", code, text, { ...values, n: Number(values["limit"]) })}</p>
      ))}
    </section>
  );
}

function timeOf({ lastMessage }: FoundDeviceView): string {
  return lastMessage?.at ?? "";
}

function Listening({ found: { listening } }: { readonly found: DiscoveryView }) {
  const { state } = listening;
  return (
    <span class={state === "listening" ? "live" : "live lost"} role="status">
      {t(`found.state.${state}`)}
    </span>
  );
}

function hasNoBroker({ listening: { state } }: DiscoveryView): boolean {
  return state === "off" || state === "unreachable" || state === "denied";
}

/** Why opening a sensor would show nothing, and where the broker is set. What was found before stays below. */
function NoBroker({ found }: { readonly found: DiscoveryView }) {
  if (!hasNoBroker(found)) return null;
  const { state, reason } = found.listening;
  return (
    <div class="box s-attention" data-broker={state}>
      <p>{t("found.noBroker")}</p>
      {reason !== null && (
        <p class="sentence">
          <DaemonText text={reason} />
        </p>
      )}
      <p>
        <a class="button" href="#/settings?open=configuration">
          {t("found.brokerOption")}
        </a>
      </p>
    </div>
  );
}

/** Puts a zone into the form. */
export function openInForm(zone: ZoneDraft): void {
  draft.value = zone;
}

/** The daemon names the wired inputs of a device in English. */
function localName(name: string): string {
  return name.replace(/\binput (\d+)$/, (_words, n: string) => t("found.input", { n }));
}

function Offer({ device, proposal }: { readonly device: FoundDeviceView; readonly proposal: ProposalView }) {
  const { doubts } = proposal;
  const zone = { ...proposal.zone, name: localName(proposal.zone.name) };
  const kind = translateCode("choice.zone-kind", zone.kind);
  return (
    <a class="card found" href="#/zones/form" onClick={() => openInForm({ zone, doubts, hasOwnId: false })}>
      <span class="row">
        <span class="disc s-link">
          <Icon name={kindIcon(zone.kind)} />
        </span>
        <span class="grow">
          <b>{zone.name}</b>
          <small>
            {[...new Set([kind, device.model, t(`found.source.${device.source}`)])]
              .filter(Boolean)
              .join(" · ")}
          </small>
        </span>
        {device.lastMessage && <small>{formatTime(device.lastMessage.at)}</small>}
      </span>
      <small class="code">{zone.input.mqtt}</small>
    </a>
  );
}

/** For a sensor that does not appear. */
function ByHand({ hasBroker }: { readonly hasBroker: boolean }) {
  const start = { id: "", name: "", kind: "intrusion" };
  const ways = [
    ["found.byTopic", { mqtt: "", open: [true] }],
    ["found.byLine", { gpio: "", contact: "nc" }],
    ["found.simulated", { simulated: true }],
  ] as const;
  return (
    <section class="card" aria-label={t("found.missing")}>
      <h2>{t("found.missing")}</h2>
      <p class="quiet">{t(hasBroker ? "found.missingText" : "found.enterIt")}</p>
      <div class="row">
        {ways.map(([key, input]) => (
          <a
            key={key}
            class="button"
            href="#/zones/form"
            onClick={() => openInForm({ zone: { ...start, input } })}
          >
            {t(key)}
          </a>
        ))}
      </div>
    </section>
  );
}
