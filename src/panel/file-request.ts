import { sendSignedIn } from "./api.ts";
import { ApiError } from "./http.ts";
import { ofOneUser } from "./session.ts";

/** Requests a file, however long it takes, until `signal` ends it. @throws ApiError, also if the connection breaks within the file */
export function requestFile(path: string, signal = new AbortController().signal): Promise<Blob> {
  return ofOneUser(fileAt(path, signal));
}

async function fileAt(path: string, signal: AbortSignal): Promise<Blob> {
  const response = await sendSignedIn(path, { signal });
  return response.blob().catch(() => {
    throw new ApiError(0, "");
  });
}
