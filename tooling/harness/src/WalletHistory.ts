/**
 * Wallet histories generated from a seed, in the wire form of the interface.
 *
 * A block holds one to four rows; there are gaps between blocks, contract creations, failed transactions, logs and decoded
 * items. Optionally neighbouring blocks share a timestamp and interleave, as some hosted providers serve them.
 */
import * as Random from "./Random.ts"

/** The default wallet. */
export const wallet = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

/** A row of a page. Source: docs/interface.md#2.2. */
export interface Row extends Readonly<Record<string, unknown>> {
  readonly hash: string
  readonly block_number: string
  readonly block_timestamp: string
}

/** What to generate. */
export interface Options {
  readonly rows: number
  /** Default `wallet`. */
  readonly wallet?: string
  /** Whether blocks of one timestamp interleave. Default false. */
  readonly interleaved?: boolean
}

const padded = (value: number, bytes: number) => `0x${value.toString(16).padStart(bytes * 2, "0")}`

const genesisMillis = Date.UTC(2026, 0, 1)

interface Location {
  readonly block: number
  readonly index: number
  readonly atMillis: number
}

const decoded = (type: "event" | "function", to: string, value: string) => ({
  signature: type === "event" ? "Transfer(address,address,uint256)" : "transfer(address,uint256)",
  label: type === "event" ? "Transfer" : "transfer",
  type,
  params: [
    { name: "to", value: to, type: "address" },
    { name: "value", value, type: "uint256" },
  ],
})

const locationFields = ({ block, index, atMillis }: Location, hash: string) => ({
  transaction_hash: hash,
  transaction_index: String(index),
  block_timestamp: new Date(atMillis).toISOString(),
  block_number: String(block),
  block_hash: padded(block + 1, 32),
})

const row = (at: Location, owner: string, random: Random.Random): Row => {
  const hash = `${random.hex(26)}${padded(at.block * 100 + at.index, 6).slice(2)}`
  const { transaction_hash: _, ...position } = locationFields(at, hash)
  const isCreation = random.integer(10) === 0
  const isDecoded = random.integer(2) === 0
  const [value, topic] = [String(random.amount(0n, 10n ** 21n)), random.hex(32)]
  const other = random.hex(20)
  const log = (index: number) => ({
    log_index: String(index),
    ...locationFields(at, hash),
    address: other,
    data: random.hex(32),
    topic0: topic,
    topic1: random.hex(32),
    topic2: "",
    topic3: "",
    decoded_event: isDecoded ? decoded("event", other, value) : null,
  })
  return {
    hash,
    nonce: String(at.block + at.index),
    ...position,
    from_address: owner,
    to_address: isCreation ? null : other,
    from_address_label: null,
    to_address_label: random.integer(4) === 0 ? "Exchange: Hot Wallet" : null,
    value,
    gas: "21000",
    gas_price: String(random.integer(10 ** 11)),
    input: random.hex(4),
    receipt_cumulative_gas_used: String(21_000 * (at.index + 1)),
    receipt_gas_used: "21000",
    receipt_contract_address: isCreation ? random.hex(20) : "",
    receipt_root: "",
    receipt_status: random.integer(8) === 0 ? "0" : "1",
    logs: Array.from({ length: random.integer(3) }, (_, index) => log(index)),
    decoded_call: isDecoded ? decoded("function", other, value) : null,
  }
}

const shuffle = <A>(items: ReadonlyArray<A>, random: Random.Random): ReadonlyArray<A> =>
  items
    .map((item) => ({ item, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)

/** The rows of a seed, oldest first. */
export const make = (seed: number, options: Options): ReadonlyArray<Row> => {
  const { rows, wallet: owner = wallet, interleaved = false } = options
  const random = Random.make(seed)
  const groups: Array<ReadonlyArray<Location>> = []
  let count = 0
  for (let block = 1 + random.integer(5); count < rows; block += 1 + random.integer(9)) {
    const group: Array<Location> = []
    const blocks = interleaved ? 1 + random.integer(3) : 1
    const atMillis = genesisMillis + block * 12_000
    for (let more = 0; more < blocks && count < rows; more++) {
      if (more > 0) block++
      const inBlock = Math.min(1 + random.integer(4), rows - count)
      for (let index = 0; index < inBlock; index++) group.push({ block, index, atMillis })
      count += inBlock
    }
    groups.push(interleaved ? shuffle(group, random) : group)
  }
  return groups.flat().map((at) => row(at, owner, random))
}

/** The rows in the order of a query: newest first unless `order` is `ASC` in any case. */
export const ordered = (oldestFirst: ReadonlyArray<Row>, order: string | null | undefined): ReadonlyArray<Row> =>
  order?.toUpperCase() === "ASC" ? oldestFirst : oldestFirst.toReversed()
