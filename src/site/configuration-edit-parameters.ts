import type { ConfigurationEdit, SiteText } from "../config/site-edits.ts";
import type { ZoneText } from "../config/zone-edits.ts";
import { isFields } from "../domain/discovery/values.ts";
import { AppError } from "../domain/errors.ts";

/** More than a person does before looking at the result; a site has at most 256 zones. */
const EDITS_MAX = 300;

const SITE_OPTIONS: readonly string[] = ["name", "timezone", "locale"] satisfies (keyof SiteText)[];

const FORMS =
  '{"action": "add", "zone"}, {"action": "change", "id", "zone"}, {"action": "copy", "id", "newId", "name"}, {"action": "disable", "enable" or "delete", "id"}, {"action": "order", "ids"} or {"action": "site", "site": {"name", "timezone", "locale"}}';

/** The `changes` of a request, in their order. @throws AppError `invalid` for anything else */
export function configurationEditsOf(changes: unknown): ConfigurationEdit[] {
  if (!Array.isArray(changes) || changes.length === 0 || changes.length > EDITS_MAX)
    throw new AppError("invalid", `changes must be a list of 1 to ${EDITS_MAX}: ${FORMS}`);
  return changes.map((change, index) => {
    const edit = isFields(change) ? editOf(change) : undefined;
    if (!edit) throw new AppError("invalid", `changes[${index}] must be ${FORMS}`);
    return edit;
  });
}

function editOf(change: Readonly<Record<string, unknown>>): ConfigurationEdit | undefined {
  const { action, id, zone, before, newId, name, ids, site } = change;
  switch (action) {
    case "add":
      if (!isZone(zone) || (before !== undefined && typeof before !== "string")) return undefined;
      return before === undefined ? { action, zone } : { action, zone, before };
    case "change":
      return typeof id === "string" && isZone(zone) ? { action, id, zone } : undefined;
    case "copy":
      return typeof id === "string" && typeof newId === "string" && typeof name === "string"
        ? { action, id, newId, name }
        : undefined;
    case "disable":
    case "enable":
    case "delete":
      return typeof id === "string" ? { action, id } : undefined;
    case "order":
      return Array.isArray(ids) && ids.every((one) => typeof one === "string") ? { action, ids } : undefined;
    case "site":
      return isSite(site) ? { action, site } : undefined;
    default:
      return undefined;
  }
}

function isSite(site: unknown): site is SiteText {
  return (
    isFields(site) &&
    Object.entries(site).every(
      ([option, value]) => SITE_OPTIONS.includes(option) && typeof value === "string",
    )
  );
}

function isZone(zone: unknown): zone is ZoneText {
  return isFields(zone);
}
