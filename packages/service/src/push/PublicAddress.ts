/**
 * Checks whether a service that must not be made to reach its own network may send to an address. Pure.
 *
 * Source: decision 0073; RFC 6890 and the registries of special-purpose addresses.
 */
import { BlockList, isIP } from "node:net"

const special4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]
/** Global IPv6 addresses are within one range. Exceptions in it lead to an IPv4 address, or to no host. */
const global6 = ["2000::/3"]
const special6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]

const listOf = (ranges: ReadonlyArray<string>, family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = "", bits] = range.split("/")
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const isSpecial4 = listOf(special4, "ipv4")
const isGlobal6 = listOf(global6, "ipv6")
const isSpecial6 = listOf(special6, "ipv6")

/** True if an IPv4 or IPv6 address belongs to the public internet. False for any other text. */
export const isPublic = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !isSpecial4.check(address, "ipv4")
    case 6:
      return isGlobal6.check(address, "ipv6") && !isSpecial6.check(address, "ipv6")
    default:
      return false
  }
}
