import "../plan.css";
import type { PlanView } from "../../site/plan-view.ts";
import type { ZoneView } from "../../site/zone-view.ts";
import { useQuery } from "../api.ts";
import { formatTime } from "../date-format.ts";
import { EmptyState } from "../empty-state.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { Journey } from "../journey.tsx";
import { journalVersion, zones } from "../live-updates.ts";
import { Pending } from "../notice.tsx";
import { PlanPicture, Pin } from "../plan-picture.tsx";
import { addressWith, go, route } from "../route.ts";
import { mayAdminister, mayOperate } from "../session.ts";
import { isInAlarm, lookInAlarm, planLook, workOf } from "../zone-alarm.ts";
import { inOrderOfUrgency } from "../zone-order.ts";
import { ZoneTile } from "../zone-tile.tsx";
import { PlanEditor } from "./plan-editor.tsx";
import { NewPlan } from "./plan-upload.tsx";

/** The floor plans with the state of each zone in its place, and the same zones as tiles below. */
export function PlanScreen() {
  const { item = "", action } = route.value;
  // Edited is what the daemon has now, never what an earlier screen has read.
  return <Plans key={action === "edit" ? item : ""} />;
}

function Plans() {
  const { item, action } = route.value;
  // Pins that another administrator places appear; an editor learns of them when it saves.
  const version = action === "edit" ? 0 : journalVersion.value;
  const { response, error, reload } = useQuery<PlanView[]>("/site/plans", version);
  if (!response)
    return (
      <>
        <h1>{t("nav.plan")}</h1>
        <Pending error={error} reload={reload} />
      </>
    );
  const plans = response.body;
  if (item === "new" && mayAdminister()) return <NewPlan done={reload} />;
  const asked = route.value.query["zone"];
  const plan =
    plans.find(({ id }) => String(id) === item) ??
    plans.find(({ pins }) => pins.some(({ zone }) => zone === asked)) ??
    plans.find(hasAlarm) ??
    plans[0];
  if (!plan) return <NoPlan />;
  // Of a bookmark, or deleted by another administrator: the list has just been read.
  if (action === "edit" && String(plan.id) !== item) return <NoSuchPlan />;
  if (action === "edit" && mayAdminister()) return <PlanEditor key={plan.id} plan={plan} done={reload} />;
  return <ShownPlan plans={plans} plan={plan} />;
}

function ShownPlan({ plans, plan }: { readonly plans: readonly PlanView[]; readonly plan: PlanView }) {
  const placed = zonesOn(plan);
  const selected = zones.value.find(({ id }) => id === route.value.query["zone"]);
  const select = (zone: string): void => go(`#/plan/${plan.id}?zone=${encodeURIComponent(zone)}`);
  const elsewhere = new Set(plans.flatMap(({ pins }) => pins.map(({ zone }) => zone)));
  const unplaced = zones.value.filter(({ id }) => !elsewhere.has(id));
  return (
    <>
      <div class="head">
        <h1>{t("nav.plan")}</h1>
        {mayAdminister() && (
          <div class="actions">
            <a class="button" href={`#/plan/${plan.id}/edit`}>
              <Icon name="pencil" />
              <span class="wide-word">{t("plan.edit")}</span>
            </a>
            <a class="button" href="#/plan/new">
              <Icon name="plus" />
              <span class="wide-word">{t("plan.add")}</span>
            </a>
          </div>
        )}
      </div>
      {plans.length > 1 && <Floors plans={plans} plan={plan} />}
      <div class="split">
        <PlanPicture plan={plan} label={t("plan.of", { name: plan.name })}>
          {plan.pins.map((pin) => {
            const zone = placed.find(({ id }) => id === pin.zone);
            return (
              zone && (
                <Pin
                  key={pin.zone}
                  pin={pin}
                  look={planLook(zone)}
                  label={`${zone.name}: ${planLook(zone).word}`}
                  isSelected={zone === selected}
                  press={() => select(zone.id)}
                />
              )
            );
          })}
        </PlanPicture>
        <div class="stack">
          {selected && <Selected key={selected.id} zone={selected} />}
          <Tiles title={t("plan.zonesHere")} of={placed} />
          <Tiles title={t("plan.unplaced")} of={unplaced} />
        </div>
      </div>
    </>
  );
}

