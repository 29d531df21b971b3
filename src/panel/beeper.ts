/** What a technician hears and feels of a trip while the phone is in a pocket. */

const BEEP_S = 0.15;
const PITCH_HZ = 880;
const SHAKE_MS = 200;

let context: AudioContext | undefined;

/** Gets sound ready. A browser only allows it in answer to a press, so the first beep cannot wait for the first trip. */
export function prepareBeep(): void {
  context ??= new AudioContext();
  void context.resume();
}

/** One short tone; nothing where sound was never made ready. */
export function beep(): void {
  if (!context) return;
  const tone = context.createOscillator();
  tone.frequency.value = PITCH_HZ;
  tone.connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + BEEP_S);
}

/** One short shake, where the device can. */
export function shake(): void {
  if ("vibrate" in navigator) navigator.vibrate(SHAKE_MS);
}
