/**
 * The methods of Otterscan on a scenario chain, compared with anvil's, and with the traces of the node if anvil
 * differs.
 */
import * as Runs from "@daybook/harness/Runs"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { batch, type Call } from "../../books/balanceOracle.ts"
import type { Json } from "../service.ts"
import * as chainFrames from "./chainFrames.ts"
import * as indexedChain from "./indexedChain.ts"

type Indexed = indexedChain.Indexed

const omit = (value: Json, ...keys: ReadonlyArray<string>): Json =>
  Object.fromEntries(Object.entries(value as object).filter(([key]) => !keys.includes(key)))

/** Calls per batch: its responses stay within the limit. */
const batchSize = 40

/** Answers of the service, as an operator, and of anvil. */
const answers = Effect.fnUntraced(function* ({ node, operator, url }: Indexed, calls: ReadonlyArray<Call>) {
  const received: Array<readonly [own: Json, anvil: Json]> = []
  for (let at = 0; at < calls.length; at += batchSize) {
    const some = calls.slice(at, at + batchSize)
    const own = yield* batch({ url: `${url}/rpc/eth/${operator}` }, some)
    const anvil = yield* batch(node, some)
    for (const [index, one] of own.entries()) received.push([one, anvil[index]])
  }
  return received
})

/** Compares responses in a common form; returns their number. */
const compare = Effect.fnUntraced(function* (
  service: Indexed,
  calls: ReadonlyArray<Call>,
  toCommon: (result: Json) => Json = (result) => result,
) {
  const received = yield* answers(service, calls)
  for (const [index, [own, anvil]] of received.entries()) {
    expect([calls[index], own && toCommon(own)]).toEqual([calls[index], anvil && toCommon(anvil)])
  }
  expect(received.length).toBeGreaterThan(0)
})

/** All values, or the first of each group of this size in a run that makes a part of all comparisons. */
const some = <A>(values: ReadonlyArray<A>, groupSize: number): ReadonlyArray<A> =>
  Runs.usualPart >= 1 ? values : values.filter((_, at) => at % groupSize === 0)

/** Numbers of the blocks of the chain. */
const numbersOf = ({ last }: Indexed) => Array.from({ length: last + 1 }, (_, number) => number)

/** Anvil has transaction hashes in a header, and a bloom filter in details. */
const blocks = Effect.fnUntraced(function* (service: Indexed) {
  const numbers = numbersOf(service)
  const ids = [...numbers, ...numbers.map((number) => `0x${number.toString(16)}`), "latest", "earliest"]
  const calls = (method: string): ReadonlyArray<Call> => ids.map((id) => [method, [id]])
  yield* compare(service, calls("erigon_getHeaderByNumber"), (header) => omit(header, "transactions"))
  const details = (result: Json) => ({ ...result, block: omit(result.block, "logsBloom") })
  yield* compare(service, calls("ots_getBlockDetails"), details)
  const headers = yield* answers(service, calls("erigon_getHeaderByNumber"))
  const byHash = headers.map(([{ hash }]): Call => ["ots_getBlockDetailsByHash", [hash]])
  yield* compare(service, byHash, details)

  const alias = (yield* service.ask("ots_getHeaderByNumber", 1)).result
  expect(alias).toEqual(headers[1]![0])
  expect([alias.transactions, (yield* service.ask("ots_getBlockDetails", 1)).result.block.logsBloom]).toEqual([
    undefined,
    null,
  ])
  expect((yield* service.ask("ots_getApiLevel")).result).toBe(8)
})

/**
 * What a page omits: the input of a transaction except its selector, and logs and bloom filters. Anvil sends them all.
 */
const cut = ({ fullblock, receipts }: Json) => ({
  fullblock: {
    ...omit(fullblock, "logsBloom"),
    transactions: fullblock.transactions.map((one: Json) => ({ ...one, input: one.input.slice(0, 10) })),
  },
  receipts: receipts.map((one: Json) => omit(one, "logs", "logsBloom", "timestamp", "blockTimestamp")),
})

