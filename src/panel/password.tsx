import { TextField, textOf } from "./field.tsx";
import { t } from "./i18n.ts";
import { ApiError } from "./http.ts";

/** A field for a password, one's own or a new one. */
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

/** The two fields for a password of one's own. */
export function NewPassword() {
  return (
    <>
      <Password name="new" label={t("password.new")} isNew hint={t("password.rule")} />
      <Password name="again" label={t("password.again")} isNew />
    </>
  );
}

/** What those fields hold. @throws Refusal when they differ */
export function newPasswordIn(fields: FormData): string {
  const password = textOf(fields, "new");
  if (password !== textOf(fields, "again")) throw new ApiError(400, t("password.different"));
  return password;
}
