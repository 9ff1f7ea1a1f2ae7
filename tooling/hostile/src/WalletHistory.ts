/**
 * Wallet histories generated from a seed, in the wire form of the interface: the test kit's histories with labels, contract creations and
 * decoded items. Optionally, neighbouring blocks share a timestamp and interleave, as some hosted providers serve them.
 */
import * as FakeChain from "@daybook/testkit/FakeChain"
import * as FakeWire from "@daybook/testkit/internal/FakeWire"
import * as Random from "@daybook/testkit/internal/Random"

/** The default wallet. */
export const wallet = FakeChain.defaultWallet

/** A row of a page. Source: docs/interface.md#2.2. */
export interface Row extends Readonly<Record<string, unknown>> {
  readonly hash: string
  readonly block_number: string
  readonly block_timestamp: string
}

/** What to generate. */
export interface Options {
  readonly rows: number
  /** Whether blocks with the same timestamp interleave. Default false. */
  readonly interleaved?: boolean
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

/** A row of the test kit, extended with values that its chain lacks. */
const rowOf = (block: FakeChain.FakeBlock, transaction: FakeChain.FakeTransaction, random: Random.Random): Row => {
  const row = FakeWire.row(block, transaction)
  const isCreation = random.integer(10) === 0
  const isDecoded = random.integer(2) === 0
  const amount = String(random.amount(0n, 10n ** 21n))
  return {
    ...row,
    to_address: isCreation ? null : row.to_address,
    to_address_label: random.integer(4) === 0 ? "Exchange: Hot Wallet" : null,
    receipt_contract_address: isCreation ? transaction.to : "",
    logs: row.logs.map((log) => ({ ...log, decoded_event: isDecoded ? decoded("event", log.address, amount) : null })),
    decoded_call: isDecoded ? decoded("function", transaction.to, amount) : null,
  }
}

const shuffle = <A>(items: ReadonlyArray<A>, random: Random.Random): ReadonlyArray<A> =>
  items
    .map((item) => ({ item, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)

/** The rows of a seed, oldest first. */
export const make = (seed: number, { interleaved = false, rows: count }: Options): ReadonlyArray<Row> => {
  const random = Random.make(seed)
  // A block has 1.5 transactions on average.
  const waiting = [...FakeChain.make({ seed, firstBlock: 1, blocks: count + 20 }).blocks()]
  const rows: Array<Row> = []
  while (rows.length < count && waiting.length > 0) {
    const group = waiting.splice(0, interleaved ? 1 + random.integer(3) : 1)
    const timestamp = group[0]?.timestamp ?? 0
    const made = group.flatMap((block) =>
      block.transactions.map((transaction) => rowOf({ ...block, timestamp }, transaction, random)),
    )
    rows.push(...(interleaved ? shuffle(made, random) : made).slice(0, count - rows.length))
  }
  return rows
}

/** The rows in the order of a query: newest first unless `order` is `ASC` in any case. */
export const ordered = (oldestFirst: ReadonlyArray<Row>, order: string | null | undefined): ReadonlyArray<Row> =>
  order?.toUpperCase() === "ASC" ? oldestFirst : oldestFirst.toReversed()