/**
 * Pages of every block, of each size. Anvil counts pages from the start of a block, so they are compared with its whole
 * block.
 */
const pages = Effect.fnUntraced(function* (service: Indexed) {
  const numbers = numbersOf(service)
  yield* compare(
    service,
    numbers.map((number) => ["ots_getBlockTransactions", [number, 0, 1_000]]),
    cut,
  )
  for (const size of [1, 2, 3, 5, 25]) {
    for (const number of some(numbers, 4)) {
      const whole = (yield* service.ask("ots_getBlockTransactions", number, 0, 1_000)).result
      const count = Math.ceil(whole.fullblock.transactionCount / size) + 1
      const calls = Array.from({ length: count }, (_, page): Call => ["ots_getBlockTransactions", [number, page, size]])
      const own = (yield* answers(service, calls)).map(([page]) => page)
      const inOrder = own.toReversed()
      expect(inOrder.flatMap(({ fullblock }) => fullblock.transactions)).toEqual(whole.fullblock.transactions)
      expect(inOrder.flatMap(({ receipts }) => receipts)).toEqual(whole.receipts)
      expect(own.at(-1)!.receipts).toEqual([])
      expect(own.slice(0, -2).every(({ receipts }) => receipts.length === size)).toBe(true)
    }
  }
})

type Traced = ReadonlyArray<chainFrames.TracedTransaction>

const isCreation = ({ type }: chainFrames.ListedFrame) => type.startsWith("CREATE")

const isMoving = ({ type, value }: chainFrames.ListedFrame) => type === "CALL" && BigInt(value ?? 0) > 0n

/**
 * What anvil treats as an operation: also the top call, failed calls, and delegate calls, which repeat the value of
 * their caller.
 */
const isAnvilOperation = (frame: chainFrames.ListedFrame) =>
  isCreation(frame) ||
  frame.type === "SELFDESTRUCT" ||
  isMoving(frame.type === "DELEGATECALL" ? { ...frame, type: "CALL" } : frame)

const types: Readonly<Record<string, number>> = { SELFDESTRUCT: 1, CREATE: 2, CREATE2: 3 }

const operationOf = ({ from, to, type, value }: chainFrames.ListedFrame) => ({
  type: types[type] ?? 0,
  from,
  to,
  value: value ?? "0x0",
})

const isOperation = (frame: chainFrames.ListedFrame) =>
  frame.depth > 0 && !frame.isFailed && frame.type !== "DELEGATECALL" && isAnvilOperation(frame)

/** The operations and calls of every transaction. */
const transactions = Effect.fnUntraced(function* (service: Indexed, traced: Traced) {
  const calls = (method: string) => traced.map(({ hash }): Call => [method, [hash]])
  const operations = yield* answers(service, calls("ots_getInternalOperations"))
  const traces = yield* answers(service, calls("ots_traceTransaction"))
  for (const [at, { frames, hash }] of traced.entries()) {
    const [own, anvil] = operations[at]!
    expect([hash, own]).toEqual([hash, frames.filter(isOperation).map(operationOf)])
    // A trace of a failed creation does not name what it would have created.
    const expected = frames.filter(isAnvilOperation).map(operationOf)
    const named = anvil.map((one: Json, index: number) => (expected[index]?.to === "" ? { ...one, to: "" } : one))
    expect([hash, named]).toEqual([hash, expected])
    const [trace, anvilTrace] = traces[at]!
    const isValueless = ({ type }: { readonly type: string }) => type === "STATICCALL" || type === "DELEGATECALL"
    expect([hash, trace]).toEqual([
      hash,
      frames.map(({ depth, from, input, output, to, type, value }) => ({
        type,
        depth,
        from,
        to: to === "" ? null : to,
        value: isValueless({ type }) ? null : (value ?? "0x0"),
        input,
        output,
      })),
    ])
    // Anvil lists only calls, and adds a value to calls without one.
    const isCall = ({ type }: { readonly type: string }) => type.endsWith("CALL") || type === "CALLCODE"
    const withoutValue = (frame: Json) => (isValueless(frame) ? omit(frame, "value") : frame)
    expect([hash, trace.filter(isCall).map(withoutValue)]).toEqual([hash, anvilTrace.map(withoutValue)])
  }
  yield* compare(service, calls("ots_getTransactionError"))
  expect(operations.some(([own]) => own.length > 1)).toBe(true)
})

