import { createSocket } from "node:dgram";
import { createServer, type AddressInfo } from "node:net";

/*
 * A process of its own: takes connections and datagrams at one port and discards what they send, until SIGTERM. It prints
 * the port.
 *   node discarding-receiver.js
 */

const server = createServer((socket) => {
  socket.on("error", () => socket.destroy());
  socket.resume();
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket("udp4");
  datagrams.bind(port, "127.0.0.1", () => void process.stdout.write(`port ${port}\n`));
});
