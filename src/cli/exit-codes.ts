import { AppError, type AppErrorCode } from "../domain/errors.ts";

/** Exit codes as in BSD's sysexits.h, so that scripts can tell what went wrong. */
export const EXIT_OK = 0;
const EXIT_FAILED = 1;
export const EXIT_USAGE = 64;
/** Our own defect. */
const EXIT_SOFTWARE = 70;

/** What each exit code means, for the help and the reference page. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT_OK, "done"],
  [EXIT_FAILED, "refused or failed; the message says why"],
  [EXIT_USAGE, "the command line is wrong"],
  [65, "what was given is wrong: a file's content, an id that does not exist"],
  [66, "a file that was named cannot be read"],
  [69, "no daemon answers"],
  [EXIT_SOFTWARE, "a defect of this program"],
  [73, "a file or folder cannot be made"],
  [74, "the result could not be written out"],
  [75, "not now; try again later"],
  [77, "this user may not do that"],
  [78, "the configuration has mistakes; each one is named with its place"],
];

const EXIT_OF_CODE: Readonly<Partial<Record<AppErrorCode, number>>> = {
  usage: EXIT_USAGE,
  "bad-data": 65,
  invalid: 65,
  "no-input": 66,
  "daemon-unreachable": 69,
  "cannot-create": 73,
  busy: 75,
  unavailable: 75,
  "no-permission": 77,
  configuration: 78,
};

/** The exit code that an error ends the process with. */
export function exitCodeOf(error: unknown): number {
  return error instanceof AppError ? (EXIT_OF_CODE[error.code] ?? EXIT_FAILED) : EXIT_SOFTWARE;
}
