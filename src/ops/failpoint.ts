/** A point where tests can kill the process, to simulate power cuts. */
export type Failpoint = (name: string) => void;

/**
 * Creates a failpoint that kills the process at the nth call with its name.
 * @param spec `<name>` or `<name>:<n>`; undefined for none
 * @param kill ends the process at once
 */
export function failpointOf(spec: string | undefined, kill: () => void): Failpoint {
  if (spec === undefined) return () => {};
  const [wanted, count] = spec.split(":");
  let left = Number(count ?? 1);
  return (name) => {
    if (name === wanted && (left -= 1) === 0) kill();
  };
}
