import { AppError, type AppErrorCode } from "../domain/errors.ts";

/** Exit codes as in BSD's sysexits.h, so that scripts can tell what went wrong. */
export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 64;
/** Our own defect. */
export const EXIT_SOFTWARE = 70;

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
