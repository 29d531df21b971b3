import { resolveProfiles, resolveZone } from "../domain/zone-rules.ts";
import type { Zone } from "../domain/zone.ts";
import { AppError } from "../domain/errors.ts";
import { validateConfiguration } from "../generated/configuration-validator.js";
import type { Config } from "./config.ts";
import { parseText, readText, valueOf } from "./parsed-text.ts";

/** What the text of the configuration file says of its zones; the configuration has only those that are watched. */
export interface WrittenZones {
  /** Whether the file has the option `zones`, and with entries. */
  readonly list: "none" | "empty" | "entries";
  readonly disabled: readonly Zone[];
}

/** Reads the zones of the file; those of `config` if it cannot be read now, or is invalid. */
export function writtenZones({ file, zones }: Pick<Config, "file" | "zones">): WrittenZones {
  const unread: WrittenZones = { list: zones.length > 0 ? "entries" : "none", disabled: [] };
  const value = file === null ? undefined : readValue(file);
  if (value === undefined || !validateConfiguration(value)) return unread;
  const profiles = resolveProfiles(value.profiles ?? {});
  const disabled = (value.zones ?? []).filter((zone) => zone.disabled === true);
  return {
    list: value.zones === undefined ? "none" : value.zones.length === 0 ? "empty" : "entries",
    disabled: disabled.flatMap((zone) => resolveZone(zone, profiles) ?? []),
  };
}

function readValue(file: string): unknown {
  try {
    const text = readText(file, "the configuration");
    return valueOf(parseText({ file, text }, { settings: [], warnings: [] }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}
