import { useState } from "preact/hooks";
import { sentenceOf } from "./notice.tsx";
import { ApiError } from "./http.ts";

/** What the daemon has said against the last try. */
export function ErrorMessage({ text }: { readonly text: string }) {
  return (
    <p role="alert" class={text === "" ? "" : "bad box"}>
      {text}
    </p>
  );
}

/** What the daemon says against the last try, and how to try. */
export function useErrorMessage(): [string, (action: () => Promise<void>) => Promise<void>] {
  const [trouble, setTrouble] = useState("");
  const run = async (action: () => Promise<void>): Promise<void> => {
    setTrouble("");
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setTrouble(sentenceOf(error));
    }
  };
  return [trouble, run];
}
