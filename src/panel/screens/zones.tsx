import { useState } from "preact/hooks";
import type { SimulationView, ZoneView } from "../../site/zone-view.ts";
import { request } from "../api.ts";
import { Badge } from "../badge.tsx";
import { ConfirmDialog } from "../dialog.tsx";
import { Choice, SearchField } from "../field.tsx";
import { folded } from "../search-folding.ts";
import { t } from "../i18n.ts";
import { zones } from "../live-updates.ts";
import { formatTime } from "../date-format.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";
import { mayOperate } from "../session.ts";
import { Table, type Column } from "../table.tsx";
import { ZoneHistory } from "../zone-timeline.tsx";
import type { MessageKey } from "../messages/catalogue.ts";
import { BypassDialog, isOutOfService, returnToService, ZoneStatusNotes } from "./zone-overrides.tsx";

/** The open dialog and its zone. */
interface OpenDialog {
  readonly action: "trip" | "bypass";
  readonly zone: ZoneView;
}

type Filter = "" | ZoneView["contact"];

/** The current state of every zone, with its actions. */
export function ZonesScreen() {
  const [filter, setFilter] = useState<Filter>("");
  const [search, setSearch] = useState("");
  const [dialog, setDialog] = useState<OpenDialog | undefined>(undefined);
  const close = (): void => setDialog(undefined);
  const shown = zones.value.filter(
    (zone) =>
      (filter === "" || zone.contact === filter) &&
      folded(`${zone.name} ${zone.id}`).includes(folded(search)),
  );
  return (
    <>
      <h1>{t("zones.title")}</h1>
      <div class="filters">
        <Choice
          label={t("zones.filter")}
          name="contact"
          value={filter}
          onChange={setFilter}
          options={[
            ["", t("app.all")],
            ["open", t("contact.open")],
            ["normal", t("contact.normal")],
            ["unknown", t("contact.unknown")],
          ]}
        />
        <SearchField text={search} find={setSearch} />
      </div>
      <Table caption={t("zones.title")} columns={columns(setDialog)} rows={shown} keyOf={({ id }) => id} />
      <ZoneHistory zones={shown} />
      {dialog?.action === "trip" && <TestTrip zone={dialog.zone} close={close} />}
      {dialog?.action === "bypass" && <BypassDialog zone={dialog.zone} close={close} />}
    </>
  );
}

function columns(openDialog: (dialog: OpenDialog) => void): Column<ZoneView>[] {
  const all: Column<ZoneView>[] = [
    { key: "name", title: t("zones.zone"), cell: ({ name }) => <strong>{name}</strong> },
    { key: "contact", title: t("zones.state"), cell: (zone) => <Contact zone={zone} /> },
    { key: "since", title: t("zones.since"), isShort: true, cell: ({ since }) => formatTime(since) },
    {
      key: "source",
      title: t("zones.source"),
      isShort: true,
      cell: ({ source }) => t(`source.${source}`),
    },
  ];
  if (mayOperate())
    all.push({
      key: "actions",
      title: t("zones.actions"),
      cell: (zone) => <Actions zone={zone} openDialog={openDialog} />,
    });
  return all;
}

function Contact({ zone }: { readonly zone: ZoneView }) {
  const tone = { normal: "good", open: "bad", unknown: "warn" } as const;
  return (
    <>
      <Badge tone={tone[zone.contact]}>{t(`contact.${zone.contact}`)}</Badge>
      <ZoneStatusNotes zone={zone} />
    </>
  );
}

function Actions({
  zone,
  openDialog,
}: {
  readonly zone: ZoneView;
  readonly openDialog: (dialog: OpenDialog) => void;
}) {
  const button = (label: MessageKey, act: () => void) => (
    <button type="button" aria-label={`${t(label)} ${zone.name}`} onClick={act}>
      {t(label)}
    </button>
  );
  return (
    <div class="row">
      {isOutOfService(zone)
        ? button("bypass.end", () => void returnToService(zone))
        : button("bypass.ask", () => openDialog({ action: "bypass", zone }))}
      {zone.contact === "open"
        ? button("zones.restore", () => void restoreContact(zone))
        : button("zones.testTrip", () => openDialog({ action: "trip", zone }))}
    </div>
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
      <p>{t("zones.testTripText")}</p>
    </ConfirmDialog>
  );
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
async function simulate({ id }: ZoneView, contact: "open" | "normal"): Promise<SimulationView> {
  const { body } = await request<SimulationView>("/site/simulate", {
    method: "POST",
    body: { zone: id, contact },
  });
  return body;
}
