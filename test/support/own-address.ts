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

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === "IPv6"),
);
/** Why nothing can listen at an IPv6 address; undefined if something can. */
export const NO_IPV6 = hasIpv6
  ? undefined
  : "this machine has no IPv6: sysctl net.ipv6.conf.all.disable_ipv6=0";
