/**
 * The past of a wallet that is added to an index of some wallets, found in the states of a node without `trace_filter`.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { it } from "@effect/vitest"
import { Anvil, Scenario } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { projection } from "../../src/projection/WalletTransactions.ts"
import * as AppliedSettings from "../../src/store/AppliedSettings.ts"
import * as WatchList from "../../src/store/WatchList.ts"
import type * as TestStore from "../store/TestStore.ts"
import { caughtUp, openStore, start } from "./chain.ts"
import * as Server from "../node/server.ts"

vi.setConfig({ testTimeout: 120_000 })

interface RawTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly value: string
}

/** A node in front of another one that counts its calls. */
const counted = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const state = { methods: new Map<string, number>(), onCall: () => {} }
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const body = Buffer.concat(chunks).toString()
            for (const [, method = ""] of body.matchAll(/"method":"(\w+)"/g)) {
              state.methods.set(method, (state.methods.get(method) ?? 0) + 1)
              state.onCall()
            }
            fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
              .then((answer) => answer.text())
              .then(
                (text) => response.setHeader("content-type", "application/json").end(text),
                () => response.destroy(),
              )
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { server, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
      }),
      ({ server }) =>
        Effect.promise(() => {
          server.closeAllConnections()
          return new Promise((resolve) => server.close(resolve))
        }),
    ),
    ({ state, url: own }) => ({ state, url: own }),
  )

/**
 * The transactions of an account from a node's blocks, oldest first; a call of value 0 by another account is marked.
 */
const scan = Effect.fnUntraced(function* (node: Anvil.Node, last: number) {
  const blocks = yield* Effect.forEach(Array.from({ length: last + 1 }), (_, number) =>
    node.call<{ readonly transactions: ReadonlyArray<RawTransaction> }>("eth_getBlockByNumber", [
      `0x${number.toString(16)}`,
      true,
    ]),
  )
  const creations = new Map<string, string>()
  const rows = blocks.flatMap(({ transactions }, block) => transactions.map((one) => ({ ...one, block })))
  for (const { hash, to } of rows) {
    if (to !== null) continue
    const { contractAddress } = yield* node.call<{ readonly contractAddress: string }>("eth_getTransactionReceipt", [
      hash,
    ])
    creations.set(hash, contractAddress)
  }
  return (wallet: string) =>
    rows
      .filter(({ from, hash, to }) => from === wallet || to === wallet || creations.get(hash) === wallet)
      .map(({ block, from, hash, value }) => ({ block, hash, isUnseen: from !== wallet && value === "0x0" }))
})

const hashesOf = Effect.fnUntraced(function* (store: TestStore.TestStore, wallet: string) {
  return yield* store.snapshot((snapshot) =>
    Effect.gen(function* () {
      const checkpoint = (yield* snapshot.checkpoint)!
      const [from, to] = [WatchList.firstBlock(checkpoint, wallet), checkpoint.head.number]
      const range = { key: wallet, from, to, order: "ASC", after: null, limit: 1_000 } as const
      const { rows } = yield* snapshot.page(projection, range)
      return { from, hashes: rows.map(({ body }) => JSON.parse(body).hash as string) }
    }),
  )
})

it.live("run: the past of added wallets is found, whenever the search is interrupted", () =>
  Effect.gen(function* () {
    const node = yield* Anvil.make()
    const { accounts } = yield* Scenario.run(node, { seed: 5, blobs: false, blocks: 14 })
    const last = Number(yield* node.call<string>("eth_blockNumber"))
    const byWallet = yield* scan(node, last)
    const added = [accounts.bob, accounts.carol, accounts.deployer]
    const { state, url } = yield* counted(node.url)
    const store = yield* openStore
    const options = { watch: new Set([accounts.alice as string]), searchCallsPerMinute: 1_000_000 }
    const { changeWatch } = store.database.chain(store.ref)
    const isSearching = store.snapshot(({ checkpoint }) =>
      Effect.map(checkpoint, (found) => found === null || added.some((wallet) => WatchList.isSearching(found, wallet))),
    )
    const first = yield* start(store, [url], options)
    yield* first.until(caughtUp(last))
    yield* changeWatch({ _tag: "Add", wallets: added })
    let stops = 0
    yield* first.stop
    for (let after = 2; yield* isSearching; after += 7) {
      // The search is ended after some calls, at any point, and starts again on the same store.
      const indexer = yield* start(store, [url], options)
      let calls = 0
      const stopped = new Promise<void>((resolve) => {
        state.onCall = () => {
          if (++calls === after) resolve()
        }
      })
      yield* Effect.raceFirst(
        Effect.promise(() => stopped),
        Eventually.untilEffect(
          Effect.map(isSearching, (is) => !is),
          { everyMillis: 20, what: "the end of the search" },
        ),
      )
      yield* indexer.stop
      stops++
      expect(stops).toBeLessThan(200)
    }

    expect(stops).toBeGreaterThan(5)
    for (const wallet of [accounts.alice, ...added]) {
      const { from, hashes } = yield* hashesOf(store, wallet)
      const expected = byWallet(wallet)
      const unseen = new Set(expected.filter(({ isUnseen }) => isUnseen).map(({ hash }) => hash))
      expect([wallet, from]).toEqual([wallet, 0])
      expect([wallet, new Set(hashes).size]).toEqual([wallet, hashes.length])
      // State alone cannot reveal calls of value 0 by others; if they are found beside other movements, they are rows
      // too.
      expect([wallet, hashes.filter((hash) => !unseen.has(hash))]).toEqual([
        wallet,
        expected.filter(({ isUnseen }) => !isUnseen).map(({ hash }) => hash),
      ])
      expect(hashes.every((hash) => expected.some((one) => one.hash === hash))).toBe(true)
    }
    expect(state.methods.get("trace_filter")).toBeUndefined()
  }).pipe(Effect.scoped),
)

