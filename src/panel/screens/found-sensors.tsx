import { useState } from "preact/hooks";
import type {
  DiscoveryView,
  FoundDeviceView,
  LastMessageView,
  ProposalView,
  UnknownTopicView,
} from "../../site/discovery-view.ts";
import { likelyContact, likelyOpen } from "../contact-guess.ts";
import { formatTime } from "../date-format.ts";
import { useDiscovered } from "../discovered.ts";
import { DaemonWords } from "../daemon-words.tsx";
import { t, tCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { Pending } from "../notice.tsx";
import { draft, type ZoneDraft } from "../zone-draft.ts";
import { kindIcon } from "../zone-look.ts";
import { FoundLines } from "./found-lines.tsx";
import { StepHead } from "./step-head.tsx";

/** Sensors shown at first, so that the lines below are near; what was just opened is first. */
const OFFERS_SHOWN = 5;
/** Topics shown before the user searches further. */
const UNKNOWN_SHOWN = 20;

/** Step 1: what was found on the network, the newest message first, then the free GPIO lines. */
export function FoundSensors() {
  const { found, error, reload } = useDiscovered();
  return (
    <>
      <StepHead title={t("found.title")} back="#/zones" step={1} />
      {(error || !found) && <Pending error={error} reload={reload} />}
      {found && <Found found={found} />}
    </>
  );
}

function Found({ found }: { readonly found: DiscoveryView }) {
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
          <Listening found={found} />
        </div>
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
        {newest.length === 0 && <p class="quiet">{t("found.noSensors")}</p>}
        {taken.length > 0 && (
          <small>{t("found.taken", { zones: taken.map(({ zone }) => zone.name).join(", ") })}</small>
        )}
      </section>
      <LeftOut leftOut={found.leftOut} />
      <FoundLines chips={found.chips} />
      <Unknown topics={found.unknown} devices={silent} isOnly={newest.length === 0} />
      <ByHand />
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
        <p key={code}>{tCode("left-out", code, text, { ...values, n: Number(values["limit"]) })}</p>
      ))}
    </section>
  );
}

function timeOf({ lastMessage }: FoundDeviceView): string {
  return lastMessage?.at ?? "";
}

function Listening({ found: { listening } }: { readonly found: DiscoveryView }) {
  const { state, reason } = listening;
  return (
    <span class={state === "listening" ? "live" : "live lost"} role="status">
      {t(`found.state.${state}`)}
      {reason !== null && (
        <span class="unseen">
          <DaemonWords text={reason} />
        </span>
      )}
    </span>
  );
}

/** Puts a zone into the form. */
export function take(zone: ZoneDraft): void {
  draft.value = zone;
}

function Offer({ device, proposal }: { readonly device: FoundDeviceView; readonly proposal: ProposalView }) {
  const { zone, doubts } = proposal;
  const kind = tCode("choice.zone-kind", zone.kind);
  return (
    <a
      class="card found"
      href="#/zones/form"
      onClick={() => take({ zone: { ...zone }, doubts, hasOwnId: false })}
    >
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

/** Devices that say nothing a zone could read, and topics of which no device is known. */
function Unknown({
  topics,
  devices,
  isOnly,
}: {
  readonly topics: readonly UnknownTopicView[];
  readonly devices: readonly FoundDeviceView[];
  /** Whether there is no sensor above; then these are not hidden. */
  readonly isOnly: boolean;
}) {
  const [isAll, setIsAll] = useState(false);
  const free = topics.filter(({ zoneIds }) => zoneIds.length === 0);
  if (free.length === 0 && devices.length === 0) return null;
  const shown = isAll ? free : free.slice(0, UNKNOWN_SHOWN);
  return (
    <details open={isOnly}>
      <summary>{t("found.unknown", { n: free.length + devices.length })}</summary>
      <p class="quiet">{t("found.unknownText")}</p>
      <ul class="items">
        {devices.map(({ id, name, model, lastMessage }) => (
          <li key={id}>
            <div class="grow stack tight">
              <b>{name}</b>
              <small>{[model, t("found.noValues")].filter(Boolean).join(" · ")}</small>
              {lastMessage && <Message message={lastMessage} />}
            </div>
          </li>
        ))}
        {shown.map((topic) => (
          <li key={topic.lastMessage.topic}>
            <div class="grow stack tight">
              <Message message={topic.lastMessage} />
              <a class="button" href="#/zones/form" onClick={() => take(draftOf(topic))}>
                {t("found.useTopic")} <span class="unseen">{topic.lastMessage.topic}</span>
              </a>
            </div>
          </li>
        ))}
      </ul>
      {shown.length < free.length && (
        <button type="button" onClick={() => setIsAll(true)}>
          {t("zones.showAll")}
        </button>
      )}
    </details>
  );
}

/** A message as it was received. */
function Message({ message: { topic, payload, at, isRetained } }: { readonly message: LastMessageView }) {
  return (
    <>
      <pre class="diff" tabIndex={0} aria-label={t("found.lastMessage")}>
        <span>{topic}</span>
        <span>{payload}</span>
      </pre>
      <small>
        {formatTime(at)} {isRetained && t("found.retained")}
      </small>
    </>
  );
}

function draftOf({ lastMessage, fields }: UnknownTopicView): ZoneDraft {
  const contact = likelyContact(fields);
  const path = contact?.path ?? undefined;
  const open = likelyOpen(contact);
  const input = { mqtt: lastMessage.topic, ...(path === undefined ? {} : { path }), open };
  const name = lastMessage.topic.split("/").pop() ?? lastMessage.topic;
  return { zone: { id: "", name, kind: "intrusion", input }, fields };
}

/** For a sensor that does not appear. */
function ByHand() {
  const start = { id: "", name: "", kind: "intrusion" };
  const ways = [
    ["found.byTopic", { mqtt: "", open: [true] }],
    ["found.byLine", { gpio: "", contact: "nc" }],
    ["found.simulated", { simulated: true }],
  ] as const;
  return (
    <section class="card" aria-label={t("found.missing")}>
      <h2>{t("found.missing")}</h2>
      <p class="quiet">{t("found.missingText")}</p>
      <div class="row">
        {ways.map(([key, input]) => (
          <a key={key} class="button" href="#/zones/form" onClick={() => take({ zone: { ...start, input } })}>
            {t(key)}
          </a>
        ))}
      </div>
    </section>
  );
}
