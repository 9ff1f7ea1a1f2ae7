/**
 * The part of a name in a database that stands for a chain. Pure.
 */
import { createHash } from "node:crypto"

const maxNameCharacters = 40

/**
 * Slug of a chain's name. Names of one chain (any case, space or hyphen) share one; a name with other characters includes a part of its
 * hash, so two chains never share one.
 */
export const make = (name: string, separator: "-" | "_"): string => {
  const same = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "-")
  const safe = same.replace(/[^a-z0-9-]/g, "_").slice(0, maxNameCharacters)
  const hash = createHash("sha256").update(same).digest("hex").slice(0, 12)
  const isWhole = safe === same && safe !== "" && !(separator === "_" && safe.includes("_"))
  const slug = isWhole ? safe : `${safe}-${hash}`
  return slug.replaceAll("-", separator)
}
