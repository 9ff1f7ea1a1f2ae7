/** What the service gives the page: its chains, and whether the page needs a key. */

/** How far blocks were verified before they were stored. */
export type Checks = "links" | "standard" | "full"

/** A chain that the service serves. */
export interface ServedChain {
  /** Name as `chain` parameters accept it. */
  readonly name: string
  readonly chainId: number
  readonly currency: { readonly symbol: string; readonly decimals: number }
  /** `null` where the service does not state it. */
  readonly checks: Checks | null
}

/** Settings of the page. */
export interface Settings {
  /** `open`: the service answers this page without a key. `keyed`: the person enters one. */
  readonly access: "open" | "keyed"
  readonly chains: ReadonlyArray<ServedChain>
}

/** The page cannot start; the message states what to do. */
export class SettingsError extends Error {
  override readonly name = "SettingsError"
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Longest symbol that is shown. */
const maxSymbol = 12

const currencyOf = (given: unknown): ServedChain["currency"] =>
  isObject(given) && typeof given["symbol"] === "string" && Number.isSafeInteger(given["decimals"])
    ? { symbol: given["symbol"].slice(0, maxSymbol), decimals: Number(given["decimals"]) }
    : { symbol: "ETH", decimals: 18 }

const checksOf = (given: unknown): Checks | null =>
  given === "links" || given === "standard" || given === "full" ? given : null

const chainOf = (given: unknown): ReadonlyArray<ServedChain> => {
  if (!isObject(given)) return []
  const { chainId, checks, currency } = given
  const name = given["name"] ?? given["chain"]
  if (typeof name !== "string" || typeof chainId !== "number") return []
  return [{ name, chainId, currency: currencyOf(currency), checks: checksOf(checks) }]
}

/** Reads the body of `/explorer.json`, or of `/ready`. */
export const fromJson = (body: unknown): Settings => {
  const chains = isObject(body) && Array.isArray(body["chains"]) ? body["chains"].flatMap(chainOf) : []
  if (!isObject(body) || chains.length === 0) {
    throw new SettingsError("The service sent no chains. Add one to its configuration, and reload this page.")
  }
  return { access: body["access"] === "open" ? "open" : "keyed", chains }
}

/** Reads the settings from the service that served the page. */
export const load = async (): Promise<Settings> => {
  const own = await fetch("/explorer.json", { headers: { accept: "application/json" } })
  if (own.ok) return fromJson(await own.json())
  // Also 503 with the chains, before the index is complete.
  const ready = await fetch("/ready", { headers: { accept: "application/json" } })
  return fromJson(await ready.json())
}
