import { isAlias, isMap, isSeq, visit, type YAMLMap, YAMLSeq, type Document, type Node } from "yaml";
import { AppError, messageOf } from "../domain/errors.ts";
import { canonical } from "../domain/zone-changes.ts";
import { parsedYaml } from "./parsed-text.ts";
import { aliasProblem } from "./yaml-bounds.ts";
import { cannotEdit, ZonesSource } from "./zones-source.ts";

/** A zone as the file has it. */
export type ZoneText = Readonly<Record<string, unknown>>;

/** One change of the zones; several are applied in order. */
export type ZoneEdit =
  | { readonly action: "add"; readonly zone: ZoneText; readonly before?: string }
  /** `zone` replaces the whole zone; its comments and the options that stay equal are kept. */
  | { readonly action: "change"; readonly id: string; readonly zone: ZoneText }
  | { readonly action: "copy"; readonly id: string; readonly newId: string; readonly name: string }
  | { readonly action: "disable" | "enable" | "delete"; readonly id: string }
  /** All zones in their new order. */
  | { readonly action: "order"; readonly ids: readonly string[] };

/** The zones of a configuration text as written, without defaults. @throws AppError `conflict` as `editedText` */
export function zonesIn(text: string): ZoneText[] {
  const { zones } = (plainOf(documentOf(text)) ?? {}) as { readonly zones?: ZoneText[] };
  return Array.isArray(zones) ? zones : [];
}

/**
 * The text after the changes. All that is not changed stays as it is, to the byte, and comments stay with their zones.
 * @throws AppError `invalid` for an unknown zone, `conflict` if the text is invalid or uses what cannot be edited this way
 */
export function editedText(text: string, edits: readonly ZoneEdit[]): string {
  const document = documentOf(text);
  const source = new ZonesSource(text, document);
  const zones = zonesOf(document);
  const touched = new Set<Node>();
  for (const edit of edits) apply(edit, zones, document, touched);
  const result = source.withItems(zones.items, touched);
  // What was written must be what was meant, whatever the form of the file.
  if (canonical(plainOf(documentOf(result))) !== canonical(plainOf(document)))
    throw cannotEdit("its form is unusual");
  return result;
}

/**
 * The values of a text as `documentOf` returns it.
 * @throws AppError `conflict` if a change has taken the anchor from an alias
 */
export function plainOf(document: Document): unknown {
  try {
    // Aliases are already limited by documentOf; the library's own limit counts differently.
    return document.toJS({ maxAliasCount: -1 });
  } catch (cause) {
    throw cannotEdit(messageOf(cause), cause);
  }
}

/**
 * A configuration text, parsed for a change. The file may have been edited since it was loaded.
 * @throws AppError `conflict` with the line for invalid YAML, too deep nesting, and an alias that cannot be resolved
 */
export function documentOf(text: string): Document {
  const { document, placeOf, errors } = parsedYaml(text, ({ line, col }) => `line ${line}, column ${col}`);
  const [error] = errors;
  if (error) throw cannotEdit(`${error.place}: ${error.message}`);
  const alias = aliasProblem(document);
  if (alias) throw cannotEdit(`${placeOf(alias.offset)}: ${alias.message}`);
  return document;
}

function zonesOf(document: Document): YAMLSeq<Node> {
  const { contents } = document;
  if (contents !== null && !isMap(contents)) throw cannotEdit("it is not a list of options");
  const zones: unknown = document.get("zones", true);
  if (isSeq<Node>(zones)) {
    if (zones.items.some((zone) => !isMap(zone))) throw cannotEdit("a zone is an alias");
    return zones;
  }
  if (isAlias(zones)) throw cannotEdit("zones is an alias");
  const created = new YAMLSeq<Node>();
  document.set("zones", created);
  return created;
}

function apply(edit: ZoneEdit, zones: YAMLSeq<Node>, document: Document, touched: Set<Node>): void {
  const { items } = zones;
  switch (edit.action) {
    case "add": {
      const at = edit.before === undefined ? items.length : indexOf(edit.before, items);
      items.splice(at, 0, newZone(edit.zone, document));
      return;
    }
    case "change": {
      const map = mapAt(edit.id, items);
      touched.add(map);
      return change(map, edit.zone, document);
    }
    case "copy": {
      const at = indexOf(edit.id, items);
      const copied = mapAt(edit.id, items);
      if (hasAlias(copied)) throw cannotEdit("the zone uses an alias");
      const copy = newZone({ ...(copied.toJSON() as ZoneText), id: edit.newId, name: edit.name }, document);
      items.splice(at + 1, 0, copy);
      return;
    }
    case "disable":
    case "enable": {
      const map = mapAt(edit.id, items);
      touched.add(map);
      if (edit.action === "disable") map.set("disabled", true);
      else map.delete("disabled");
      return;
    }
    case "delete":
      return void items.splice(indexOf(edit.id, items), 1);
    case "order": {
      const ordered = edit.ids.map((id) => mapAt(id, items));
      if (new Set(edit.ids).size !== items.length || edit.ids.length !== items.length)
        throw new AppError("invalid", "ids must be all zones, each once");
      zones.items = ordered;
    }
  }
}

function indexOf(id: string, items: readonly Node[]): number {
  const at = items.findIndex((item) => isMap(item) && item.get("id") === id);
  if (at < 0) throw new AppError("invalid", `unknown zone ${JSON.stringify(id)} in the configuration file`);
  return at;
}

function mapAt(id: string, items: readonly Node[]): YAMLMap {
  return items[indexOf(id, items)] as YAMLMap;
}

/** Sets only what differs, so that comments and the form of other options stay. */
function change(map: YAMLMap, wanted: ZoneText, document: Document): void {
  if (hasAlias(map)) throw cannotEdit("the zone uses an alias");
  const before = map.toJSON() as ZoneText;
  for (const key of Object.keys(before)) if (!Object.hasOwn(wanted, key)) map.delete(key);
  for (const [key, value] of Object.entries(wanted)) {
    if (Object.hasOwn(before, key) && canonical(before[key]) === canonical(value)) continue;
    const inner: unknown = map.get(key, true);
    // The comments inside a section are kept too.
    if (isMap(inner) && isPlainObject(value)) change(inner, value, document);
    else map.set(key, inFlow(document.createNode(value)));
  }
}

function hasAlias(node: Node): boolean {
  let found = false;
  visit(node, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** A zone with one line for each of its options. */
function newZone(zone: ZoneText, document: Document): Node {
  const map = document.createNode(zone) as YAMLMap;
  for (const { value } of map.items) inFlow(value as Node);
  return map;
}

function inFlow(node: Node): Node {
  if (isMap(node) || isSeq(node)) node.flow = true;
  return node;
}

function isPlainObject(value: unknown): value is ZoneText {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
