import { AppError } from "../domain/errors.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { runDemo } from "./demo/demo.ts";
import type { Terminal } from "./terminal.ts";

/** Tells the whole story on standard output. @throws AppError when it does not end well */
export async function demo({ stdout, main }: Terminal): Promise<void> {
  const eachOnce = await runDemo({
    main,
    clock: new SystemClock(),
    say: (line) => void stdout.write(`${line}\n`),
  });
  if (!eachOnce) throw new AppError("conflict", "the centre does not have every record exactly once");
}
