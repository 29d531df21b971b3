/**
 * An object as seen from another thread: its methods, each of which returns a promise. Arguments and results are plain
 * data, which the threads copy.
 */
export type Remote<T> = {
  readonly [K in keyof T as T[K] extends (...args: never[]) => unknown ? K : never]: T[K] extends (
    ...args: infer Arguments
  ) => infer Result
    ? (...args: Arguments) => Promise<Awaited<Result>>
    : never;
};

type Method = (...args: readonly unknown[]) => unknown;

/** The same object for callers in its own thread: it is called at once, and errors become rejections. */
export function localRemote<T extends object>(target: T): Remote<T> {
  return new Proxy(target, {
    // Not `then`: the object itself is no promise.
    get: (_target, name) =>
      name === "then"
        ? undefined
        : async (...args: unknown[]) => (target as Record<PropertyKey, Method>)[name]?.call(target, ...args),
  }) as unknown as Remote<T>;
}
