import type { Doubt } from "./doubt.ts";

/** Actions of buttons and keypads that call for help. */
const HELP = ["emergency", "panic", "sos", "help"];
/** Parts of the actions of a button; a remote control's are commands to a lamp, and a cube's are movements. */
const PRESSES = [
  "single",
  "double",
  "triple",
  "quadruple",
  "quintuple",
  "many",
  "hold",
  "long",
  "press",
  "pressed",
  "click",
  "push",
];
const PRESS_FORMS = ["initial", "short", "start"];
/** Parts of the actions of what is moved or struck, such as a cube or a sensor on a safe; it has no button. */
const MOVEMENTS = ["vibration", "movement", "strike", "throw"];
const RELEASES = ["release", "released"];

/** A button sends no release; seconds that are long enough for one press to be one trip. */
export const BUTTON_RESTORE_S = 30;

/** A button reports nothing between two presses: seconds after which it is missing, if its battery is supervised. */
export const PRESSED_WITHIN_S = 604_800;
/** What to do about that. */
export const WEEKLY: Doubt = { code: "supervised-weekly" };

/** The actions that call for help. */
export function callsIn(actions: readonly string[]): string[] {
  return having(actions, HELP);
}

/** The actions that are presses of a button, without its releases; none of what also reports movements. */
export function pressesIn(actions: readonly string[]): string[] {
  if (having(actions, MOVEMENTS).length > 0) return [];
  return having(withoutReleases(actions), PRESSES);
}

/** All actions but the releases of a button. */
export function withoutReleases(actions: readonly string[]): string[] {
  const released = having(actions, RELEASES);
  return actions.filter((action) => !released.includes(action));
}

/** The name of the button in a press, such as `left` in `left_double`; empty if there is none. */
export function buttonIn(press: string): string {
  return wordsIn(press)
    .filter((word) => !PRESSES.includes(word) && !PRESS_FORMS.includes(word))
    .join(" ");
}

function having(actions: readonly string[], sought: readonly string[]): string[] {
  return actions.filter((action) => wordsIn(action).some((word) => sought.includes(word)));
}

function wordsIn(action: string): string[] {
  return action.split(/[_ -]/);
}
