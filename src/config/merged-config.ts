import { isMap, isSeq, type Document } from "yaml";
import type { Config } from "./config.ts";
import { isLoopback } from "./mqtt.ts";
import type { SetupAnswers } from "./setup-questions.ts";
import { parseBounded } from "./yaml-bounds.ts";
import { editedText, zonesIn, type ZoneText } from "./zone-edits.ts";

/** The sections that the questions of the set-up ask about. */
export type SetupSections = Pick<Config, "site" | "http" | "upstream" | "mqtt" | "zones">;

/** What an installation would answer today, so that the set-up continues where it stands. */
export function currentAnswers({ site, http, upstream, mqtt, zones }: SetupSections): SetupAnswers {
  const broker: SetupAnswers =
    mqtt.mode === "external"
      ? { "broker-url": mqtt.url, "broker-username": mqtt.credentials?.username ?? "" }
      : {};
  const centre: SetupAnswers = upstream
    ? { "centre-url": upstream.baseUrl, "centre-email": upstream.email }
    : {};
  return {
    "site-name": site.name,
    "site-ref": site.ref,
    timezone: site.timezone,
    language: site.locale,
    network: isLoopback(http.host) ? "this-machine" : "network",
    centre: upstream ? "yes" : "no",
    ...centre,
    broker: mqtt.mode,
    ...broker,
    // The first zone is there already.
    ...(zones.length > 0 ? { zone: "none" } : {}),
  };
}

/**
 * The text of an existing configuration with the answers of the set-up in it. It keeps every zone, the broker, the address,
 * the password files and all comments: the set-up adds, and changes the site and the centre.
 * @param drafted the configuration that the answers alone would give
 * @throws AppError `conflict` if the text is invalid or cannot be changed by a program
 */
export function mergeSetupAnswers(text: string, drafted: string): string {
  const draft = (parseBounded(drafted).document.toJS() ?? {}) as Readonly<Record<string, unknown>>;
  const known = new Set(zonesIn(text).map(({ id }) => id));
  const zones = ((draft["zones"] ?? []) as readonly ZoneText[]).filter(({ id }) => !known.has(id));
  const withZones =
    zones.length === 0
      ? text
      : editedText(
          text,
          zones.map((zone) => ({ action: "add", zone })),
        );
  const { document } = parseBounded(withZones);
  if (document.contents === null) return drafted;
  for (const section of ["site", "upstream"]) merge(document, section, draft[section]);
  for (const section of ["http", "mqtt"])
    if (!document.has(section) && section in draft && draft[section] !== "off")
      document.set(section, document.createNode(draft[section]));
  addObjectives(document, draft["objectives"]);
  return document.toString({ lineWidth: 0 });
}

/** Sets the given options of a section, and keeps all others. */
function merge(document: Document, section: string, given: unknown): void {
  if (given === undefined || given === null) return;
  if (!isMap(document.get(section))) {
    document.set(section, document.createNode(given));
    return;
  }
  for (const [option, value] of Object.entries(given)) {
    const place = [section, option];
    // The password is where the installation has put it.
    if (document.getIn(place) !== value && !(option === "passwordFile" && document.hasIn(place)))
      document.setIn(place, value);
  }
}

function addObjectives(document: Document, given: unknown): void {
  for (const [type, list] of Object.entries(
    (given ?? {}) as Readonly<Record<string, readonly { id: number }[]>>,
  ))
    for (const objective of list) {
      const place = ["objectives", type];
      const known: unknown = document.getIn(place);
      if (!isSeq(known)) document.setIn(place, document.createNode([objective]));
      else if (!known.items.some((item) => isMap(item) && item.get("id") === objective.id))
        known.add(document.createNode(objective));
    }
}
