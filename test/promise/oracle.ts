import { CLASS_OF } from "./building.ts";
import { textOf } from "./play.ts";
import type { Story } from "./story.ts";

/** What a story shows against a rule, in words; empty when the rule was kept. */
export const RULES: Readonly<Record<string, (story: Story) => string[]>> = {
  "a trip that is told as merged or posted stands by its zone's name in a record": (story) =>
    story.trips.flatMap(({ about, state, zoneId, seq, interventionId }) => {
      if (about !== "trip" || (state !== "merged" && state !== "posted")) return [];
      const { name } = story.zone(zoneId);
      const texts = story.looks.flatMap(({ records }) =>
        records.filter(({ id }) => id === interventionId).map((record) => textOf(record)),
      );
      // A record that a person has deleted before anybody looked shows nothing.
      return texts.length === 0 || texts.some((text) => text.includes(name))
        ? []
        : [`trip ${seq} of "${name}" is ${state}, and intervention ${interventionId} never named it`];
    }),
  "a record is about zones of one class": (story) =>
    (story.looks.at(-1)?.records ?? []).flatMap((record) => {
      const named = story.week.building.zones.filter(({ name }) => textOf(record).includes(name));
      const classes = new Set(named.map(({ kind }) => CLASS_OF[kind]));
      return classes.size > 1 ? [`intervention ${record.id} is about ${[...classes].join(" and ")}`] : [];
    }),
};
