import { sendSignedIn } from "./api.ts";
import { ApiError } from "./http.ts";

/** Requests a file, however long it takes, until `signal` ends it. @throws ApiError, also if the connection breaks within the file */
export async function requestFile(
  path: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<Blob> {
  const response = await sendSignedIn(path, { signal });
  return response.blob().catch(() => {
    throw new ApiError(0, "");
  });
}
