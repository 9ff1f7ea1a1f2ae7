/** Parameters of an address page: its tab and the filters of that tab. Pure. */

/** Tabs in display order. */
export const tabs = [
  "transfers",
  "transactions",
  "movements",
  "internal",
  "tokens",
  "statement",
  "charts",
  "contract",
] as const

export type Tab = (typeof tabs)[number]

/** Parameters in the URL; invalid values are omitted. */
export interface AddressSearch {
  readonly tab?: Tab | undefined
  /** Transactions: `direct` shows only those that the address sent or received itself. */
  readonly scope?: "direct" | undefined
  readonly order?: "ASC" | undefined
  /** Movements: `native` or the address of a token. */
  readonly asset?: string | undefined
  /** Kinds of movements, separated by commas. */
  readonly kind?: string | undefined
  readonly direction?: "in" | "out" | undefined
  /** Days in UTC: `2026-01-31`. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const oneOf = <A extends string>(value: unknown, values: ReadonlyArray<A>): A | undefined =>
  values.find((one) => one === value)

const matching = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === "string" && pattern.test(value) ? value.toLowerCase() : undefined

const day = /^\d{4}-\d{2}-\d{2}$/

/** Reads the parameters of a URL. */
export const parse = (search: Readonly<Record<string, unknown>>): AddressSearch => ({
  tab: oneOf(search["tab"], tabs),
  scope: oneOf(search["scope"], ["direct"]),
  order: oneOf(search["order"], ["ASC"]),
  asset: matching(search["asset"], /^(?:native|0x[0-9a-f]{40})$/i),
  kind: matching(search["kind"], /^[a-z][a-z0-9_]*(?:,[a-z][a-z0-9_]*){0,19}$/),
  direction: oneOf(search["direction"], ["in", "out"]),
  from: matching(search["from"], day),
  to: matching(search["to"], day),
})
