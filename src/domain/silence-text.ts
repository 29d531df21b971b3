import type { Locale } from "./trip-text.ts";

/** The texts about a silent site. Times are local times of the dispatch centre. */
export interface SilenceTexts {
  siteSilentName(site: string, time: string): string;
  siteSilentDescription(site: { readonly name: string; readonly ref: string; readonly time: string }): string;
  /** Added to the description while many sites are silent. */
  readonly siteSilentTogether: string;
  /** The line in the notes when it reports again. */
  siteReportsAgain(time: string): string;
}

export const SILENCE_TEXTS: Readonly<Record<Locale, SilenceTexts>> = {
  ro: {
    siteSilentName: (site, time) => `Locația nu mai comunică de la ${time}: ${site}`,
    siteSilentDescription: ({ name, ref, time }) =>
      `Locația ${name} (${ref}) nu mai comunică de la ${time}. Verificați alimentarea și conexiunea locației. Alarmele de acolo nu ajung la dispecerat.`,
    siteSilentTogether:
      "Mai multe locații nu mai comunică din același moment: verificați întâi furnizorul de comunicații.",
    siteReportsAgain: (time) => `Locația comunică din nou de la ${time}.`,
  },
  en: {
    siteSilentName: (site, time) => `Site silent since ${time}: ${site}`,
    siteSilentDescription: ({ name, ref, time }) =>
      `Site ${name} (${ref}) has not reported since ${time}. Check its power and its link. Its alarms do not reach the dispatch centre.`,
    siteSilentTogether: "Several sites are silent at the same time: check the network provider first.",
    siteReportsAgain: (time) => `The site has reported again since ${time}.`,
  },
};
