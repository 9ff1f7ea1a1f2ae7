/**
 * Access to the explorer, and to the API from its pages.
 *
 * Source: decision 0058.
 */
import * as Listen from "./Listen.ts"

/**
 * `open`: its pages require no API key, on a loopback address. `keyed`: they ask for a key. `off`: it is not served. `local`: neither its
 * pages nor programs and pages on this machine require a key, as for `daybook dev`.
 */
export type Access = "open" | "keyed" | "off" | "local"

/** Settings that determine the access. */
interface Settings {
  readonly listen: Listen.Listen
  readonly allowedHosts: ReadonlyArray<string>
  readonly explorer?: Access
}

/** True if an access may be configured: without a key, a service only answers its own machine. */
export const isAllowed = ({ explorer, listen }: Pick<Settings, "explorer" | "listen">): boolean =>
  explorer === undefined || explorer === "keyed" || explorer === "off" || Listen.isLoopback(listen)

/** Effective access. Default: `open` on a loopback address to which no proxy forwards other names, `off` on any other address. */
export const accessOf = ({ allowedHosts, explorer, listen }: Settings): Access => {
  if (explorer !== undefined) return explorer
  if (!Listen.isLoopback(listen)) return "off"
  return allowedHosts.length === 0 ? "open" : "keyed"
}