/** One button for each floor; the number is that of its zones in alarm. */
function Floors({ plans, plan }: { readonly plans: readonly PlanView[]; readonly plan: PlanView }) {
  return (
    <div class="chips" role="group" aria-label={t("plan.floor")}>
      {plans.map((one) => {
        const alarms = zonesOn(one).filter(isInAlarm).length;
        return (
          <button
            type="button"
            key={one.id}
            aria-pressed={one.id === plan.id}
            onClick={() => go(`#/plan/${one.id}`)}
          >
            {one.name}
            {alarms > 0 && (
              <span class="badge s-alarm">
                <Icon name="siren" />
                {alarms} <span class="unseen">{t("plan.alarms")}</span>
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}

/** The zone of the pressed pin, with the way of its alarm. */
function Selected({ zone }: { readonly zone: ZoneView }) {
  const { tone, icon, word } = lookInAlarm(zone);
  const meaning = tone === undefined ? "" : `s-${tone}`;
  const { journey, interventionId } = workOf(zone);
  return (
    <section class="card" aria-live="polite">
      <div class="row">
        <span class={`disc ${meaning}`}>
          <Icon name={icon} />
        </span>
        <div class="grow">
          <h2 class="title">{zone.name}</h2>
          <p>
            <span class={`word ${meaning}`}>{word}</span>{" "}
            <small>{t("status.since", { time: formatTime(zone.since) })}</small>
          </p>
        </div>
      </div>
      {journey && <Journey journey={journey} />}
      <div class="row">
        {interventionId !== null && mayOperate() && (
          <a class="button main" href={`#/interventions/${interventionId}`}>
            {t("plan.intervention", { id: interventionId })}
          </a>
        )}
        <a class="button" href={`#/zones?zone=${encodeURIComponent(zone.id)}`}>
          <Icon name="ellipsis" />
          {t("zones.actions")}
        </a>
      </div>
    </section>
  );
}

function Tiles({ title, of }: { readonly title: string; readonly of: readonly ZoneView[] }) {
  if (of.length === 0) return null;
  return (
    <section class="stack tight">
      <h2>{title}</h2>
      <ul class="tiles">
        {inOrderOfUrgency(of, (zone) => lookInAlarm(zone).tone).map((zone) => (
          <li key={zone.id}>
            <ZoneTile zone={zone} href={addressWith({ zone: zone.id })} lookOf={lookInAlarm} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a floor plan is for, before there is one, and the zones that it would show. */
function NoPlan() {
  return (
    <>
      <h1>{t("nav.plan")}</h1>
      <EmptyState drawing={<Drawing />} text={t("plan.none")}>
        {mayAdminister() ? (
          <a class="button main" href="#/plan/new">
            {t("plan.upload")}
          </a>
        ) : (
          <p class="quiet">{t("plan.askAdministrator")}</p>
        )}
      </EmptyState>
      <Tiles title={t("plan.unplaced")} of={zones.value} />
    </>
  );
}

/** Three rooms with a zone in each; one of them is in alarm. */
function Drawing() {
  return (
    <span class="plan-drawing" aria-hidden="true">
      <svg viewBox="0 0 200 112">
        <path d="M2 2h196v108h-196zM96 2v36M96 62v48M96 50h34M154 50h44" />
      </svg>
      <span class="disc s-fine">
        <Icon name="door-closed" />
      </span>
      <span class="disc s-alarm">
        <Icon name="flame" />
      </span>
      <span class="disc">
        <Icon name="footprints" />
      </span>
    </span>
  );
}

/** Instead of the editor, for a plan that does not exist. */
function NoSuchPlan() {
  return (
    <>
      <h1>{t("nav.plan")}</h1>
      <EmptyState icon="map" text={t("plan.missing")}>
        <a class="button main" href="#/plan">
          {t("plan.toPlans")}
        </a>
      </EmptyState>
    </>
  );
}

function zonesOn({ pins }: PlanView): readonly ZoneView[] {
  return pins.flatMap((pin) => zones.value.find(({ id }) => id === pin.zone) ?? []);
}

function hasAlarm(plan: PlanView): boolean {
  return zonesOn(plan).some(isInAlarm);
}
