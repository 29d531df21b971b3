import { useState } from "preact/hooks";
import { sentenceOf } from "./notice.tsx";
import { Refusal } from "./wire.ts";

/** What the daemon has said against the last try. */
export function Trouble({ text }: { readonly text: string }) {
  return (
    <p role="alert" class={text === "" ? "" : "bad box"}>
      {text}
    </p>
  );
}

/** What the daemon says against the last try, and how to try. */
export function useTrouble(): [string, (action: () => Promise<void>) => Promise<void>] {
  const [trouble, setTrouble] = useState("");
  const run = async (action: () => Promise<void>): Promise<void> => {
    setTrouble("");
    try {
      await action();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setTrouble(sentenceOf(error));
    }
  };
  return [trouble, run];
}
