import { useRef } from "preact/hooks";
import type { ZoneKind } from "../../domain/zone.ts";
import type { ConfiguredZonesView } from "../../site/configuration-view.ts";
import { Act } from "../act.tsx";
import { Badge } from "../badge.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { zones } from "../live-updates.ts";
import { go, isAt, route } from "../route.ts";
import {
  draft,
  idFrom,
  inputOf,
  pendingChange,
  propose,
  type WantedChanges,
  type ZoneText,
  zonesOf,
} from "../zone-draft.ts";
import {
  changesBetween,
  editedZones,
  zoneTextId,
  isDisabled,
  listEdits,
  NO_EDITS,
  type ListEdits,
} from "../zone-list-edits.ts";
import { kindIcon } from "../zone-appearance.ts";
import { NotTested } from "../zone-tile.tsx";
import { StepHead } from "./step-head.tsx";
import { ZoneRowMenu } from "./zone-row-menu.tsx";

/** The zones as the file has them, disabled ones too: order, copy, disable, delete; saved together. */
export function ConfiguredZones({ site }: { readonly site: ConfiguredZonesView }) {
  const list = useRef<HTMLUListElement>(null);
  const configured = zonesOf(site);
  const edits = listEdits.value;
  const shown = editedZones(configured, edits);
  const changes = changesBetween(configured, shown);
  const edit = (change: Partial<ListEdits>): void => {
    const next = { ...edits, ...change };
    const isNone = changesBetween(configured, editedZones(configured, next)).length === 0;
    listEdits.value = isNone ? NO_EDITS : next;
  };
  const move = (index: number, by: 1 | -1): void => edit({ order: moved(shown.map(zoneTextId), index, by) });
  const toggle = (zone: ZoneText): void =>
    edit({ disabled: { ...edits.disabled, [zoneTextId(zone)]: !isDisabled(zone) } });
  const remove = (zone: ZoneText): void => {
    edit({ deleted: [...edits.deleted, zoneTextId(zone)] });
    // The menu that was pressed is gone with its row.
    list.current?.focus();
  };
  return (
    <>
      <StepHead title={t("edit.title")} back="#/zones" />
      <p class="quiet">{t("edit.text", { file: site.file?.split("/").pop() ?? "" })}</p>
      <ul
        class="items rows"
        hidden={shown.length === 0}
        ref={list}
        tabIndex={-1}
        aria-label={t("edit.title")}
      >
        {shown.map((zone, index) => (
          <li key={zoneTextId(zone)} data-zone={zoneTextId(zone)}>
            <Row zone={zone} />
            <ZoneRowMenu
              zone={zone}
              name={nameOf(zone)}
              moveUp={index === 0 ? undefined : () => move(index, -1)}
              moveDown={index === shown.length - 1 ? undefined : () => move(index, 1)}
              copy={() => copy(zone, configured)}
              toggle={() => toggle(zone)}
              remove={() => remove(zone)}
            />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="quiet empty">{t("guide.noZones")}</p>}
      <Elsewhere />
      {changes.length > 0 && <Unsaved edits={edits} count={changes.length} />}
    </>
  );
}

function Elsewhere() {
  return (
    <div class="row">
      <a class="button" href="#/zones/found">
        <Icon name="plus" />
        {t("edit.add")}
      </a>
      <a class="button" href="#/zones/earlier">
        <Icon name="history" />
        {t("earlier.title")}
      </a>
    </div>
  );
}

function Row({ zone }: { readonly zone: ZoneText }) {
  const kind = zone.kind ?? "";
  return (
    <>
      <span class={isDisabled(zone) ? "disc s-off" : "disc s-link"}>
        <Icon name={kindIcon(kind as ZoneKind) ?? "siren"} />
      </span>
      <div class="grow">
        <b>{nameOf(zone)}</b>
        <small>{[translateCode("choice.zone-kind", kind), sourceText(zone)].join(" · ")}</small>
        {isNotTested(zone) && <NotTested />}
      </div>
      {isDisabled(zone) && <Badge tone="off">{t("edit.disabled")}</Badge>}
    </>
  );
}

/** A disabled zone is not watched, so that it cannot be tested. */
function isNotTested(zone: ZoneText): boolean {
  return zones.value.find(({ id }) => id === zoneTextId(zone))?.testedAt === null;
}

function Unsaved({ edits, count }: { readonly edits: ListEdits; readonly count: number }) {
  const [problem, run] = useErrorMessage();
  const discard = (): void => {
    listEdits.value = NO_EDITS;
  };
  const review = (): Promise<void> =>
    run(async () => {
      const here = route.value;
      const wanted: WantedChanges = (zones) => changesBetween(zones, editedZones(zones, edits));
      const { changes, proposal } = await propose(wanted);
      if (!isAt(here)) return;
      const zoneIds = changes.flatMap((change) => (change.action === "enable" ? [change.id] : []));
      const forget = (): void => {
        if (listEdits.value === edits) discard();
      };
      pendingChange.value = { changes, proposal, wanted, of: edits, forget, zoneIds, back: "#/zones/edit" };
      go("#/zones/review");
    });
  return (
    <section class="always-in-view unsaved" role="status">
      <p>{t("edit.unsaved", { n: count })}</p>
      <ErrorMessage text={problem} />
      <div class="row">
        <Act class="main" onClick={() => void review()}>
          {t("zoneForm.review")}
        </Act>
        <button type="button" onClick={discard}>
          {t("edit.discard")}
        </button>
      </div>
    </section>
  );
}

function nameOf({ id, name }: ZoneText): string {
  return name ?? id ?? "";
}

/** Where the zone reads its contact, in one line. */
function sourceText(zone: ZoneText): string {
  const { gpio, chip, mqtt, path, dc09, adc, channel, supply, simulated } = inputOf(zone);
  if (gpio !== undefined) return `GPIO ${chip === undefined ? "" : `${chip}/`}${gpio}`;
  if (mqtt !== undefined) return [mqtt, path].filter(Boolean).join(" ");
  if (dc09 !== undefined) return `${t("source.dc09")} ${dc09}`;
  if (adc !== undefined) return `${adc}/${channel ?? ""}`;
  if (supply !== undefined) return t("source.supply");
  return simulated === true ? t("source.simulated") : "";
}

function moved(ids: readonly string[], index: number, by: 1 | -1): string[] {
  const order = [...ids];
  order.splice(index + by, 0, ...order.splice(index, 1));
  return order;
}

/** Puts a copy into the form, to be added behind its original; the line or topic of the original has to be changed. */
function copy(zone: ZoneText, zones: readonly ZoneText[]): void {
  const name = t("edit.copyName", { name: nameOf(zone) });
  const next = zones[zones.findIndex((one) => zoneTextId(one) === zoneTextId(zone)) + 1];
  const id = idFrom(
    name,
    zones.map((one) => one.id),
  );
  draft.value = { zone: { ...zone, id, name }, ...(next ? { before: zoneTextId(next) } : {}) };
}
