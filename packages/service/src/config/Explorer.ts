/**
 * Who may use the explorer, and the API from its pages.
 *
 * Source: decision 0058.
 */
import * as Listen from "./Listen.ts"

/**
 * `open`: its pages need no API key, on a loopback address. `keyed`: they ask for one. `off`: it is not served. `local`: neither its pages
 * nor programs and pages of this machine need a key, as for `daybook dev`.
 */
export type Access = "open" | "keyed" | "off" | "local"

/** What the access is decided by. */
interface Settings {
  readonly listen: Listen.Listen
  readonly allowedHosts: ReadonlyArray<string>
  readonly explorer?: Access
}

/** True where an access may be configured: without a key, a service answers its own machine alone. */
export const isAllowed = ({ explorer, listen }: Pick<Settings, "explorer" | "listen">): boolean =>
  explorer === undefined || explorer === "keyed" || explorer === "off" || Listen.isLoopback(listen)

/** The configured access; `open` by default on a loopback address that no proxy passes other names to, and `off` on any other address. */
export const accessOf = ({ allowedHosts, explorer, listen }: Settings): Access => {
  if (explorer !== undefined) return explorer
  if (!Listen.isLoopback(listen)) return "off"
  return allowedHosts.length === 0 ? "open" : "keyed"
}
