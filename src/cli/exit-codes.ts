import { AppError, type AppErrorCode } from "../domain/errors.ts";

/** Exit codes as in sysexits.h of BSD. */
export const EXIT_OK = 0;
const EXIT_FAILED = 1;
export const EXIT_USAGE = 64;
/** Internal error. */
const EXIT_SOFTWARE = 70;

/** Meaning of each exit code, for the help and the reference page. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT_OK, "done"],
  [EXIT_FAILED, "rejected or failed; see the message"],
  [EXIT_USAGE, "invalid command line"],
  [65, "invalid input data: file content or unknown id"],
  [66, "cannot read an input file"],
  [69, "daemon not reachable"],
  [EXIT_SOFTWARE, "internal error (bug)"],
  [73, "cannot create a file or directory"],
  [74, "cannot write the result"],
  [75, "temporary failure, try again later"],
  [77, "permission denied"],
  [78, "invalid configuration; each error has its file:line:col"],
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

/** The exit code of an error. */
export function exitCodeOf(error: unknown): number {
  return error instanceof AppError ? (EXIT_OF_CODE[error.code] ?? EXIT_FAILED) : EXIT_SOFTWARE;
}
