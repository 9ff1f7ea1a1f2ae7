/**
 * Distinguishes requests by their paths: those of one operation take about as long for one key. Kinds are numbers, so that what clients send
 * takes no memory. Two operations may have the same one, which seldom happens.
 *
 * Source: decision 0039.
 */
import type { IncomingMessage } from "node:http"

/** How many kinds there are: a prime number, so that each letter matters. */
const kinds = 4_093

/** The longest end of a path that is looked at. */
const maxLength = 100

/** The kind of a request: by its method, what its path ends in beside a hash or an address, and the action of Etherscan's API. */
export const of = ({ method = "", url = "" }: Pick<IncomingMessage, "method" | "url">): number => {
  const [path = ""] = url.split("?", 1)
  const name = path
    .slice(-maxLength)
    .split("/")
    .findLast((part) => part !== "" && !part.startsWith("0x"))
  const action = /[?&]action=(\w{1,32})/i.exec(url)?.[1]
  let kind = 0
  for (const letter of `${method} ${name} ${action}`) kind = (31 * kind + letter.charCodeAt(0)) % kinds
  return kind
}
