import { networkInterfaces } from "node:os";

const found = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

/** An IPv4 address of this machine beyond loopback, which has limits that loopback has not. The traffic does not leave the machine. */
export const OWN_ADDRESS = found ?? "";
/** Why there is none; undefined if there is one. */
export const NO_OWN_ADDRESS =
  found === undefined
    ? "this machine has no IPv4 address beyond loopback: connect it to a network"
    : undefined;
