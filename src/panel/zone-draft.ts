import { signal } from "@preact/signals";
import type {
  ConfigurationProposalView,
  ConfiguredZonesView,
  EarlierConfigurationProposalView,
} from "../site/configuration-view.ts";
import type { ContactGuessView, DoubtView, UnknownTopicView } from "../site/discovery-view.ts";
import { request } from "./api.ts";
import { folded } from "./search-folding.ts";

/** A zone as the configuration file has it; in a form it may lack any option. */
export interface ZoneText {
  readonly id?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly whenArmedOpen?: string;
  readonly [option: string]: unknown;
}

/** The input of a zone as the configuration file has it. */
export interface InputText {
  readonly gpio?: number;
  readonly chip?: string;
  readonly contact?: string;
  readonly bias?: string;
  readonly mqtt?: string;
  readonly path?: string;
  readonly dc09?: string;
  readonly adc?: string;
  readonly channel?: number;
  readonly [option: string]: unknown;
}

/** One change of the configured zones or of the site, as `POST /site/configuration/proposal` takes it. */
export type ZoneChange =
  | { readonly action: "add"; readonly zone: ZoneText; readonly before?: string }
  | { readonly action: "change"; readonly id: string; readonly zone: ZoneText }
  | { readonly action: "disable" | "enable" | "delete"; readonly id: string }
  | { readonly action: "order"; readonly ids: readonly string[] }
  | { readonly action: "site"; readonly site: SiteText };

/** New values of the site's options. */
export interface SiteText {
  readonly name?: string;
  readonly timezone?: string;
  readonly locale?: string;
}

/** The zone in the form. */
export interface ZoneDraft {
  readonly zone: ZoneText;
  /** Id of the configured zone that it changes; undefined for a new one. */
  readonly changes?: string;
  /** The configured zone when the form was opened: only options that differ from it are changed. */
  readonly original?: ZoneText;
  /** A new zone as it was put into the form: what differs from it was entered. */
  readonly start?: ZoneText;
  /** A new zone is added before this one; at the end without it. */
  readonly before?: string;
  /** What to check before it is used. */
  readonly doubts?: readonly DoubtView[];
  /** Values of the last message that the zone could read. */
  readonly fields?: UnknownTopicView["fields"];
  /** What these would be as its contact. */
  readonly guesses?: readonly ContactGuessView[];
  /** Sections as typed that are not JSON, by option: they are kept until they are. */
  readonly unread?: Readonly<Record<string, string>>;
  /** Whether the id no longer follows the name. */
  readonly hasOwnId?: boolean;
  /** Of a new zone: as it was sent to be saved, each time that there was no response. The file may have it. */
  readonly sent?: ZoneText[];
}

/** The zones as the file has them, as last read; undefined before. */
export const configuredZones = signal<ConfiguredZonesView | undefined>(undefined);

/** Kept while the user looks at the difference and returns. */
export const draft = signal<ZoneDraft | undefined>(undefined);

/** Increases with every saved change. */
export const savedChanges = signal(0);

/** What a user wants, as changes of the zones that the file has by now: it may have others than when the user began. */
export type WantedChanges = (zones: readonly ZoneText[]) => readonly ZoneChange[];

/** Changes to the file, and what they would do to it. */
export interface Proposed {
  readonly changes: readonly ZoneChange[];
  readonly proposal: ConfigurationProposalView;
}

/** Changes whose difference is shown before they are saved. */
export interface PendingChange extends Proposed {
  readonly wanted: WantedChanges;
  /** Name of the earlier text of the file that is returned to, instead of changes. */
  readonly earlier?: string;
  /** The draft or the edits that it was made of. */
  readonly of: unknown;
  /** Forgets the form or the edits that it was made of; not what the user has entered since. */
  readonly forget: () => void;
  /** Called when there is no response to saving it: the file may have it. */
  readonly noteUnanswered?: () => void;
  /** Ids of the zones to open once after it. */
  readonly zoneIds: readonly string[];
  /** Address of the screen that it comes from. */
  readonly back: string;
  /** Address after it is saved; without it the zones are shown. */
  readonly next?: string;
}

/** What was entered of the site, until it is saved; undefined if that is what the file has. */
export const siteDraft = signal<{ readonly back: string; readonly site: Required<SiteText> } | undefined>(
  undefined,
);

/** The change that the daemon verifies now: its form may be left. */
export const savingChange = signal<PendingChange | undefined>(undefined);

export const pendingChange = signal<PendingChange | undefined>(undefined);

