import type { TripCause } from "./zone-step.ts";

/** Text about the opening of a zone before its trip was detected. @param since local time; null if unknown */
type SinceText = (cause: TripCause, since: string | null) => string;

/** Of a contact that was open already, and of a sensor that has reported its opening late. */
export const SINCE_TEXTS: Readonly<Record<"ro" | "en", SinceText>> = {
  ro: (cause, since) => {
    if (since === null) return "era deschisă";
    return cause === "standing" ? `deschisă de la ${since}` : `raportată cu întârziere, produsă la ${since}`;
  },
  en: (cause, since) => {
    if (since === null) return "was open";
    return cause === "standing" ? `open since ${since}` : `reported late, occurred at ${since}`;
  },
};
