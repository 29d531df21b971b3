import "../facts.css";
import "../actions-list.css";
import { useState } from "preact/hooks";
import type { SimulationView, ZoneView } from "../../site/zone-view.ts";
import { Act } from "../act.tsx";
import { ConfirmDialog, Dialog } from "../dialog.tsx";
import { formatTime } from "../date-format.ts";
import { hasDestination } from "../destination.ts";
import { t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { postOnce } from "../idempotency-key.ts";
import { loopText } from "../loop-text.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";
import { useObjectiveNames } from "../objective-names.ts";
import { PlanLink } from "../plan-link.tsx";
import { mayAdminister, mayOperate } from "../session.ts";
import { useIsPhone } from "../width.ts";
import { zoneAppearance } from "../zone-appearance.ts";
import { ZoneTrips } from "../zone-trips.tsx";
import { ZoneSource } from "./zone-source.tsx";
import {
  BypassDialog,
  contactText,
  isOutOfService,
  returnToService,
  ServiceText,
  ZoneFaults,
} from "./zone-overrides.tsx";

/** One zone: its state in words, its last day or week, whether a trip would be sent now, and the actions on it. */
export function ZoneSheet({ zone, close }: { readonly zone: ZoneView; readonly close: () => void }) {
  const { tone, icon, word, since } = zoneAppearance(zone);
  const meaning = tone === undefined ? "" : `s-${tone}`;
  return (
    <Dialog
      title={zone.name}
      isSheet
      onCancel={close}
      head={(titleId) => (
        <div class="sheet-head">
          <span class={`disc ${meaning}`}>
            <Icon name={icon} />
          </span>
          <div class="grow">
            <h2 id={titleId}>{zone.name}</h2>
            <p>
              <span class={`word ${meaning}`}>{word}</span>{" "}
              {since !== null && <small>{t("status.since", { time: formatTime(since) })}</small>}
            </p>
          </div>
          <button type="button" class="plain" aria-label={t("app.close")} onClick={close}>
            <Icon name="x" />
          </button>
        </div>
      )}
    >
      {zone.unnamedValue !== null && (
        <p class="box s-attention">{t("zones.unnamedValue", { value: zone.unnamedValue })}</p>
      )}
      <Trips zone={zone} />
      <dl class="facts">
        <ZoneState zone={zone} />
        <dt>{t("zones.kind")}</dt>
        <dd>{translateCode("choice.zone-kind", zone.kind)}</dd>
        <ZoneSource zone={zone} />
        {zone.loop && (
          <>
            <dt>{t("loop.title")}</dt>
            <dd>{loopText(zone.loop)}</dd>
          </>
        )}
        {zone.battery && (
          <>
            <dt>{t("zones.battery")}</dt>
            <dd>
              {t("zones.batteryLevel", {
                n: Math.round(zone.battery.percent),
                time: formatTime(zone.battery.at),
              })}
            </dd>
          </>
        )}
        <dt>{t("zones.objective")}</dt>
        <dd>
          <ObjectiveName zone={zone} />
        </dd>
      </dl>
      <PlanLink zones={[zone.id]} />
      {mayOperate() && <Actions zone={zone} />}
    </Dialog>
  );
}

/** On a phone they would push the actions below the screen. */
function Trips({ zone: { id, name } }: { readonly zone: ZoneView }) {
  const trips = <ZoneTrips id={id} name={name} />;
  if (!useIsPhone()) return trips;
  return (
    <details>
      <summary>{t("zoneTrips.title")}</summary>
      {trips}
    </details>
  );
}

/** Its contact, whether a trip is dispatched, and its faults. */
function ZoneState({ zone }: { readonly zone: ZoneView }) {
  return (
    <>
      <dt>{t("zones.contact")}</dt>
      <dd>{contactText(zone)}</dd>
      <dt>{t("zones.ifTripped")}</dt>
      <dd>
        <ServiceText zone={zone} />
      </dd>
      {zone.faults.length > 0 && (
        <>
          <dt>{t("zones.faults")}</dt>
          <dd>
            <ZoneFaults faults={zone.faults} />
          </dd>
        </>
      )}
    </>
  );
}

/** What the crew is sent to: by its name, which a viewer may not read. */
function ObjectiveName({ zone: { objective } }: { readonly zone: ZoneView }) {
  const place = { objectiveType: objective.type, objectiveId: objective.id };
  const nameOf = useObjectiveNames(mayOperate() ? [place] : []);
  return <>{nameOf(place)}</>;
}

function Actions({ zone }: { readonly zone: ZoneView }) {
  const [asked, setAsked] = useState<"bypass" | "trip" | undefined>(undefined);
  const close = (): void => setAsked(undefined);
  return (
    <>
      <ul class="actions-list">
        <li>
          {isOutOfService(zone) ? (
            <Act onClick={() => void returnToService(zone)}>
              <Icon name="play" />
              {t("bypass.end")}
            </Act>
          ) : (
            <Act onClick={() => setAsked("bypass")}>
              <Icon name="pause" />
              {t("bypass.ask")}
            </Act>
          )}
        </li>
        <li>
          {zone.contact === "open" ? (
            <Act onClick={() => void restoreContact(zone)}>
              <Icon name="check" />
              {t("zones.restore")}
            </Act>
          ) : (
            <Act onClick={() => setAsked("trip")}>
              <Icon name="flask-conical" />
              {t("zones.testTrip")}
            </Act>
          )}
        </li>
        <li>
          <a href={`#/events?zone=${encodeURIComponent(zone.id)}`}>
            <Icon name="history" />
            {t("zones.history")}
          </a>
        </li>
        {mayAdminister() && (
          <li>
            <a href={`#/zones/form?zone=${encodeURIComponent(zone.id)}`}>
              <Icon name="pencil" />
              {t("zones.change")}
            </a>
          </li>
        )}
      </ul>
      {asked === "trip" && <TestTrip zone={zone} close={close} />}
      {asked === "bypass" && <BypassDialog zone={zone} close={close} />}
    </>
  );
}

function TestTrip({ zone, close }: { readonly zone: ZoneView; readonly close: () => void }) {
  const trip = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const { trips } = await simulate(zone, "open");
      showNotice(t("zones.tripped", { zone: zone.name, n: trips.length }));
    });
  return (
    <ConfirmDialog
      title={t("zones.testTripTitle", { zone: zone.name })}
      action={t("zones.testTripDo")}
      act={trip}
      close={close}
    >
      <p>{testTripText(zone)}</p>
    </ConfirmDialog>
  );
}

/** What a test trip causes now. */
function testTripText({ disposition }: ZoneView): string {
  if (disposition !== "waiting")
    return t("zones.testTripSuppressed", { disposition: t(`disposition.${disposition}`) });
  return t(hasDestination() ? "zones.testTripText" : "zones.testTripHere");
}

async function restoreContact(zone: ZoneView): Promise<void> {
  await runWithErrorNotice(async () => {
    const { contact, unchangedBy } = await simulate(zone, "normal");
    if (contact === "normal") showNotice(t("zones.restored", { zone: zone.name }));
    else
      showNotice(
        t(unchangedBy === "sensor" ? "zones.openBySensor" : "zones.notRestored", { zone: zone.name }),
        true,
      );
  });
}

/** Simulates the contact of a zone. @returns the result */
function simulate({ id }: ZoneView, contact: "open" | "normal"): Promise<SimulationView> {
  return postOnce("/site/simulate", { zone: id, contact }, `zone ${id}`);
}
