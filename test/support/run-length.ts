/**
 * How much of a test that could go on for ever is done: little in `npm test`, any amount by `npm run faults` and `npm run soak`,
 * which set these variables.
 */
export const RUN_LENGTH = {
  /** Times that the daemon is killed. */
  cycles: numberOf("PROOF_CYCLES", 10),
  /** Random schedules of faults. */
  schedules: numberOf("PROOF_SCHEDULES", 2),
  /** Records that are made while the disk's calls are recorded. */
  writes: numberOf("PROOF_WRITES", 30),
  /** The share of the calls after which the power goes; given in per cent. */
  crashShare: numberOf("PROOF_CRASHES", 4) / 100,
  /** Damaged images of a data folder. */
  images: numberOf("PROOF_IMAGES", 16),
  /** Whether the disk fails at each call in turn, and not only at some. */
  everyCall: numberOf("PROOF_EVERY_CALL", 0) > 0,
  /** Whether the foreign centre's slow habits are played. */
  foreign: numberOf("PROOF_FOREIGN", 0),
  /** How long the site works in the soak. */
  soakSeconds: numberOf("PROOF_SOAK_SECONDS", 8),
  /** How long a daemon is attacked at least; an attack ends once what is waited for has been seen. */
  attackSeconds: numberOf("PROOF_ATTACK_SECONDS", 0),
  /** The first seed; a run with the same one does the same. */
  seed: numberOf("PROOF_SEED", 1),
} as const;

function numberOf(name: string, usual: number): number {
  const text = process.env[name];
  if (text === undefined) return usual;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a number and is ${text}`);
  return Number(text);
}

/** Says what a long run has seen; `npm test` stays quiet. */
export function report(line: string): void {
  if (Object.keys(process.env).some((name) => name.startsWith("PROOF_"))) process.stdout.write(`${line}\n`);
}
