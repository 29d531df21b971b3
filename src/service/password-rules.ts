import { AppError } from "../domain/errors.ts";

/** OWASP ASVS 5.0, 6.2.1. */
const PASSWORD_LENGTH_MIN = 8;
/** `aaaaaaaa` and `abcabcabc` are long enough and among the first that are tried. */
const DIFFERENT_CHARACTERS_MIN = 4;
/** bcrypt looks at no more; a longer password would be compared by its beginning only. */
export const PASSWORD_BYTES_MAX = 72;

/**
 * Lets a new password through. No rule asks for digits or signs: length and not being on everybody's list is what
 * helps (OWASP ASVS 5.0, 6.2.4 and 6.2.5).
 * @throws AppError `bad-data` with what is wrong
 */
export async function assertPasswordAllowed(password: string, email: string): Promise<void> {
  if (/\p{Cc}/u.test(password)) throw new AppError("bad-data", "a password cannot hold control characters");
  if ([...password].length < PASSWORD_LENGTH_MIN)
    throw new AppError("bad-data", `a password needs at least ${PASSWORD_LENGTH_MIN} characters`);
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX)
    throw new AppError(
      "bad-data",
      `a password may take at most ${PASSWORD_BYTES_MAX} bytes, letters like ș count double`,
    );
  const lower = password.toLowerCase();
  if (new Set(lower).size < DIFFERENT_CHARACTERS_MIN)
    throw new AppError(
      "bad-data",
      `a password needs at least ${DIFFERENT_CHARACTERS_MIN} different characters`,
    );
  const [own = ""] = email.toLowerCase().split("@");
  if (lower === email.toLowerCase() || lower === own || (await isCommon(lower)))
    throw new AppError("bad-data", "this password is one of those that are tried first", {
      hint: "Choose another one, such as three or four words that do not belong together.",
    });
}

/** The list is read only when a password is set: no daemon carries it in its memory. */
async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return dictionary["passwords-common"].includes(password);
}
