// Asks for one and the same path over a Unix socket again and again, and prints the milliseconds of each answer:
// node repeat-get.mjs SOCKET PATH. Ends with an error for any answer but 200.
import { request } from "node:http";

const [socketPath, path] = process.argv.slice(2);

for (;;) {
  const startMs = performance.now();
  await new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} was answered with ${response.statusCode}`));
      response.resume();
      response.on("end", resolve);
      response.on("error", reject);
    })
      .on("error", reject)
      .end();
  });
  process.stdout.write(`${Math.round(performance.now() - startMs)}\n`);
}
