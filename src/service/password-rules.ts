import bcrypt from "bcrypt";
import { AppError } from "../domain/errors.ts";

/** OWASP ASVS 5.0, 6.2.1. */
const PASSWORD_LENGTH_MIN = 8;
/** As the interface requires of a generated one: sign-ins of a site are limited by network address alone. */
const SITE_PASSWORD_LENGTH_MIN = 20;
/** `aaaaaaaa` and `abcabcabc` are long enough but easy to guess. */
const DIFFERENT_CHARACTERS_MIN = 4;
/** bcrypt ignores further bytes. */
export const PASSWORD_BYTES_MAX = 72;

/**
 * Checks a new password for length and common passwords; there are no rules for character classes (OWASP ASVS 5.0, 6.2.4
 * and 6.2.5).
 * @param account `site` of the account of a site
 * @throws AppError `bad-data` with the problem
 */
export async function assertPasswordAllowed(
  password: string,
  { email, site }: { readonly email: string; readonly site?: string | undefined },
): Promise<void> {
  if (/\p{Cc}/u.test(password))
    throw new AppError("bad-data", "a password must not contain control characters");
  if ([...password].length < PASSWORD_LENGTH_MIN)
    throw new AppError("bad-data", `a password needs at least ${PASSWORD_LENGTH_MIN} characters`);
  if (site !== undefined && [...password].length < SITE_PASSWORD_LENGTH_MIN)
    throw new AppError(
      "bad-data",
      `the password of a site's account needs at least ${SITE_PASSWORD_LENGTH_MIN} characters`,
      { hint: "Generate one, or enrol the site again: santinela sites invite." },
    );
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX)
    throw new AppError(
      "bad-data",
      `a password may have at most ${PASSWORD_BYTES_MAX} bytes; letters such as ș count as two`,
    );
  const lower = password.toLowerCase();
  if (new Set(lower).size < DIFFERENT_CHARACTERS_MIN)
    throw new AppError(
      "bad-data",
      `a password needs at least ${DIFFERENT_CHARACTERS_MIN} different characters`,
    );
  const [own = ""] = email.toLowerCase().split("@");
  if (lower === email.toLowerCase() || lower === own || (await isCommon(lower)))
    throw new AppError("bad-data", "this password is too common", {
      hint: "Choose another one, such as three or four unrelated words.",
    });
}

/** Words of the product, its trade and its language that the list of common passwords lacks, with a few digits (6.2.11). */
const EXPECTED_WORDS =
  /^(parola|santinela|alarma|dispecerat|paza|admin|administrator|instalator|romania|bucuresti)[\d!.,@#*_-]{0,6}$/;

/** The list is loaded only when a password is set, to save memory. */
async function isCommon(password: string): Promise<boolean> {
  if (EXPECTED_WORDS.test(password.normalize("NFD").replace(/\p{M}/gu, ""))) return true;
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return dictionary["passwords-common"].includes(password);
}

/** Work factor of bcrypt: about 65 ms on a desktop core, several times that on a Raspberry Pi. */
const BCRYPT_COST = 10;

/** The hash of an allowed password. @param cost work factor; tests with many accounts use the minimum, 4 */
export function hashPassword(password: string, cost = BCRYPT_COST): Promise<string> {
  return bcrypt.hash(password, cost);
}
