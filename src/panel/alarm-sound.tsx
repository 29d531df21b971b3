import "./checkbox.css";
import { computed, signal } from "@preact/signals";
import { beep, prepareBeep } from "./beeper.ts";
import { t } from "./i18n.ts";
import { status } from "./live-updates.ts";

const KEY = "santinela.alarmSound";
/** Tones of one announcement: one alone is that of a tested zone. */
const TONES = 3;

/** The choice of the user, `on` or `off`; null before there is one. */
const chosen = signal(localStorage.getItem(KEY));

/** On at a dispatch centre until its user turns it off; at a site off until a user turns it on. */
const isWanted = computed(() =>
  chosen.value === null ? status.value?.role === "centre" : chosen.value === "on",
);

/** Whether the browser lets this page play sound. */
const isAllowed = signal(false);

/** Asks the browser for sound; it is granted during or after a press on this page. */
function prepare(): void {
  if (isWanted.value && !isAllowed.value) void prepareBeep().then(() => (isAllowed.value = true));
}

/** Any press on the page enables the sound, if it is wanted. @returns stops that */
export function prepareAtPress(): () => void {
  // One before, such as that of the sign-in, counts too.
  if (navigator.userActivation?.hasBeenActive) prepare();
  const presses = ["pointerup", "keydown"] as const;
  for (const press of presses) addEventListener(press, prepare);
  return () => {
    for (const press of presses) removeEventListener(press, prepare);
  };
}

/** Plays the sound of a new alarm, if it is wanted and the browser allows it. */
export function soundAlarm(): void {
  if (isWanted.value) beep(TONES);
}

/** The switch of the sound, and why there is none yet. It plays the sound once, so that the user knows it. */
export function AlarmSound() {
  const choose = (isOn: boolean): void => {
    chosen.value = isOn ? "on" : "off";
    localStorage.setItem(KEY, chosen.value);
    prepare();
    soundAlarm();
  };
  return (
    <label class="check alarm-sound">
      <input
        type="checkbox"
        checked={isWanted.value}
        onChange={(event) => choose(event.currentTarget.checked)}
      />{" "}
      <span>
        {t("newAlarms.sound")}
        {isWanted.value && !isAllowed.value && <small> {t("newAlarms.press")}</small>}
      </span>
    </label>
  );
}
