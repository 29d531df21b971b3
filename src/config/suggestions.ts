/** No name is longer, and comparing a text of a whole file would take seconds. */
const NAME_LENGTH_MAX = 64;

/** Suggests the closest known name, otherwise lists all. */
export function nearest(key: string, known: readonly string[]): string {
  return didYouMean(key, known) ?? `Known here: ${known.join(", ")}`;
}

/** `Did you mean …?` with the closest known name; undefined if none is close. */
export function didYouMean(key: string, known: readonly string[]): string | undefined {
  const name = closest(key, known);
  return name === undefined ? undefined : `Did you mean ${name}?`;
}

/** The closest known name; undefined if none is close. */
export function closest(key: string, known: readonly string[]): string | undefined {
  if (key.length > NAME_LENGTH_MAX) return undefined;
  const longer = known.find((name) => key.length > 2 && name.toLowerCase().startsWith(key.toLowerCase()));
  if (longer !== undefined) return longer;
  const close = known
    .map((name) => ({ name, distance: editDistance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  // Two short names of which every letter differs have a small distance as well.
  const isClose =
    close &&
    close.distance <= Math.max(2, key.length / 3) &&
    close.distance < Math.min(key.length, close.name.length);
  return isClose ? close.name : undefined;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries())
      next.push(
        Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    row = next;
  }
  return row[to.length] ?? 0;
}

/** A misspelt zone is at most this many letters away; more would suggest another city. */
const ZONE_DISTANCE_MAX = 2;

/** The closest IANA time zone, or zones with the same city; undefined if none is close. */
export function nearestTimeZone(name: string): string | undefined {
  const known = Intl.supportedValuesOf("timeZone");
  const city = name.split("/").at(-1)?.replaceAll(" ", "_").toLowerCase() ?? "";
  const distance = (zone: string): number =>
    Math.min(
      editDistance(name.toLowerCase(), zone.toLowerCase()),
      // Without its continent, or with another one.
      city.length > 3 ? editDistance(city, zone.split("/").at(-1)?.toLowerCase() ?? "") : Infinity,
    );
  const [first] = known
    .map((zone) => ({ zone, distance: distance(zone) }))
    .sort((a, b) => a.distance - b.distance);
  return first && first.distance <= ZONE_DISTANCE_MAX ? first.zone : undefined;
}
