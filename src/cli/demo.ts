import { AppError } from "../domain/errors.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { runDemo } from "./demo/demo.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the demo and prints its steps. @throws AppError `conflict` if a record is missing or duplicated */
export async function demo({ stdout, main }: Terminal): Promise<void> {
  const eachOnce = await runDemo({
    main,
    clock: new SystemClock(),
    print: (line) => void stdout.write(`${line}\n`),
  });
  if (!eachOnce)
    throw new AppError("conflict", "the dispatch centre does not have every record exactly once");
}
