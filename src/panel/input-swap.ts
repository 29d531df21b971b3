import { setInput, type InputText } from "./zone-draft.ts";

/** Exchanges what means open and normal; undefined if one of them is not known. */
export function swapOf(input: InputText): (() => void) | undefined {
  const { gpio, contact = "nc", open, normal } = input;
  if (gpio !== undefined) return () => setInput({ contact: contact === "nc" ? "no" : "nc" });
  if (Array.isArray(open) && Array.isArray(normal)) return () => setInput({ open: normal, normal: open });
  const [only, ...others] = Array.isArray(open) ? (open as readonly unknown[]) : [];
  const opposite = others.length === 0 ? OPPOSITES.get(only) : undefined;
  return opposite === undefined ? undefined : () => setInput({ open: [opposite] });
}

const OPPOSITES: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  [true, false],
  [false, true],
  ["ON", "OFF"],
  ["OFF", "ON"],
  ["open", "close"],
  ["close", "open"],
  [1, 0],
  [0, 1],
]);
