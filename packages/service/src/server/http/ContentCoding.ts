/**
 * Chooses the coding in which a file of the explorer is sent: one in which it was built and that the request accepts. Nothing is compressed
 * while a request waits. Pure.
 *
 * Source: RFC 9110, section 12.5.3.
 */

/** A coding of a body; `identity` for none. */
export type ContentCoding = "br" | "gzip" | "identity" | "zstd"

/** File name suffixes of each coding, smallest coding first. */
export const endings: ReadonlyMap<ContentCoding, string> = new Map([
  ["br", ".br"],
  ["gzip", ".gz"],
  ["identity", ""],
])

/** One element of the header; malformed elements are skipped. */
const element = /^\s*(?<name>[!#$%&'*+\-.^_`|~\w]+)\s*(?:;\s*q=(?<weight>[01](?:\.\d{0,3})?)\s*)?$/i

/** Weight of a coding in an `Accept-Encoding` header. */
const weightOf = (coding: ContentCoding, weights: ReadonlyMap<string, number>): number =>
  weights.get(coding) ?? weights.get("*") ?? 0

/** Chooses one of several codings by an `Accept-Encoding` header: the first of those with the highest weight. */
export const choose = (header: string | undefined, offered: ReadonlyArray<ContentCoding>): ContentCoding => {
  const weights = new Map(
    (header ?? "").split(",").flatMap((text) => {
      const groups = element.exec(text)?.groups
      return groups === undefined ? [] : [[groups["name"]!.toLowerCase(), Number(groups["weight"] ?? 1)] as const]
    }),
  )
  const best = Math.max(...offered.map((coding) => weightOf(coding, weights)))
  return best <= 0 ? "identity" : offered.find((coding) => weightOf(coding, weights) === best)!
}
