import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { errorText } from "./notice.tsx";
import { ApiError } from "./http.ts";

/** The error of the last attempt. */
export function ErrorMessage({ text }: { readonly text: string }) {
  const line = useRef<HTMLParagraphElement>(null);
  // On a phone its place may be behind a bar.
  useLayoutEffect(() => {
    if (text) line.current?.scrollIntoView({ block: "nearest" });
  }, [text]);
  return (
    <p ref={line} role="alert" class={text === "" ? "" : "box s-fault"}>
      {text}
    </p>
  );
}

/** The error text of the last action, and a function that runs an action and sets it. */
export function useErrorMessage(): [string, (action: () => Promise<void>) => Promise<void>] {
  const [error, setError] = useState("");
  const run = async (action: () => Promise<void>): Promise<void> => {
    setError("");
    try {
      await action();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(errorText(cause));
    }
  };
  return [error, run];
}
