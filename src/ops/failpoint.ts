/** Where the process can be made to die, for the tests that pull the plug at the worst moments. */
export type Failpoint = (name: string) => void;

/**
 * A failpoint that kills the process with SIGKILL at the nth time its name comes up.
 * @param spec `<name>` or `<name>:<n>`; undefined for one that never does anything
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