/** Code of a contract that forwards what it receives to the address in its input. */
const forwarder = "0x5f5f5f5f345f355af15000"
const forwarderAt = `0x${"f0".repeat(20)}`
const payee = `0x${"a1".repeat(20)}`

/**
 * A block in which a contract pays the added wallet, beside a transaction of the wallet that is watched from the start.
 */
const paidByContract = Effect.gen(function* () {
  const node = yield* Anvil.make()
  const [alice = "", bob = ""] = node.accounts.map((account) => account.toLowerCase())
  yield* node.call("anvil_setCode", [forwarderAt, forwarder])
  yield* node.call("evm_setAutomine", [false])
  const send = (from: string, to: string, value: string) =>
    node.call<string>("eth_sendTransaction", [
      { from, to: forwarderAt, value, gas: "0x30d40", data: `0x${to.slice(2).padStart(64, "0")}` },
    ])
  const payment = yield* send(bob, payee, "0x7")
  const ofAlice = yield* send(alice, `0x${"0".repeat(40)}`, "0x1")
  yield* node.call("evm_mine")
  const block = Number(yield* node.call<string>("eth_blockNumber"))
  yield* node.call("anvil_mine", ["0x3"])
  return { url: node.url, alice, payment, ofAlice, block, last: block + 3 }
})

/** An index of the first wallet, to which the payee is added; from then on the node answers with `reply`. */
const indexedThenAdded = Effect.fnUntraced(function* (
  { alice, last, url }: Effect.Success<typeof paidByContract>,
  reply: Server.Fallback,
) {
  let isLater = false
  const forward = Server.forward(url)
  const server = yield* Server.start({}, (method, params) => (isLater ? reply : forward)(method, params))
  const store = yield* openStore
  const indexer = yield* start(store, [server.url], { watch: new Set([alice]), searchCallsPerMinute: 1_000_000 })
  yield* indexer.until(caughtUp(last))
  const { audit, changeWatch } = store.database.chain(store.ref)
  const tracesOf = (block: number) =>
    Effect.map(audit.range(block, block), ({ blocks }) =>
      blocks.flatMap(({ transactions }) =>
        transactions.map(({ hash, internal }) => [hash, internal === "null" ? "untraced" : "traced"]),
      ),
    )
  const add = Effect.andThen(
    Effect.sync(() => (isLater = true)),
    changeWatch({ _tag: "Add", wallets: [payee] }),
  )
  return { add, indexer, store, tracesOf }
})

it.live(
  "run: stores a block of an added wallet that no node can trace any more, with its gaps and the traces that it has",
  () =>
    Effect.gen(function* () {
      const chain = yield* paidByContract
      const { block, last, ofAlice, payment, url } = chain
      const { add, indexer, store, tracesOf } = yield* indexedThenAdded(chain, (method, params) =>
        /^(trace|debug)_/.test(method)
          ? { error: { code: -32000, message: "missing trie node" } }
          : Server.forward(url)(method, params),
      )
      const before = yield* tracesOf(block)
      yield* add
      yield* Eventually.untilEffect(
        store.snapshot(({ checkpoint }) =>
          Effect.map(
            checkpoint,
            (found) => found?.watch?.includes(payee) === true && !WatchList.isSearching(found, payee),
          ),
        ),
        { everyMillis: 20, what: "the end of the search" },
      )
      yield* indexer.stop
      const gaps = yield* store.gaps({ from: 0, to: last, limit: 9 })
      const after = yield* tracesOf(block)

      expect(before).toEqual([[ofAlice, "traced"]])
      expect(gaps.map((gap) => [gap.block, gap.kind, gap.transaction])).toEqual([[block, "trace", payment]])
      expect(new Map(after.map(([hash = "", state]) => [hash, state]))).toEqual(
        new Map([
          [payment, "untraced"],
          [ofAlice, "traced"],
        ]),
      )
    }).pipe(Effect.scoped),
)

