/** MQTT topic filters (MQTT 3.1.1, chapter 4.7): `+` matches one level, `#` at the end all further levels. */

/** Whether a filter has wildcards. */
export function hasWildcard(filter: string): boolean {
  return filter.split("/").some((level) => level === "+" || level === "#");
}

/** Whether a topic matches a filter. Topics that begin with `$` match no wildcard at the first level. */
export function matchesFilter(topic: string, filter: string): boolean {
  const wanted = filter.split("/");
  const levels = topic.split("/");
  if (topic.startsWith("$") && !filter.startsWith("$")) return false;
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

/** Whether any topic matches both filters. */
export function overlap(one: string, other: string): boolean {
  const [first, second] = [one.split("/"), other.split("/")];
  for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
    const [a, b] = [first[index], second[index]];
    // "a/#" matches "a" as well.
    if (a === "#" || b === "#") return true;
    if (a === undefined || b === undefined) return false;
    if (a !== b && a !== "+" && b !== "+") return false;
  }
  return true;
}

/** Whether every topic that matches the narrow filter matches the wide one. */
export function covers(wide: string, narrow: string): boolean {
  if (narrow.startsWith("$") && !wide.startsWith("$")) return false;
  const [allowed, asked] = [wide.split("/"), narrow.split("/")];
  for (const [index, level] of allowed.entries()) {
    if (level === "#") return true;
    const given = asked[index];
    if (given === undefined || given === "#" || (level !== "+" && level !== given)) return false;
  }
  return allowed.length === asked.length;
}

/** Syntax error of a filter with the remedy; undefined if there is none. */
export function filterFormFault(filter: string): string | undefined {
  const levels = filter.split("/");
  if (levels.some((level) => level.length > 1 && /[+#]/.test(level)))
    return "+ and # must be whole levels, such as zigbee2mqtt/+/availability";
  const all = levels.indexOf("#");
  return all >= 0 && all < levels.length - 1 ? "# must be the last level" : undefined;
}

/** Levels without wildcards required before `#`, so that a filter does not match all devices. */
const LITERAL_LEVELS_BEFORE_ALL = 2;

/**
 * Error of a zone's filter with the remedy; undefined if there is none. Broad filters are rejected: with them, messages of
 * one sensor could hide the trip of another.
 */
export function filterFault(filter: string): string | undefined {
  const levels = filter.split("/");
  if (levels[0] === "$SYS")
    return "topics below $SYS are the broker's statistics. Use the topic of the sensor";
  if (levels[0] === "$share")
    return "a shared subscription delivers only some of the messages. Use the topic without $share and its group";
  const form = filterFormFault(filter);
  if (form !== undefined) return form;
  const all = levels.indexOf("#");
  const literal = levels.filter((level) => level !== "+" && level !== "#").length;
  if (all >= 0 && (levels.slice(0, -1).includes("+") || literal < LITERAL_LEVELS_BEFORE_ALL))
    return `at least ${LITERAL_LEVELS_BEFORE_ALL} levels without wildcards must precede #, such as alarm/hall/#`;
  return literal === 0 ? "at least one level must not be a wildcard, such as alarm/+" : undefined;
}
