import { isMap, isScalar, stringify, type Pair, type Scalar, type YAMLMap } from "yaml";
import { canonical } from "../domain/zone-changes.ts";
import { cannotEdit, lineEndOf } from "./zones-source.ts";
import { documentOf, editedText, plainOf, type ZoneEdit } from "./zone-edits.ts";

/**
 * Options of `site` that can be changed here; an absent one stays as it is. The others decide which records are the site's own, or
 * how long they are kept.
 */
export interface SiteText {
  readonly name?: string;
  readonly timezone?: string;
  readonly locale?: string;
}

/** A change of the site. */
interface SiteEdit {
  readonly action: "site";
  readonly site: SiteText;
}

/** One change of the configuration file. */
export type ConfigurationEdit = ZoneEdit | SiteEdit;

/**
 * The text after the changes. All that is not changed stays as it is, to the byte.
 * @throws AppError `invalid` for an unknown zone, `conflict` if the text is invalid or uses what cannot be edited this way
 */
export function editedConfiguration(text: string, edits: readonly ConfigurationEdit[]): string {
  const zoneEdits = edits.filter((edit) => edit.action !== "site");
  const sited = edits.reduce(
    (before, edit) => (edit.action === "site" ? withSite(before, edit.site) : before),
    text,
  );
  return zoneEdits.length === 0 ? sited : editedText(sited, zoneEdits);
}

/**
 * The text with another `site.ref`; all else stays as it is, to the byte.
 * @throws AppError `conflict` as `editedConfiguration`
 */
export function withReference(text: string, ref: string): string {
  return withSite(text, { ref });
}

/** The options of `site` that a text has, as written. @throws AppError `conflict` as `editedConfiguration` */
export function siteTextIn(text: string): SiteText {
  return siteIn(optionsOf(text));
}

function withSite(text: string, site: SiteText | { readonly ref: string }): string {
  const changes = Object.entries(site);
  const result = changes.reduce((before, [option, value]) => withOption(before, option, value), text);
  const before = optionsOf(text);
  // What was written must be what was meant, whatever the form of the file.
  const expected = { ...before, site: { ...siteIn(before), ...site } };
  if (changes.length > 0 && canonical(optionsOf(result)) !== canonical(expected))
    throw cannotEdit("the section site is written in an unusual form");
  return result;
}

/** Replaces the value where it stands, or adds a line. */
function withOption(text: string, option: string, value: string): string {
  const { contents } = documentOf(text);
  const section = isMap(contents) ? contents.items.find((pair) => isOf(pair, "site")) : undefined;
  if (!section) {
    const end = lineEndOf(text);
    const above = text === "" || text.endsWith("\n") ? text : `${text}${end}`;
    return `${above}site:${end}  ${option}: ${written(value)}${end}`;
  }
  if (!isMap(section.value)) throw cannotEdit("site is not a section");
  const { items } = section.value;
  const present = items.find((pair) => isOf(pair, option))?.value;
  if (isScalar(present) && present.range) {
    if (present.value === value) return text;
    const [start, end] = present.range;
    return `${text.slice(0, start)}${written(value)}${text.slice(end)}`;
  }
  if (present !== undefined) throw cannotEdit(`site.${option} is not a text`);
  return withNewOption(text, section.value, `${option}: ${written(value)}`);
}

/** Adds an option before the first one of the section, in the form of the section. */
function withNewOption(text: string, section: YAMLMap, line: string): string {
  const first = section.items[0]?.key as Scalar | undefined;
  if (!first?.range) throw cannotEdit("site has no options");
  const [start] = first.range;
  if (section.flow === true) return `${text.slice(0, start)}${line}, ${text.slice(start)}`;
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return `${text.slice(0, start)}${line}${lineEndOf(text)}${indent}${text.slice(start)}`;
}

/** A value in the form of YAML, on one line; quoted inside braces too. */
function written(value: string): string {
  return stringify(value, {
    lineWidth: 0,
    defaultStringType: isPlain(value) ? "PLAIN" : "QUOTE_DOUBLE",
  }).trimEnd();
}

/** Whether a text needs no quotes, also inside braces. */
function isPlain(value: string): boolean {
  return /^[\p{L}\d][\p{L}\d ./+-]*$/u.test(value) && !value.endsWith(" ");
}

function isOf({ key }: Pair, name: string): boolean {
  return isScalar(key) && key.value === name;
}

/** @throws AppError `conflict` if the text is no configuration */
function optionsOf(text: string): Readonly<Record<string, unknown>> {
  const document = documentOf(text);
  const { contents } = document;
  if (contents === null) return {};
  if (!isMap(contents)) throw cannotEdit("it is not a list of options");
  return plainOf(document) as Readonly<Record<string, unknown>>;
}

function siteIn({ site }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return (site ?? {}) as Readonly<Record<string, unknown>>;
}
