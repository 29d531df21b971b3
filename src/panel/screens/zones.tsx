import { useState } from "preact/hooks";
import type { SimulationView, ZoneView } from "../../http/site/zone-port.ts";
import { ask } from "../api.ts";
import { Badge } from "../badge.tsx";
import { Question } from "../dialog.tsx";
import { Choice, SearchField } from "../field.tsx";
import { folded } from "../fold.ts";
import { say } from "../language.ts";
import { zones } from "../live.ts";
import { sayMoment } from "../moments.ts";
import { attempt, tell } from "../notice.tsx";
import { mayOperate } from "../session.ts";
import { Table, type Column } from "../table.tsx";
import { TripLanes } from "../trip-lanes.tsx";
import type { WordKey } from "../words/catalogue.ts";
import { BypassDialog, isOut, restoreZone, ZoneRemarks } from "./zone-orders.tsx";

/** What a dialog is open about. */
interface Asked {
  readonly about: "trip" | "bypass";
  readonly zone: ZoneView;
}

type Filter = "" | ZoneView["contact"];

/** Every zone as it is now. */
export function ZonesScreen() {
  const [filter, setFilter] = useState<Filter>("");
  const [search, setSearch] = useState("");
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const close = (): void => setAsked(undefined);
  const shown = zones.value.filter(
    (zone) =>
      (filter === "" || zone.contact === filter) &&
      folded(`${zone.name} ${zone.id}`).includes(folded(search)),
  );
  return (
    <>
      <h1>{say("zones.title")}</h1>
      <div class="filters">
        <Choice
          label={say("zones.filter")}
          name="contact"
          value={filter}
          onChange={setFilter}
          options={[
            ["", say("app.all")],
            ["open", say("contact.open")],
            ["normal", say("contact.normal")],
            ["unknown", say("contact.unknown")],
          ]}
        />
        <SearchField text={search} find={setSearch} />
      </div>
      <Table caption={say("zones.title")} columns={columns(setAsked)} rows={shown} keyOf={({ id }) => id} />
      <TripLanes zones={shown} />
      {asked?.about === "trip" && <TestTrip zone={asked.zone} close={close} />}
      {asked?.about === "bypass" && <BypassDialog zone={asked.zone} close={close} />}
    </>
  );
}

function columns(askAbout: (asked: Asked) => void): Column<ZoneView>[] {
  const all: Column<ZoneView>[] = [
    { key: "name", title: say("zones.zone"), cell: ({ name }) => <strong>{name}</strong> },
    { key: "contact", title: say("zones.state"), cell: (zone) => <Contact zone={zone} /> },
    { key: "since", title: say("zones.since"), isShort: true, cell: ({ since }) => sayMoment(since) },
    {
      key: "source",
      title: say("zones.source"),
      isShort: true,
      cell: ({ source }) => say(`source.${source}`),
    },
  ];
  if (mayOperate())
    all.push({
      key: "actions",
      title: say("zones.actions"),
      cell: (zone) => <Actions zone={zone} askAbout={askAbout} />,
    });
  return all;
}

function Contact({ zone }: { readonly zone: ZoneView }) {
  const tone = { normal: "good", open: "bad", unknown: "warn" } as const;
  return (
    <>
      <Badge tone={tone[zone.contact]}>{say(`contact.${zone.contact}`)}</Badge>
      <ZoneRemarks zone={zone} />
    </>
  );
}

function Actions({ zone, askAbout }: { readonly zone: ZoneView; readonly askAbout: (asked: Asked) => void }) {
  const button = (word: WordKey, act: () => void) => (
    <button type="button" aria-label={`${say(word)} ${zone.name}`} onClick={act}>
      {say(word)}
    </button>
  );
  return (
    <div class="row">
      {isOut(zone)
        ? button("bypass.restore", () => void restoreZone(zone))
        : button("bypass.ask", () => askAbout({ about: "bypass", zone }))}
      {zone.contact === "open"
        ? button("zones.rest", () => void rest(zone))
        : button("zones.try", () => askAbout({ about: "trip", zone }))}
    </div>
  );
}

function TestTrip({ zone, close }: { readonly zone: ZoneView; readonly close: () => void }) {
  const trip = (): Promise<boolean> =>
    attempt(async () => {
      const { trips } = await simulate(zone, "open");
      tell(say("zones.tried", { zone: zone.name, n: trips.length }));
    });
  return (
    <Question
      title={say("zones.tryTitle", { zone: zone.name })}
      action={say("zones.tryDo")}
      act={trip}
      close={close}
    >
      <p>{say("zones.tryText")}</p>
    </Question>
  );
}

async function rest(zone: ZoneView): Promise<void> {
  await attempt(async () => {
    const { contact, unchangedBy } = await simulate(zone, "normal");
    if (contact === "normal") tell(say("zones.rested", { zone: zone.name }));
    else tell(say(unchangedBy === "sensor" ? "zones.sensor" : "zones.unsettled", { zone: zone.name }), true);
  });
}

/** Drives a zone as its contact would. @returns what came of it */
async function simulate({ id }: ZoneView, contact: "open" | "normal"): Promise<SimulationView> {
  const { body } = await ask<SimulationView>("/site/simulate", {
    method: "POST",
    body: { zone: id, contact },
  });
  return body;
}
