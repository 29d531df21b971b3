/**
 * MQTT topic filters (MQTT 3.1.1, chapter 4.7): `+` stands for one level, `#` at the end for all that follow.
 */

/** Whether a filter takes in more than one topic. */
export function hasWildcard(filter: string): boolean {
  return filter.split("/").some((level) => level === "+" || level === "#");
}

/** Whether a topic falls under a filter. What starts with `$` is the broker's own and falls under no wildcard. */
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

/** Whether there is a topic that falls under both filters. */
export function overlap(one: string, other: string): boolean {
  const [first, second] = [one.split("/"), other.split("/")];
  for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
    const [a, b] = [first[index], second[index]];
    // "a/#" takes in "a" as well.
    if (a === "#" || b === "#") return true;
    if (a === undefined || b === undefined) return false;
    if (a !== b && a !== "+" && b !== "+") return false;
  }
  return true;
}

/** Whether every topic that falls under the narrow filter falls under the wide one. */
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

/** What is wrong with the form of a filter, as a sentence with the remedy; undefined when nothing is. */
export function filterFormFault(filter: string): string | undefined {
  const levels = filter.split("/");
  if (levels.some((level) => level.length > 1 && /[+#]/.test(level)))
    return "+ and # stand for whole levels, such as zigbee2mqtt/+/availability";
  const all = levels.indexOf("#");
  return all >= 0 && all < levels.length - 1 ? "# can only be the last level" : undefined;
}

/** Levels that must be spelt out before a `#`, so that no filter takes in a whole house. */
const LITERAL_LEVELS_BEFORE_ALL = 2;

/**
 * What is wrong with a filter, as a sentence with the remedy; undefined when nothing is. Broad filters are refused: with
 * them one sensor's messages cost another its trip.
 */
export function filterFault(filter: string): string | undefined {
  const levels = filter.split("/");
  if (levels[0] === "$SYS") return "below $SYS the broker speaks of itself. Write the topic of the sensor";
  if (levels[0] === "$share")
    return "of a shared subscription only a part of the messages comes. Write the topic without $share and its group";
  const form = filterFormFault(filter);
  if (form !== undefined) return form;
  const all = levels.indexOf("#");
  const literal = levels.filter((level) => level !== "+" && level !== "#").length;
  if (all >= 0 && (levels.slice(0, -1).includes("+") || literal < LITERAL_LEVELS_BEFORE_ALL))
    return `before # at least ${LITERAL_LEVELS_BEFORE_ALL} levels must be spelt out, such as alarm/hall/#`;
  return literal === 0 ? "at least one level must be spelt out, such as alarm/+" : undefined;
}