/**
 * True if a transaction has a call from or to an address, except calls that only read, or run code for another account.
 */
const isListedOf = (address: string, { frames }: chainFrames.TracedTransaction) =>
  frames.some(
    ({ depth, from, to, type }) =>
      (depth === 0 || (type !== "STATICCALL" && type !== "DELEGATECALL")) && (from === address || to === address),
  )

/** Anvil lists those too, but no account that received the balance of a destroyed contract. */
const isListedByAnvil = (address: string, { frames }: chainFrames.TracedTransaction) =>
  frames.some(({ from, to, type }) => type !== "SELFDESTRUCT" && (from === address || to === address))

const newestFirst = (traced: Traced) => traced.toReversed().map(({ hash }) => hash)

/** Every page of an address from one end of its list to the other, by the block of the last row. */
const walk = Effect.fnUntraced(function* (
  service: Indexed,
  address: string,
  direction: "After" | "Before",
  size: number,
) {
  const rows: Array<Json> = []
  for (let block = 0; ;) {
    const method = `ots_searchTransactions${direction}`
    const { result } = yield* service.ask(method, address, block, size)
    const { firstPage, lastPage, receipts, txs } = result
    expect(txs.map(({ hash }: Json) => hash)).toEqual(receipts.map(({ transactionHash }: Json) => transactionHash))
    for (const [at, transaction] of txs.entries()) {
      expect([typeof receipts[at].timestamp, transaction.blockHash]).toEqual(["number", receipts[at].blockHash])
    }
    if (direction === "Before") rows.push(...txs)
    else rows.unshift(...txs)
    const [isStart, isEnd] = direction === "Before" ? [firstPage, lastPage] : [lastPage, firstPage]
    expect(isStart).toBe(block === 0)
    if (isEnd) return rows.map(({ hash }) => hash)
    block = Number((direction === "Before" ? txs.at(-1) : txs[0]).blockNumber)
  }
})

/** The searches for every address in a call of the chain, with pages of each size. */
const searches = Effect.fnUntraced(function* (service: Indexed, traced: Traced) {
  const addresses = [...new Set(traced.flatMap(({ frames }) => frames.flatMap(({ from, to }) => [from, to])))]
    .filter((address) => address !== "")
    .toSorted()
  const calls = addresses.map((address): Call => ["ots_searchTransactionsBefore", [address, 0, 25]])
  const received = yield* answers(service, calls)
  for (const [at, address] of addresses.entries()) {
    const own = newestFirst(traced.filter((one) => isListedOf(address, one)))
    for (const size of at % 4 === 0 || Runs.usualPart >= 1 ? [1, 25] : [25]) {
      expect([address, size, yield* walk(service, address, "Before", size)]).toEqual([address, size, own])
    }
    expect([address, yield* walk(service, address, "After", 4)]).toEqual([address, own])
    const anvil = newestFirst(traced.filter((one) => isListedByAnvil(address, one)))
    const page: ReadonlyArray<string> = received[at]![1].txs.map(({ hash }: Json) => hash)
    expect([address, page]).toEqual([address, anvil.slice(0, page.length)])
  }
  expect(addresses.length).toBeGreaterThan(30)
  const rows = (result: Json) => ({
    txs: result.txs,
    receipts: result.receipts.map((one: Json) => omit(one, "timestamp", "blockTimestamp")),
  })
  // For accounts, but not for contracts that others only read, whole pages are equal.
  const accounts = Object.values(service.world.accounts)
  yield* compare(
    service,
    accounts.map((account) => ["ots_searchTransactionsBefore", [account, 0, 25]]),
    rows,
  )
})

