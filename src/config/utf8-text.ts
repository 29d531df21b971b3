/** Why bytes are not a text; `line` counts from 1. */
export interface EncodingFault {
  readonly line: number;
  /** The problem and the remedy. */
  readonly message: string;
}

/**
 * Decodes a text, with its byte order mark if it has one. A configuration that was decoded with replacements would be destroyed by
 * its next change in the web panel.
 * @returns what is wrong if it is not UTF-8
 */
export function utf8Text(bytes: Buffer): string | EncodingFault {
  const isUtf16 = ["fffe", "feff"].includes(bytes.subarray(0, 2).toString("hex"));
  if (isUtf16) return { line: 1, message: "the file is UTF-16. Save it as UTF-8" };
  return (
    textOf(bytes) ?? {
      line: undecodableLine(bytes),
      message: "this line is not UTF-8. Save the file as UTF-8",
    }
  );
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** No character of several bytes contains a line feed, so that each line can be decoded alone. */
function undecodableLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; ; line += 1) {
    const end = bytes.indexOf("\n", start);
    if (end < 0 || textOf(bytes.subarray(start, end)) === undefined) return line;
    start = end + 1;
  }
}
