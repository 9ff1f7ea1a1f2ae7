/** What the service gives the page: its chains, and a key where the page may have one. */

/** A chain that the service serves. */
export interface ServedChain {
  /** Name as `chain` parameters accept it. */
  readonly name: string
  readonly chainId: number
  readonly currency: { readonly symbol: string; readonly decimals: number }
}

/** Settings of the page. */
export interface Settings {
  /** `null`: the person enters one. */
  readonly apiKey: string | null
  readonly chains: ReadonlyArray<ServedChain>
}

/** The page cannot start; the message states what to do. */
export class SettingsError extends Error {
  override readonly name = "SettingsError"
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const symbols: Readonly<Record<number, string>> = {
  56: "BNB",
  97: "tBNB",
  100: "xDAI",
  137: "POL",
  250: "FTM",
  25: "CRO",
  10_200: "xDAI",
  80_002: "POL",
  43_114: "AVAX",
  1_284: "GLMR",
  1_285: "MOVR",
  1_287: "DEV",
  88_888: "CHZ",
  88_882: "CHZ",
}

const currencyOf = (given: unknown, chainId: number): ServedChain["currency"] =>
  isObject(given) && typeof given["symbol"] === "string" && typeof given["decimals"] === "number"
    ? { symbol: given["symbol"].slice(0, 12), decimals: given["decimals"] }
    : { symbol: symbols[chainId] ?? "ETH", decimals: 18 }

const chainOf = (given: unknown): ReadonlyArray<ServedChain> => {
  if (!isObject(given)) return []
  const { chainId, currency } = given
  const name = given["name"] ?? given["chain"]
  if (typeof name !== "string" || typeof chainId !== "number") return []
  return [{ name, chainId, currency: currencyOf(currency, chainId) }]
}

/** Reads the body of `/explorer.json` or of `/ready`. */
export const fromJson = (body: unknown): Settings => {
  if (!isObject(body) || !Array.isArray(body["chains"])) {
    throw new SettingsError("The service sent no list of chains. Reload the page, or update the service.")
  }
  const { apiKey, chains } = body
  return { apiKey: typeof apiKey === "string" ? apiKey : null, chains: chains.flatMap(chainOf) }
}

const get = async (path: string): Promise<Response> => {
  try {
    return await fetch(path, { headers: { accept: "application/json" } })
  } catch {
    throw new SettingsError("The service does not respond. Check that it runs; the page tries again by itself.")
  }
}

/** Reads the settings from the service that served the page. */
export const load = async (): Promise<Settings> => {
  const own = await get("/explorer.json")
  if (own.ok) return fromJson(await own.json())
  // A service that only answers to keys lists its chains here, with 503 before its index is complete.
  const ready = await get("/ready")
  return fromJson(await ready.json().catch(() => null))
}
