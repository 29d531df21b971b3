import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useErrorMessage } from "./error-message.tsx";
import { TextField, formText } from "./field.tsx";
import { t } from "./i18n.ts";
import { ApiError, FORM_ERROR_CODE } from "./http.ts";
import { errorText } from "./notice.tsx";

/** A field for the current password or a new one. @param problem what the daemon says about it, until it is changed */
export function Password({
  name,
  label,
  isNew,
  hint,
  problem,
}: {
  readonly name: string;
  readonly label: string;
  readonly isNew: boolean;
  readonly hint?: string;
  readonly problem?: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { current } = field;
    if (problem && current)
      void import("./focus.ts").then(({ showFieldError }) => showFieldError(current, problem));
  }, [problem]);
  return (
    <TextField
      ref={field}
      label={label}
      name={name}
      type="password"
      autocomplete={isNew ? "new-password" : "current-password"}
      required
      {...(hint === undefined ? {} : { hint })}
    />
  );
}

/** What the daemon says about a wrong password; empty for another error. */
export function wrongPassword(error: ApiError | undefined): string {
  return error?.code === "wrong-credentials" ? errorText(error) : "";
}

/** As `useErrorMessage`, and what is wrong with the password, for its field. */
export function usePasswordForm(): [...ReturnType<typeof useErrorMessage>, string] {
  const [error, run] = useErrorMessage();
  const [problem, setProblem] = useState("");
  const runForm = (action: () => Promise<void>): Promise<void> => {
    setProblem("");
    return run(async () => {
      try {
        await action();
      } catch (cause) {
        const wrong = cause instanceof ApiError ? wrongPassword(cause) : "";
        if (wrong === "") throw cause;
        setProblem(wrong);
      }
    });
  };
  return [error, runForm, problem];
}

/** The two fields for a new password. */
export function NewPassword() {
  return (
    <>
      <Password name="new" label={t("password.new")} isNew hint={t("password.rule")} />
      <Password name="repeat" label={t("password.repeat")} isNew />
    </>
  );
}

/** The new password of these fields. @throws ApiError if they differ */
export function newPasswordIn(fields: FormData): string {
  const password = formText(fields, "new");
  if (password !== formText(fields, "repeat"))
    throw new ApiError(400, t("password.different"), { code: FORM_ERROR_CODE });
  return password;
}
