import { TextField, formText } from "./field.tsx";
import { t } from "./i18n.ts";
import { ApiError, FORM_ERROR_CODE } from "./http.ts";

/** A field for the current password or a new one. */
export function Password({
  name,
  label,
  isNew,
  hint,
}: {
  readonly name: string;
  readonly label: string;
  readonly isNew: boolean;
  readonly hint?: string;
}) {
  return (
    <TextField
      label={label}
      name={name}
      type="password"
      autocomplete={isNew ? "new-password" : "current-password"}
      required
      {...(hint === undefined ? {} : { hint })}
    />
  );
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
