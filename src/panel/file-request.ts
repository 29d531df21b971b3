import { sendSignedIn } from "./api.ts";
import { ApiError } from "./http.ts";

/** Requests a file, however long it takes. @throws ApiError, also if the connection breaks within the file */
export async function requestFile(path: string): Promise<Blob> {
  const response = await sendSignedIn(path, { signal: new AbortController().signal });
  return response.blob().catch(() => {
    throw new ApiError(0, "");
  });
}