/** The code, creator and transactions of every address. */
const accounts = Effect.fnUntraced(function* (service: Indexed, traced: Traced) {
  const addresses = [...new Set(traced.flatMap(({ frames }) => frames.flatMap(({ from, to }) => [from, to])))].filter(
    (address) => address !== "",
  )
  const blocks = some(numbersOf(service), 5)
  yield* compare(
    service,
    addresses.flatMap((address) => blocks.map((number): Call => ["ots_hasCode", [address, number]])),
  )
  // A failed creation has created nothing: anvil names the account of its nonce, from which calls that it made are
  // sent.
  const uncreated = new Set(
    traced.flatMap(({ frames: [root, inner, ...others] }) => {
      const ofRoot = inner !== undefined && isCreation(root!) && root!.isFailed ? [inner.from] : []
      const failed = [...(inner === undefined ? [] : [inner]), ...others].filter(isCreation)
      return [...ofRoot, ...failed.flatMap(({ isFailed, to }) => (isFailed && to !== "" ? [to] : []))]
    }),
  )
  expect(uncreated.size).toBeGreaterThan(1)
  yield* compare(
    service,
    addresses.filter((address) => !uncreated.has(address)).map((address) => ["ots_getContractCreator", [address]]),
  )
  const ofUncreated = yield* answers(
    service,
    [...uncreated].map((address) => ["ots_getContractCreator", [address]]),
  )
  expect(ofUncreated.map(([own]) => own)).toEqual([...uncreated].map(() => null))
  const senders = Object.values(service.world.accounts)
  yield* compare(
    service,
    senders.flatMap((sender) =>
      Array.from({ length: 12 }, (_, nonce): Call => ["ots_getTransactionBySenderAndNonce", [sender, nonce]]),
    ),
  )
})

const failure = (message: string, code = -32_000) => ({ code, message })

/** What does not exist, and what cannot be requested. */
const unknown = Effect.fnUntraced(function* ({ ask, last, world }: Indexed) {
  const hash = `0x${"12".repeat(32)}`
  const { alice } = world.accounts
  for (const method of ["erigon_getHeaderByNumber", "ots_getHeaderByNumber", "ots_getBlockDetails"]) {
    expect((yield* ask(method, last + 1)).result).toBe(null)
  }
  expect((yield* ask("ots_getBlockDetailsByHash", hash)).result).toBe(null)
  expect((yield* ask("ots_getBlockTransactions", last + 1, 0, 25)).result).toBe(null)
  expect((yield* ask("ots_hasCode", alice, last + 1)).error).toEqual(failure(`block not found: ${last + 1}`))
  for (const method of ["ots_getInternalOperations", "ots_traceTransaction", "ots_getTransactionError"]) {
    expect((yield* ask(method, hash)).error).toEqual(failure(`transaction ${hash} not found`))
  }
  for (const method of ["ots_searchTransactionsBefore", "ots_searchTransactionsAfter"]) {
    expect((yield* ask(method, alice, 0, 26)).error).toEqual(failure("max allowed page size: 25"))
    expect((yield* ask(method, hash.slice(0, 42), 0, 25)).result).toEqual({
      txs: [],
      receipts: [],
      firstPage: true,
      lastPage: true,
    })
  }
  const above = { txs: [], receipts: [], firstPage: true, lastPage: false }
  expect((yield* ask("ots_searchTransactionsAfter", alice, last, 25)).result).toEqual(above)
  const below = { txs: [], receipts: [], firstPage: false, lastPage: true }
  expect((yield* ask("ots_searchTransactionsBefore", alice, 1, 25)).result).toEqual(below)
  expect((yield* ask("ots_getTransactionBySenderAndNonce", alice, 1_000)).result).toBe(null)
})

describe("Otterscan", () => {
  it.live(
    "every method returns the same as anvil for every block, transaction and address, except for stated differences",
    () =>
      Effect.gen(function* () {
        const service = yield* indexedChain.start
        const traced = yield* chainFrames.read(service.node, service.last)

        yield* blocks(service)
        yield* pages(service)
        yield* transactions(service, traced)
        yield* searches(service, traced)
        yield* accounts(service, traced)
        yield* unknown(service)
      }).pipe(Effect.scoped),
    400_000,
  )
})
