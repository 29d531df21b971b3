import type { ConfigurationErrorView } from "../site/configuration-view.ts";

/** Errors of the zones of a configuration by option, such as `input.gpio`. */
export type OptionErrors = Readonly<Record<string, string>>;

/** An output is at fault before a zone; in the form of the zone, its own line is. */
const LINE_OF_OUTPUT =
  /^outputs\[\d+\]\.gpio: (line .+ is used by output .+) and by (the gate of )?zone (\S+)(\. .+)$/;

/**
 * The errors that concern the zone at this place of the list; an error of the whole zone has the key "". The file was valid
 * before the change: where only other zones have errors, such as a line that both use, those concern this one too.
 */
export function errorsOfZone(
  errors: readonly ConfigurationErrorView[],
  index: number,
  zoneId: string | undefined,
): OptionErrors {
  const [own, others]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const { message } of errors) {
    const [, used, gate, user, remedy] = LINE_OF_OUTPUT.exec(message) ?? [];
    if (used !== undefined && user === zoneId)
      own[gate === undefined ? "input.gpio" : "gate"] = `${used}${remedy}`;
    const [, at, option = "", text] = /^zones\[(\d+)\]\.?([^:]*): ([^]*)$/.exec(message) ?? [];
    if (text === undefined) continue;
    // An option that is missing has no place of its own.
    const [, missing = ""] = /^(\w+) is missing/.exec(text) ?? [];
    const key = [option.replace(/\[\d+\].*$/, ""), missing].filter((part) => part !== "").join(".");
    const found = Number(at) === index ? own : others;
    found[key] = [...(found[key] === undefined ? [] : [found[key]]), text].join("; ");
  }
  return Object.keys(own).length > 0 ? own : others;
}

/** The error of an option, or of one inside it. */
export function errorOf(errors: OptionErrors, option: string): string | undefined {
  const key = Object.keys(errors).find((one) => one === option || one.startsWith(`${option}.`));
  return key === undefined ? undefined : errors[key];
}
