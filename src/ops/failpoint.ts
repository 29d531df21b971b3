import { pbkdf2Sync } from "node:crypto";

/** Some minutes on any machine. */
const BLOCKING_ITERATIONS = 400_000_000;

/** A point where tests can end the process or the calling thread, to simulate power cuts and defects. */
export type Failpoint = (name: string) => void;

const SPEC = /^([^:=]+)(?::(\d+))?(?:=(kill|throw|fill|hang|block))?$/;

/**
 * Creates a failpoint that takes effect at the nth call with its name.
 * @param spec `<name>`, `<name>:<n>` or either with an effect: `=kill` ends the process at once (default), `=throw` is a
 *   defect that nothing handles, `=fill` fills the heap of the calling thread, `=hang` keeps that thread busy indefinitely,
 *   `=block` for minutes in a native call, in which it cannot be ended; undefined for none
 * @param kill ends the process at once
 */
export function failpointOf(spec: string | undefined, kill: () => void): Failpoint {
  const [, wanted, count = "1", effect = "kill"] = SPEC.exec(spec ?? "") ?? [];
  if (wanted === undefined) return () => {};
  const effects: Readonly<Record<string, () => void>> = {
    kill,
    throw: throwLater,
    fill: fillHeap,
    hang,
    block,
  };
  let left = Number(count);
  return (name) => {
    if (name === wanted && (left -= 1) === 0) effects[effect]?.();
  };
}

function throwLater(): void {
  queueMicrotask(() => {
    throw new Error("failpoint");
  });
}

function hang(): never {
  for (;;);
}

function block(): void {
  pbkdf2Sync("", "", BLOCKING_ITERATIONS, 64, "sha512");
}

function fillHeap(): never {
  const held: unknown[][] = [];
  for (;;) held.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
}
