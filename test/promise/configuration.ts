import { LIFE_SAFETY, type Building, type GateKind, type PlayedZone } from "./building.ts";

/** Changes of the configuration since the installation. */
export interface Changes {
  /** Zones that are currently not configured. */
  readonly absent: ReadonlySet<string>;
  /** Number of renames by zone. */
  readonly renamed: ReadonlyMap<string, number>;
  /** Number of changes by zone of an option that does not affect its readings. */
  readonly changed: ReadonlyMap<string, number>;
}

interface Addresses {
  readonly broker: number;
  readonly centre: string;
}

/** Configuration of the site. */
export function configurationOf(building: Building, at: Addresses, changes: Changes): string {
  const { locale, zones } = building;
  return JSON.stringify({
    dataDir: "./site",
    site: { name: "Hala Nord", ref: "hala-nord", timezone: "Europe/Bucharest", locale },
    http: { port: 0 },
    gpio: { backend: "simulated" },
    mqtt: { url: `mqtt://127.0.0.1:${at.broker}`, clientId: "hala-nord" },
    upstream: {
      baseUrl: at.centre,
      email: "hala@site.example",
      passwordFile: "./upstream.password",
      objectives: "off",
    },
    objectives: { "obiective/cladiri": [1, 2].map((id) => ({ id, name: `Clădirea ${id}` })) },
    zones: zones.filter(({ id }) => !changes.absent.has(id)).map((zone) => zoneOf(building, zone, changes)),
  });
}

/** An invalid configuration that must have no effect. @param nth index of the error */
export function brokenConfigurationOf(
  building: Building,
  at: Addresses,
  changes: Changes,
  nth: number,
): string {
  const text = configurationOf(building, at, changes);
  const mistakes = [
    () => text.slice(0, -20),
    () => "",
    () => text.replace('"kind":"fire"', '"kind":"smoke"'),
    () => text.replace("./upstream.password", "./another.password"),
    () => text.replace('"id":"z1"', '"id":"z0"'),
  ];
  return (mistakes[nth % mistakes.length] ?? ((): string => ""))();
}

function zoneOf({ zones, exitDelaysS }: Building, zone: PlayedZone, changes: Changes): object {
  const { id, name, kind, objective, isPulse, isSwinger, entryDelayS } = zone;
  const renamed = changes.renamed.get(id) ?? 0;
  const exit = exitDelaysS[zone.gate];
  const gate = gateOf(zone.gate);
  const confirming = (zone.confirmWith?.zones ?? []).filter(
    (each) => !changes.absent.has(each) && zones.some((other) => other.id === each),
  );
  return {
    id,
    name: renamed === 0 ? name : `${name} nr. ${renamed + 1}`,
    kind,
    objective: { type: "obiective/cladiri", id: objective },
    input: inputOf(zone),
    ...(zone.style === "review" ? { device: id } : {}),
    ...(isPulse ? { autoRestoreS: 30 } : {}),
    // One incident shuts a zone down, except a life safety zone.
    swinger: isSwinger || LIFE_SAFETY.has(kind) ? { maxTrips: 1 } : false,
    ...(gate === undefined ? {} : { gate: { ...gate, ...(exit === undefined ? {} : { exitDelayS: exit }) } }),
    ...(entryDelayS === 0 ? {} : { entryDelayS }),
    ...(confirming.length === 0
      ? {}
      : { confirmWith: { zones: confirming, withinS: zone.confirmWith?.withinS } }),
    unavailableGraceS: 60 + (changes.changed.get(id) ?? 0),
  };
}

function gateOf(gate: GateKind): object | undefined {
  const gates: Record<GateKind, object | undefined> = {
    always: undefined,
    schedule: { schedule: "mon-sun 18:00-07:00" },
    mqtt: { mqtt: "panel/state", path: "/armed", open: [true], normal: [false] },
    gpio: { gpio: 27, contact: "nc" },
  };
  return gates[gate];
}

function inputOf({ id, topic, field, line, style, isPulse }: PlayedZone): object {
  if (topic === undefined) return { gpio: line, contact: "nc" };
  if (style === "input")
    return {
      mqtt: topic,
      path: "/state",
      where: [{ path: "/id", in: [line] }],
      open: ["on"],
      normal: ["off"],
    };
  if (style === "review")
    return {
      mqtt: topic,
      path: "/type",
      where: [
        { path: "/after/camera", in: [id] },
        { path: "/after/test", exists: false },
      ],
      open: ["new", "update"],
      normal: ["end"],
      dedupe: { path: "/after/id" },
    };
  return { mqtt: topic, path: `/${field}`, open: [false], ...(isPulse ? {} : { normal: [true] }) };
}
