import { readFileSync, statSync } from "node:fs";
import { AppError, messageOf } from "../domain/errors.ts";

/** Far above any configuration, certificate or key; a larger file is the wrong one. */
const FILE_BYTES_MAX = 1_048_576;

/**
 * Reads a small text file.
 * @param what description of the file for the message
 * @throws AppError `no-input` if it cannot be read
 */
export function readText(file: string, what: string): string {
  try {
    const { size } = statSync(file);
    if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX} bytes`);
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new AppError("no-input", `cannot read ${what} ${file}: ${messageOf(cause)}`, {
      hint: "Check the path and its permissions.",
      cause,
    });
  }
}
