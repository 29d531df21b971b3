/** Sound and vibration for those who do not look at the page: trips during a walk test, new alarms. */

const BEEP_S = 0.15;
const PITCH_HZ = 880;
const VIBRATION_MS = 200;

let context: AudioContext | undefined;

/**
 * Enables sound. Browsers allow this only in a click handler, so it cannot wait for the first trip.
 * @returns when the browser allows it; before, there is no sound
 */
export function prepareBeep(): Promise<void> {
  context ??= new AudioContext();
  return context.resume();
}

/** Whether sound is enabled on this page. */
export function hasSound(): boolean {
  return context !== undefined;
}

/** Plays short tones; does nothing before `prepareBeep`. */
export function beep(tones = 1): void {
  if (!context) return;
  for (let n = 0; n < tones; n += 1) {
    const beginS = context.currentTime + 2 * n * BEEP_S;
    const tone = context.createOscillator();
    tone.frequency.value = PITCH_HZ;
    tone.connect(context.destination);
    tone.start(beginS);
    tone.stop(beginS + BEEP_S);
  }
}

/** Vibrates once, if the device can. */
export function vibrate(): void {
  if ("vibrate" in navigator) navigator.vibrate(VIBRATION_MS);
}
