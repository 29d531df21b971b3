import { request } from "node:http";
import { join } from "node:path";

/** Uploads a backup over the control socket of a running daemon. @returns its number */
export function uploaded(dataDir: string, content: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      socketPath: join(dataDir, "control.sock"),
      method: "POST",
      path: "/site/restore/pieces?from=0",
      headers: { "Content-Type": "application/octet-stream", "Content-Length": content.byteLength },
      agent: false,
    };
    const upload = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => resolve((JSON.parse(text) as { copy: number }).copy));
    });
    upload.on("error", reject).end(content);
  });
}