it.live("run: keeps row and traces of a block with a stored receipt that no longer decodes", () =>
  Effect.gen(function* () {
    const chain = yield* paidByContract
    const { block, ofAlice, payment, url } = chain
    const { add, indexer, store, tracesOf } = yield* indexedThenAdded(chain, async (method, params) => {
      const reply = await Server.forward(url)(method, params)
      if (!/Receipts?$/.test(method)) return reply
      // Its receipt does not decode.
      const revise = (value: unknown) =>
        (value as { readonly transactionHash: string }).transactionHash === ofAlice
          ? { ...(value as object), gasUsed: "none" }
          : value
      const { result } = reply as { readonly result: unknown }
      return { result: Array.isArray(result) ? result.map(revise) : revise(result) }
    })
    yield* add
    const isDone = store.snapshot(({ checkpoint }) =>
      Effect.map(checkpoint, (found) => found?.watch?.includes(payee) === true && !WatchList.isSearching(found, payee)),
    )
    yield* Eventually.untilEffect(isDone, { everyMillis: 20, withinMillis: 30_000, what: "the end of the search" })
    yield* indexer.stop

    expect(yield* tracesOf(block)).toEqual([
      [payment, "traced"],
      [ofAlice, "traced"],
    ])
  }).pipe(Effect.scoped),
)

it.live(
  "run: keeps the stored row of a block whose receipt a node has lost, and adds the rows of the added wallet",
  () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [mine = "", added = "", other = ""] = node.accounts
      const send = (from: string) =>
        node.call<string>("eth_sendTransaction", [
          { from, to: other, value: "0x1", gas: "0x5208", gasPrice: "0x77359400" },
        ])
      const lost = yield* send(mine)
      const kept = yield* send(added)
      yield* node.call("evm_mine")
      const later = yield* send(mine)
      yield* node.call("evm_mine")
      let isLost = false
      const forward = Server.forward(node.url)
      const front = yield* Server.start(
        {
          eth_getBlockReceipts: (params) =>
            isLost && params[0] !== "0x2" ? { result: null } : forward("eth_getBlockReceipts", params),
          eth_getTransactionReceipt: (params) =>
            isLost && params[0] === lost ? { result: null } : forward("eth_getTransactionReceipt", params),
        },
        forward,
      )
      const store = yield* openStore
      const searchBackoff = { firstMillis: 1, maxMillis: 1 }
      const options = { watch: new Set([mine]), searchCallsPerMinute: 1_000_000, searchBackoff }
      const indexer = yield* start(store, [front.url], options)
      yield* indexer.until(caughtUp(2))
      isLost = true
      yield* store.database.chain(store.ref).changeWatch({ _tag: "Add", wallets: [added] })
      const isFound = store.snapshot(({ checkpoint }) =>
        Effect.map(
          checkpoint,
          (found) => found?.watch?.includes(added) === true && !WatchList.isSearching(found, added),
        ),
      )
      yield* Eventually.untilEffect(isFound, { everyMillis: 20, withinMillis: 60_000, what: "the end of the search" })

      expect(yield* hashesOf(store, mine)).toEqual({ from: 0, hashes: [lost, later] })
      expect(yield* hashesOf(store, added)).toEqual({ from: 0, hashes: [kept] })
      expect(yield* store.gaps({ from: 0, to: 9, limit: 9 })).toEqual([])
    }).pipe(Effect.scoped),
)

it.live(
  "run: an index of some wallets records whose rows it has; without the record it is treated as an earlier version's",
  () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      yield* node.call("anvil_mine", ["0x4"])
      const store = yield* openStore
      const options = { watch: new Set([node.accounts[0]!]) }
      const settingsAt = Effect.fnUntraced(function* (head: number) {
        const indexer = yield* start(store, [node.url], options)
        yield* indexer.until(caughtUp(head))
        yield* indexer.stop
        return (yield* store.readStatus)?.settings ?? []
      })
      const own = yield* settingsAt(4)
      const { ageMillis: _, ...status } = (yield* store.readStatus)!
      yield* store.writeStatus({ ...status, settings: own.filter(({ name }) => name !== "rows") })
      yield* node.call("anvil_mine", ["0x2"])
      const earlier = yield* settingsAt(6)
      const stored = { from: 0, to: 6 }

      expect(own.filter(({ name }) => name === "rows")).toEqual([{ name: "rows", value: "roles" }])
      expect(AppliedSettings.storedByParty(earlier, stored)).toEqual({ value: "parties", from: 0, to: 4 })
    }).pipe(Effect.scoped),
)