/** Changes the zone in the form; undefined removes an option. */
export function setOptions(options: Readonly<Record<string, unknown>>): void {
  if (!draft.value) return;
  draft.value = { ...draft.value, zone: withoutEmpty({ ...draft.value.zone, ...options }) };
}

/** Options that the user has not entered: a name from the sensor, the only building. */
export function proposeOptions(options: Readonly<Record<string, unknown>>): void {
  setOptions(options);
  const { zone, start } = draft.value ?? {};
  if (draft.value && zone) draft.value = { ...draft.value, start: { ...(start ?? zone), ...options } };
}

/** Gives a new zone an id that does not follow its name any longer. */
export function setOwnId(id: string): void {
  setOptions({ id });
  if (draft.value) draft.value = { ...draft.value, hasOwnId: true };
}

/** Changes the input of the zone in the form; undefined removes an option. */
export function setInput(options: Readonly<Record<string, unknown>>): void {
  setOptions({ input: withoutEmpty({ ...inputOf(draft.value?.zone ?? {}), ...options }) });
}

/** Keeps what was typed for a section as long as it is not JSON; undefined forgets it. */
export function keepUnread(option: string, text: string | undefined): void {
  if (!draft.value) return;
  const { [option]: _former, ...others } = draft.value.unread ?? {};
  draft.value = { ...draft.value, unread: text === undefined ? others : { ...others, [option]: text } };
}

/** The input of a zone. */
export function inputOf({ input }: ZoneText): InputText {
  return (input ?? {}) as InputText;
}

/** The zones of the file; it is valid, so that each has its texts. */
export function zonesOf({ zones }: Pick<ConfiguredZonesView, "zones">): readonly ZoneText[] {
  return zones;
}

/** Values that mean open and normal, as far as a message tells them. */
export function meaningOf(
  guess: ContactGuessView | undefined,
): Partial<Pick<ContactGuessView, "open" | "normal">> {
  if (!guess || guess.open.length === 0) return {};
  return { open: guess.open, ...(guess.normal.length > 0 ? { normal: guess.normal } : {}) };
}

/** Options without those that have no value. */
export function withoutEmpty(options: Readonly<Record<string, unknown>>): ZoneText {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined && value !== ""),
  );
}

/** What the changes would do to the file as it is now. @throws ApiError */
export async function propose(wanted: WantedChanges): Promise<Proposed> {
  const { body } = await request<ConfiguredZonesView>("/site/configuration/zones");
  const { zones } = body;
  const changes = wanted(zonesOf(body));
  if (changes.length === 0) {
    // The file has them already, such as those of another user.
    const nothing = { diff: "", errors: [], warnings: [], needsRestart: [], applied: [] };
    return { changes, proposal: { ...nothing, hash: body.hash ?? "", zones } };
  }
  const order = { hash: body.hash, changes };
  const answer = await request<ConfigurationProposalView>("/site/configuration/proposal", {
    method: "POST",
    body: order,
  });
  return { changes, proposal: answer.body };
}

/** What a return to an earlier text would do to the file as it is now. @throws ApiError */
export async function proposeReturn(name: string): Promise<Proposed> {
  const path = `/site/configuration/earlier/${encodeURIComponent(name)}`;
  const { body } = await request<EarlierConfigurationProposalView>(path);
  return { changes: [], proposal: body };
}

/** A short id from a name, that no configured zone has. */
export function idFrom(name: string, used: readonly unknown[]): string {
  const base =
    folded(name)
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 56) || "zone";
  let id = base;
  for (let next = 2; used.includes(id); next += 1) id = `${base}-${next}`;
  return id;
}

/** An option as text: a list of values separated by commas, as JSON where that would be ambiguous. */
export function valuesText(values: unknown): string {
  if (!Array.isArray(values)) return "";
  const plain = values.map((value) => String(value)).join(", ");
  return JSON.stringify(valuesIn(plain)) === JSON.stringify(values) ? plain : JSON.stringify(values);
}

/** The values of a text: `true, 1, ON` or a list in JSON; undefined for none. */
export function valuesIn(text: string): unknown[] | undefined {
  if (text.trim().startsWith("[")) {
    const list = jsonIn(text);
    if (Array.isArray(list)) return list;
  }
  const values = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (values.length === 0) return undefined;
  return values.map((part) => (/^(true|false|-?\d+(\.\d+)?)$/.test(part) ? jsonIn(part) : part));
}

/** The value of a JSON text; undefined if it is not one. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
