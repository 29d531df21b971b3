import { computed } from "@preact/signals";
import type { TimelineEntry } from "../site/timeline-view.ts";
import { daemonNowMs, minute } from "./clock.ts";
import { siteDay } from "./date-format.ts";
import { eventSentence } from "./event-sentence.ts";
import { language } from "./i18n.ts";
import { keptTexts } from "./kept-texts.ts";
import { status, zones } from "./live-updates.ts";
import { folded } from "./search-folding.ts";

/** Changes with all that the sentence of an entry depends on besides the entry. */
const wording = computed(() => {
  void minute.value;
  const { role, site } = status.value ?? {};
  const named = zones.value.map(({ id, name, kind }) => [id, name, kind]);
  return JSON.stringify([language.value, role, site?.timezone, siteDay(daemonNowMs()), named]);
});

const textOf = keptTexts((entry: TimelineEntry) => {
  const { event, who, from, subject } = entry;
  const { text, note } = eventSentence(entry);
  return folded([text, note, event, who, from, subject].join(" "));
});

/** Finds entries by a text of their sentences and fields. */
export function eventSearch(wanted: string): (entry: TimelineEntry) => boolean {
  const text = folded(wanted);
  const words = wording.value;
  return (entry) => textOf(entry, words).includes(text);
}
