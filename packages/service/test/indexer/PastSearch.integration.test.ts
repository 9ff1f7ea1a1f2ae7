/** The past of a wallet that is added to an index of some wallets, found in the states of a node that has no `trace_filter`. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { it } from "@effect/vitest"
import { Anvil, Scenario } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { projection } from "../../src/projection/WalletTransactions.ts"
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

/** The transactions of an account by the blocks of a node, oldest first; a call of value 0 by another is marked. */
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

it.live("run: the past of wallets that are added is found, whenever the search is stopped in between", () =>
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
      // The search is ended after some calls, in the middle of whatever it does, and begins again on the same store.
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
      // What state alone cannot show are calls of value 0 by others; where they are found beside others, they are rows too.
      expect([wallet, hashes.filter((hash) => !unseen.has(hash))]).toEqual([
        wallet,
        expected.filter(({ isUnseen }) => !isUnseen).map(({ hash }) => hash),
      ])
      expect(hashes.every((hash) => expected.some((one) => one.hash === hash))).toBe(true)
    }
    expect(state.methods.get("trace_filter")).toBeUndefined()
  }).pipe(Effect.scoped),
)

/** Code of a contract that pays what it receives to the address in its input. */
const forwarder = "0x5f5f5f5f345f355af15000"
const forwarderAt = `0x${"f0".repeat(20)}`
const payee = `0x${"a1".repeat(20)}`
const isTrace = (method: string): boolean => /^(trace|debug)_/.test(method)

it.live(
  "run: stores a block of an added wallet that no node can trace any more, with its gaps and the traces that it has",
  () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [alice = "", bob = ""] = node.accounts.map((account) => account.toLowerCase())
      yield* node.call("anvil_setCode", [forwarderAt, forwarder])
      yield* node.call("evm_setAutomine", [false])
      const send = (transaction: object) =>
        node.call<string>("eth_sendTransaction", [{ gas: "0x30d40", ...transaction }])
      const data = `0x${payee.slice(2).padStart(64, "0")}`
      // The wallet is paid by a contract alone, beside a transaction of the wallet that was watched from the start.
      const payment = yield* send({ from: bob, to: forwarderAt, value: "0x7", data })
      const ofAlice = yield* send({ from: alice, to: forwarderAt, value: "0x1", data: `0x${"0".repeat(64)}` })
      yield* node.call("evm_mine")
      const block = Number(yield* node.call<string>("eth_blockNumber"))
      yield* node.call("anvil_mine", ["0x3"])
      const last = Number(yield* node.call<string>("eth_blockNumber"))
      let isPruned = false
      const server = yield* Server.start({}, (method, params) =>
        isPruned && isTrace(method)
          ? { error: { code: -32000, message: "missing trie node" } }
          : Server.forward(node.url)(method, params),
      )
      const store = yield* openStore
      const options = { watch: new Set([alice]), searchCallsPerMinute: 1_000_000 }
      const indexer = yield* start(store, [server.url], options)
      yield* indexer.until(caughtUp(last))
      const { audit, changeWatch } = store.database.chain(store.ref)
      const rowsOf = Effect.map(audit.range(block, block), ({ blocks }) => blocks[0]!.transactions)
      const before = yield* rowsOf
      isPruned = true
      yield* changeWatch({ _tag: "Add", wallets: [payee] })
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
      const after = yield* rowsOf

      expect(before.map(({ hash, internal }) => [hash, internal === "null"])).toEqual([[ofAlice, false]])
      expect(gaps.map(({ block: number, kind, transaction }) => [number, kind, transaction])).toEqual([
        [block, "trace", payment],
      ])
      expect(after.map(({ hash, internal }) => [hash, internal === "null"])).toEqual(
        expect.arrayContaining([
          [payment, true],
          [ofAlice, false],
        ]),
      )
    }).pipe(Effect.scoped),
)
