import { isAlias, isMap, isScalar, isSeq, type Document, type YAMLMap } from "yaml";

/** Former names of zone options, accepted for one release. `section` is the map of the zone that contains the option. */
const RENAMED_ZONE_OPTIONS: readonly {
  readonly section?: string;
  readonly former: string;
  readonly name: string;
}[] = [
  { former: "lostGraceS", name: "unavailableGraceS" },
  { former: "silenceS", name: "supervisionTimeoutS" },
  { former: "slowOk", name: "allowSlow" },
  { former: "bootSettleS", name: "powerUpDelayS" },
  { section: "swinger", former: "quietResetS", name: "resetAfterQuietS" },
];

/** A former name in a configuration file. */
interface FormerOption {
  /** Offset of the name in the text. */
  readonly offset: number;
  /** The option's path, what is wrong and the remedy. */
  readonly message: string;
  /** Whether the new name is set as well. */
  readonly isDuplicate: boolean;
}

/** Replaces former option names in a parsed document. @returns the replaced names, and those set under both names */
export function renameFormerOptions(document: Document): FormerOption[] {
  const zones = resolved(document, document.get("zones", true));
  if (!isSeq(zones)) return [];
  return zones.items.flatMap((item, index) => {
    const zone = resolved(document, item);
    return RENAMED_ZONE_OPTIONS.flatMap(({ section, former, name }) => {
      if (!isMap(zone)) return [];
      const map = section === undefined ? zone : resolved(document, zone.get(section, true));
      if (!isMap(map)) return [];
      const path = `zones[${index}].${section === undefined ? "" : `${section}.`}${former}`;
      return renameKey(map, former, name, path);
    });
  });
}

function renameKey(map: YAMLMap, former: string, name: string, path: string): FormerOption[] {
  const key = map.items.map((pair) => pair.key).find((each) => isScalar(each) && each.value === former);
  if (!isScalar(key)) return [];
  const offset = key.range?.[0] ?? 0;
  if (map.has(name)) {
    const message = `${path}: ${former} is the former name of ${name}, which is set as well. Remove ${former}`;
    return [{ offset, message, isDuplicate: true }];
  }
  key.value = name;
  const message = `${path}: ${former} is now called ${name}; the next release rejects the old name. Rename it to ${name}`;
  return [{ offset, message, isDuplicate: false }];
}

function resolved(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}
