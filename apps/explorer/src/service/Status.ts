/** Status of the index of each chain, as `/ready` reports it. */

/** Status of the index of one chain. */
export interface ChainStatus {
  readonly chain: string
  readonly isReady: boolean
  readonly state: string
  readonly indexed: { readonly from: number; readonly to: number } | null
  readonly finalized: number | null
  readonly head: number | null
  readonly lag: number | null
  readonly message: string
  readonly blocksPerSecond: number | null
  readonly etaMillis: number | null
  /** Checks of blocks that are skipped; `null` for none. */
  readonly unchecked: string | null
  readonly notes: ReadonlyArray<string>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const numberOf = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null)

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

const rangeOf = (value: unknown): ChainStatus["indexed"] => {
  if (!isObject(value)) return null
  const [from, to] = [numberOf(value["from"]), numberOf(value["to"])]
  return from === null || to === null ? null : { from, to }
}

const statusOf = (value: unknown): ReadonlyArray<ChainStatus> => {
  if (!isObject(value) || typeof value["chain"] !== "string") return []
  const notes = Array.isArray(value["notes"]) ? value["notes"].filter((note) => typeof note === "string") : []
  return [
    {
      chain: value["chain"],
      isReady: value["ready"] === true,
      state: textOf(value["state"]) ?? "unknown",
      indexed: rangeOf(value["indexed"]),
      finalized: numberOf(value["finalized"]),
      head: numberOf(value["head"]),
      lag: numberOf(value["lag"]),
      message: textOf(value["message"]) ?? "",
      blocksPerSecond: numberOf(value["blocksPerSecond"]),
      etaMillis: numberOf(value["etaMillis"]),
      unchecked: textOf(value["unchecked"]),
      notes,
    },
  ]
}

/** Reads the body of `/ready`. */
export const fromJson = (body: unknown): ReadonlyArray<ChainStatus> =>
  isObject(body) && Array.isArray(body["chains"]) ? body["chains"].flatMap(statusOf) : []

/** Reads the status of all chains. A service that is not ready answers with 503 and the same body. */
export const load = async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyArray<ChainStatus>> => {
  const response = await fetch("/ready", { headers: { accept: "application/json" }, signal })
  return fromJson(await response.json())
}
