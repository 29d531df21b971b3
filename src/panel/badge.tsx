import type { ComponentChildren } from "preact";
import type { HeadlineLevel } from "../domain/headline.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

/**
 * The seven meanings of a colour, see tokens.css. `fine`: proved, such as arrived. `off`: neutral. `test`: never
 * dispatched. `link`: selected or from elsewhere.
 */
export type Tone = "alarm" | "fault" | "attention" | "fine" | "off" | "test" | "link";

/** The meaning of each level of the headline. */
export const LEVEL_TONES: Readonly<Record<HeadlineLevel, Tone>> = {
  alarm: "alarm",
  fault: "fault",
  attention: "attention",
  well: "fine",
};

/** An icon for each meaning, for readers who do not see colours. */
export const TONE_ICONS: Readonly<Record<Tone, IconName>> = {
  alarm: "siren",
  fault: "triangle-alert",
  attention: "circle-alert",
  fine: "check",
  off: "circle-slash",
  test: "clipboard-check",
  link: "link",
};

/** A word with the colour and icon of its meaning. @param icon default: that of the meaning */
export function Badge({
  tone,
  icon = TONE_ICONS[tone],
  children,
}: {
  readonly tone: Tone;
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) {
  return (
    <span class={`badge s-${tone}`}>
      <Icon name={icon} />
      <span>{children}</span>
    </span>
  );
}
