import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { ZoneKind } from "../../domain/zone.ts";
import type { ConfiguredZonesView } from "../../site/configuration-view.ts";
import { Badge } from "../badge.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { t, tCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { go } from "../route.ts";
import {
  draft,
  idFrom,
  inputOf,
  pendingChange,
  propose,
  type ZoneChange,
  type ZoneText,
  zonesOf,
} from "../zone-draft.ts";
import { kindIcon } from "../zone-look.ts";
import { StepHead } from "./step-head.tsx";

/** Edits of the list that are not saved: the zones as they would be, in their new order. */
export const zoneEdits = signal<readonly ZoneText[] | undefined>(undefined);

/** The zones as the file has them, disabled ones too: order, copy, disable, delete; saved together. */
export function ConfiguredZones({ site }: { readonly site: ConfiguredZonesView }) {
  const list = useRef<HTMLUListElement>(null);
  const configured = zonesOf(site);
  const shown = zoneEdits.value ?? configured;
  const changes = changesBetween(configured, shown);
  const edit = (zones: readonly ZoneText[]): void => {
    zoneEdits.value = zones;
  };
  const remove = (zone: ZoneText): void => {
    edit(shown.filter((one) => one !== zone));
    // The menu that was pressed is gone with its row.
    list.current?.focus();
  };
  return (
    <>
      <StepHead title={t("edit.title")} back="#/zones" />
      <p class="quiet">{t("edit.text", { file: site.file?.split("/").pop() ?? "" })}</p>
      {changes.length > 0 && <Unsaved changes={changes} />}
      <ul class="items rows" ref={list} tabIndex={-1} aria-label={t("edit.title")}>
        {shown.map((zone, index) => (
          <li key={idOf(zone)} data-zone={idOf(zone)}>
            <Row zone={zone} />
            <Menu label={t("edit.actions", { zone: nameOf(zone) })} staysOpen>
              <a class="button" href={`#/zones/form?zone=${idOf(zone)}`}>
                {t("edit.change")}
              </a>
              <a class="button" href="#/zones/form" onClick={() => copy(zone, configured)}>
                {t("edit.copy")}
              </a>
              <button type="button" onClick={() => edit(replaced(shown, zone, switched(zone)))}>
                {t(zone["disabled"] === true ? "edit.enable" : "edit.disable")}
              </button>
              <button type="button" disabled={index === 0} onClick={() => edit(moved(shown, index, -1))}>
                {t("edit.up")}
              </button>
              <button
                type="button"
                disabled={index === shown.length - 1}
                onClick={() => edit(moved(shown, index, 1))}
              >
                {t("edit.down")}
              </button>
              <button type="button" class="danger" onClick={() => remove(zone)}>
                {t("edit.delete")}
              </button>
            </Menu>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="quiet empty">{t("app.nothing")}</p>}
      <div class="row">
        <a class="button" href="#/zones/found">
          <Icon name="plus" />
          {t("edit.add")}
        </a>
      </div>
    </>
  );
}

function Row({ zone }: { readonly zone: ZoneText }) {
  const isDisabled = zone["disabled"] === true;
  const kind = zone.kind ?? "";
  return (
    <>
      <span class={isDisabled ? "disc s-off" : "disc s-link"}>
        <Icon name={kindIcon(kind as ZoneKind) ?? "siren"} />
      </span>
      <div class="grow">
        <b>{nameOf(zone)}</b>
        <small>{[tCode("choice.zone-kind", kind), sourceText(zone)].join(" · ")}</small>
      </div>
      {isDisabled && <Badge tone="off">{t("edit.disabled")}</Badge>}
    </>
  );
}

function Unsaved({ changes }: { readonly changes: readonly ZoneChange[] }) {
  const [problem, run] = useErrorMessage();
  const review = (): Promise<void> =>
    run(async () => {
      const proposal = await propose(changes);
      const zoneIds = changes.flatMap((change) => (change.action === "enable" ? [change.id] : []));
      pendingChange.value = { changes, proposal, zoneIds, back: "#/zones/edit" };
      go("#/zones/review");
    });
  return (
    <section class="box s-link" role="status">
      <p>{t("edit.unsaved", { n: changes.length })}</p>
      <ErrorMessage text={problem} />
      <div class="row">
        <button type="button" class="main" onClick={() => void review()}>
          {t("zoneForm.review")}
        </button>
        <button
          type="button"
          onClick={() => {
            zoneEdits.value = undefined;
          }}
        >
          {t("edit.discard")}
        </button>
      </div>
    </section>
  );
}

/** The changes from the configured zones to the wanted ones. */
function changesBetween(before: readonly ZoneText[], after: readonly ZoneText[]): ZoneChange[] {
  const kept = new Map(after.map((zone) => [idOf(zone), zone]));
  const changes = before.flatMap((zone): ZoneChange[] => {
    const id = idOf(zone);
    const wanted = kept.get(id);
    if (!wanted) return [{ action: "delete", id }];
    if (wanted["disabled"] === zone["disabled"]) return [];
    return [{ action: wanted["disabled"] === true ? "disable" : "enable", id }];
  });
  const ids = after.map(idOf);
  const inOrder = before.map(idOf).filter((id) => kept.has(id));
  return ids.join() === inOrder.join() ? changes : [...changes, { action: "order", ids }];
}

function idOf({ id }: ZoneText): string {
  return id ?? "";
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

function switched(zone: ZoneText): ZoneText {
  const { disabled, ...rest } = zone;
  return disabled === true ? rest : { ...zone, disabled: true };
}

function replaced(zones: readonly ZoneText[], zone: ZoneText, by: ZoneText): ZoneText[] {
  return zones.map((one) => (one === zone ? by : one));
}

function moved(zones: readonly ZoneText[], index: number, by: 1 | -1): ZoneText[] {
  const order = [...zones];
  const [zone] = order.splice(index, 1);
  if (zone) order.splice(index + by, 0, zone);
  return order;
}

/** Puts a copy into the form, to be added behind its original; the line or topic of the original has to be changed. */
function copy(zone: ZoneText, zones: readonly ZoneText[]): void {
  const name = t("edit.copyName", { name: nameOf(zone) });
  const next = zones[zones.findIndex((one) => idOf(one) === idOf(zone)) + 1];
  const id = idFrom(
    name,
    zones.map((one) => one.id),
  );
  draft.value = { zone: { ...zone, id, name }, ...(next ? { before: idOf(next) } : {}) };
}
