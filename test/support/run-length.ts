/**
 * Length of open-ended tests: short in `npm test`, any length with `npm run faults` and `npm run soak`, which
 * set these variables.
 */
export const RUN_LENGTH = {
  /** Number of kills. */
  cycles: numberOf("PROOF_CYCLES", 10),
  /** Number of random fault schedules. */
  schedules: numberOf("PROOF_SCHEDULES", 2),
  /** Number of records created while disk calls are recorded. */
  writes: numberOf("PROOF_WRITES", 30),
  /** Fraction of the calls with a power cut after them; the variable is in per cent. */
  crashShare: numberOf("PROOF_CRASHES", 4) / 100,
  /** Number of damaged images of a data directory. */
  images: numberOf("PROOF_IMAGES", 16),
  /** Whether the disk fails at each call in turn, not only at a sample. */
  everyCall: numberOf("PROOF_EVERY_CALL", 0) > 0,
  /** Whether the slow tests with the third-party dispatch centre run. */
  foreign: numberOf("PROOF_FOREIGN", 0),
  /** Duration of the soak test, and the time between two restarts of its site; 0: no restarts. */
  soakSeconds: numberOf("PROOF_SOAK_SECONDS", 8),
  soakRestartS: numberOf("PROOF_SOAK_RESTART_S", 1800),
  /** Minimum duration of an attack; it ends once the expected effect is seen. */
  attackSeconds: numberOf("PROOF_ATTACK_SECONDS", 0),
  /** Number of random requests, all of which are sent. */
  attackRequests: numberOf("PROOF_ATTACK_REQUESTS", 500),
  /** Sites of the simulated fleet, how many more are real daemons, and for how many seconds they are observed. */
  fleetSites: numberOf("PROOF_FLEET_SITES", 60),
  fleetDaemons: numberOf("PROOF_FLEET_DAEMONS", 1),
  fleetSeconds: numberOf("PROOF_FLEET_SECONDS", 6),
  /** Interval of their reports in seconds. */
  fleetReportS: numberOf("PROOF_FLEET_REPORT_S", 10),
  /** Records of each site that arrive together, and the seconds in which each has an alarm. */
  fleetRecords: numberOf("PROOF_FLEET_RECORDS", 5),
  fleetStormS: numberOf("PROOF_FLEET_STORM_S", 10),
  /** Whether the database of the fleet is two servers, of which the leader fails. */
  fleetPair: numberOf("PROOF_FLEET_PAIR", 0) > 0,
  /** Alarm panels, and the alarms of all of them. */
  panels: numberOf("PROOF_PANELS", 40),
  events: numberOf("PROOF_EVENTS", 480),
  /** The first seed; runs with the same seed are identical. */
  seed: numberOf("PROOF_SEED", 1),
} as const;

function numberOf(name: string, usual: number): number {
  const text = process.env[name];
  if (text === undefined) return usual;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a number and is ${text}`);
  return Number(text);
}

/** Prints results of a long run; silent in `npm test`. */
export function report(line: string): void {
  if (Object.keys(process.env).some((name) => name.startsWith("PROOF_"))) process.stdout.write(`${line}\n`);
}
