/** Sound and vibration for trips during a walk test, for a technician who does not look at the phone. */

const BEEP_S = 0.15;
const PITCH_HZ = 880;
const VIBRATION_MS = 200;

let context: AudioContext | undefined;

/** Enables sound. Browsers allow this only in a click handler, so it cannot wait for the first trip. */
export function prepareBeep(): void {
  context ??= new AudioContext();
  void context.resume();
}

/** Whether sound is enabled on this page. */
export function hasSound(): boolean {
  return context !== undefined;
}

/** Plays one short tone; does nothing before `prepareBeep`. */
export function beep(): void {
  if (!context) return;
  const tone = context.createOscillator();
  tone.frequency.value = PITCH_HZ;
  tone.connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + BEEP_S);
}

/** Vibrates once, if the device can. */
export function vibrate(): void {
  if ("vibrate" in navigator) navigator.vibrate(VIBRATION_MS);
}
