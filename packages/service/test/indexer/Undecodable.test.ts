/** Nodes whose responses do not decode in part: no block stops the chain, and what is missing is stored as a gap. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, References } from "effect"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as FillGaps from "../../src/fetch/FillGaps.ts"
import * as Repair from "../../src/maintenance/Repair.ts"
import * as Node from "../../src/node/Node.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import { Engine } from "../../src/store/Engine.ts"
import { decoder, openStore } from "./chain.ts"
import * as fixture from "./fixture.ts"
import { hashOf, healthyAt } from "./scriptedChain.ts"
import * as ScriptedFetch from "./ScriptedFetch.ts"

type Wire = Readonly<Record<string, unknown>>
type Edit = (value: Wire) => unknown

/** What a node changes in its responses about a block: the transaction, the receipt, the block. */
interface Edits {
  readonly transaction?: Edit
  readonly receipt?: Edit
  readonly block?: Edit
}

const same: Edit = (value) => value

const without =
  (...keys: ReadonlyArray<string>) =>
  (value: Wire): Wire =>
    Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))

/** First block that is changed. */
const first = 5
const head = 20
const healthy = healthyAt(head)
const transactionHash = (number: number) => hashOf(number + 0x10000)

/** A node that changes its responses about some blocks. */
const editing =
  (editsAt: (number: number) => Edits | undefined): ScriptedFetch.Handler =>
  (method, params) => {
    const reply = healthy(method, params)
    if (!("result" in reply)) return reply
    if (method === "eth_getBlockByNumber") {
      const found = reply.result as Wire & { readonly transactions: ReadonlyArray<unknown> }
      const { block = same, transaction = same } = editsAt(Number(found["number"])) ?? {}
      const transactions = found.transactions.map((one) => (typeof one === "string" ? one : transaction(one as Wire)))
      return { result: block({ ...found, transactions }) }
    }
    const isOfBlock = method === "eth_getBlockReceipts"
    if (!isOfBlock && method !== "eth_getTransactionReceipt") return reply
    const { receipt = same } = editsAt(Number(params[0]) - (isOfBlock ? 0 : 0x10000)) ?? {}
    return { result: isOfBlock ? (reply.result as ReadonlyArray<Wire>).map(receipt) : receipt(reply.result as Wire) }
  }

/** The same for consecutive blocks, from a list. */
const editingEach = (edits: ReadonlyArray<Edits>) => editing((number) => edits[number - first])

const nodeOf = (answer: ScriptedFetch.Handler) => {
  const scripted = ScriptedFetch.make(answer)
  const { fetch } = scripted
  return Effect.map(Node.make({ urls: ["http://node.example:8545"], chainId: 31337, fetch }), (node) => ({
    node,
    scripted,
  }))
}

const assembling = { decoder, checks: "links" } as const

/** Indexes for a while; returns the rows by block, and what is known of the chain. */
const index = Effect.fnUntraced(function* (answer: ScriptedFetch.Handler, seconds = 2) {
  const { node, scripted } = yield* nodeOf(answer)
  const store = yield* openStore
  const options = { chain: store.ref.name, chainId: store.ref.id, owner: "me", ...assembling }
  const fiber = yield* ChainIndexer.run(node, options).pipe(
    Effect.provideService(Engine, store.database),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.forkScoped,
  )
  yield* ScriptedFetch.advance(scripted, seconds)
  const status = yield* store.readStatus
  yield* Fiber.interrupt(fiber)
  const query = { key: fixture.sender, from: 0, to: head, order: "ASC", after: null, limit: 100 } as const
  const rowsOf = Effect.map(
    store.snapshot(({ page }) => page(WalletTransactions.projection, query)),
    ({ rows }) => rows.map(({ body }) => JSON.parse(body) as Wire),
  )
  const gapsOf = store.gaps({ from: 0, to: head, limit: 1_000 })
  return { store, status, rowsOf, gapsOf, rows: yield* rowsOf, gaps: yield* gapsOf }
})

const logsOf = ({ logs }: Wire, change: Wire) => (logs as ReadonlyArray<Wire>).map((log) => ({ ...log, ...change }))

/** Transactions without which there is no record: the reason of the gap, and whether the hash is known. */
const lost: ReadonlyArray<readonly [transaction: Edit, reason: string, hasHash: boolean]> = [
  [(one) => ({ ...one, value: "lots" }), 'Invalid transaction 0 "value"', true],
  [without("value"), 'Invalid transaction 0 "value"', true],
  [(one) => ({ ...one, from: "0x12" }), 'Invalid transaction 0 "from"', true],
  [(one) => ({ ...one, maxFeePerGas: {} }), 'Invalid transaction 0 "maxFeePerGas"', true],
  [(one) => ({ ...one, type: "0x55", to: 7 }), 'Invalid transaction 0 "to"', true],
  [(one) => ({ ...one, hash: 7 }), 'Invalid transaction 0 "hash"', false],
  [() => 7, "Invalid transaction 0: expected an object", false],
  [() => null, "Invalid transaction 0: expected an object", false],
]

/** Fields that no record contains, and the reason of the gap. */
const unseen: ReadonlyArray<readonly [edits: Edits, reason: string | null]> = [
  [{ transaction: (one) => ({ ...one, accessList: [{ address: 7 }] }) }, 'Invalid transaction 0 "accessList[0]'],
  [{ transaction: (one) => ({ ...without("v")(one), r: null }) }, 'Invalid transaction 0 "r"'],
  [{ transaction: (one) => ({ ...one, type: "0xzz" }) }, 'Invalid transaction 0 "type"'],
  [
    { transaction: (one) => ({ ...one, type: "0x55", chainId: "?", extra: [{ deep: 1 }] }) },
    'Invalid transaction 0 "chainId"',
  ],
  [{ receipt: (one) => ({ ...one, l1Fee: "0.5", l1FeeScalar: 7 }) }, 'Invalid receipt 0 "l1Fee"'],
  [{ receipt: (one) => ({ ...one, logsBloom: "0x00" }) }, 'Invalid receipt 0 "logsBloom"'],
  [{ receipt: (one) => ({ ...one, logs: logsOf(one, { removed: 0 }) }) }, 'Invalid receipt 0 "removed"'],
  [{ receipt: without("contractAddress") }, null],
  [{ receipt: (one) => ({ ...one, contractAddress: "" }) }, null],
  [{ receipt: (one) => ({ ...one, contractAddress: "0x" }) }, null],
  [
    { transaction: (one) => ({ ...without("maxFeePerGas")(one), gasPrice: "0x9" }) },
    'Invalid transaction 0 "maxFeePerGas',
  ],
  [{ block: (one) => ({ ...one, extraData: 7 }) }, 'Invalid block "extraData"'],
  [{ block: (one) => ({ ...one, withdrawals: "none" }) }, 'Invalid block "withdrawals"'],
  [{ block: (one) => ({ ...without("size")(one), totalDifficulty: "much" }) }, null],
]

const withoutReceipt: ReadonlyArray<readonly [receipt: Edit, reason: string]> = [
  [(one) => ({ ...one, status: "ok" }), 'Invalid receipt 0 "status"'],
  [without("gasUsed"), 'Invalid receipt 0 "gasUsed"'],
  [without("contractAddress", "to"), 'Invalid receipt 0 "contractAddress"'],
  [(one) => ({ ...one, logs: logsOf(one, { data: null }) }), 'Invalid receipt 0 "logs[0].data"'],
  [(one) => ({ ...one, logs: {} }), 'Invalid receipt 0 "logs"'],
  [without("logs"), 'Invalid receipt 0 "logs"'],
]

/** Hashes of the records that a chain has outside some blocks. */
const hashesWithout = (count: number) =>
  Array.from({ length: head + 1 }, (_, number) => number)
    .filter((number) => number < first || number >= first + count)
    .map(transactionHash)

describe("ChainIndexer with responses that do not decode", () => {
  it.effect("run: stores a block without the records of transactions that do not decode, as gaps", () =>
    Effect.gen(function* () {
      const { gaps, rows, status } = yield* index(editingEach(lost.map(([transaction]) => ({ transaction }))))

      expect(status?.state).toBe("synced")
      expect(rows.map(({ hash }) => hash)).toEqual(hashesWithout(lost.length))
      expect(gaps).toEqual(
        lost.map(([, reason, hasHash], at) => ({
          block: first + at,
          kind: "transaction",
          reason: expect.stringContaining(reason),
          transaction: hasHash ? transactionHash(first + at) : undefined,
        })),
      )
    }),
  )

  it.effect("run: stores complete records if only fields that they do not contain fail to decode", () =>
    Effect.gen(function* () {
      const whole = yield* index(healthy)
      const { gaps, rows, status } = yield* index(editingEach(unseen.map(([edits]) => edits)))

      expect(status?.state).toBe("synced")
      expect(rows.length).toBe(head + 1)
      expect(rows).toEqual(whole.rows)
      expect(gaps).toEqual(
        unseen.flatMap(([, reason], at) => {
          if (reason === null) return []
          return [{ block: first + at, kind: "check", reason: expect.stringContaining(reason) }]
        }),
      )
    }),
  )

  it.effect("run: stores no facts of a block if a field that they may contain does not decode", () =>
    Effect.gen(function* () {
      const edits: ReadonlyArray<Edits> = [
        {},
        { block: (one) => ({ ...one, withdrawals: "none" }) },
        { block: (one) => ({ ...one, extraData: 7 }) },
        { receipt: (one) => ({ ...one, l1Fee: "0.5" }) },
        { transaction: (one) => ({ ...one, accessList: 7 }) },
        { transaction: (one) => ({ ...one, value: "lots" }) },
      ]
      const { store } = yield* index(editingEach(edits))
      const { audit } = store.database.chain(store.ref)
      const { blocks } = yield* audit.range(first, first + edits.length - 1)
      const facts = blocks.map((block) => (block.facts === null ? null : (JSON.parse(block.facts) as Wire)))

      expect(facts.map((found) => found !== null)).toEqual([true, false, true, false, false, true])
      expect(facts[0]?.["gasFees"]).not.toBe(null)
      expect(facts[5]).toMatchObject({ gasFees: null, transactions: [] })
    }),
  )

  it.effect("run: stores a block without receipts that do not decode, as gaps", () =>
    Effect.gen(function* () {
      const edits = withoutReceipt.map(([receipt]) => ({ receipt }))
      const { gaps, rows, status } = yield* index(editingEach(edits))

      expect(status?.state).toBe("synced")
      expect(rows.map(({ hash }) => hash)).toEqual(hashesWithout(edits.length))
      expect(gaps).toEqual(
        withoutReceipt.map(([, reason], at) => ({
          block: first + at,
          kind: "receipt",
          transaction: transactionHash(first + at),
          reason: expect.stringContaining(reason),
        })),
      )
    }),
  )

  it.effect("run: reaches the head even if a part of every block does not decode", () =>
    Effect.gen(function* () {
      const edits: Edits = {
        block: (one) => ({ ...one, size: null, gasLimit: "much" }),
        transaction: (one) => ({ ...one, accessList: 7 }),
        receipt: (one) => ({ ...one, status: "ok" }),
      }
      const { gaps, status } = yield* index(editing(() => edits))

      expect(status).toMatchObject({ state: "synced" })
      expect(gaps.filter(({ kind }) => kind === "receipt").length).toBe(head + 1)
      expect(gaps.filter(({ kind }) => kind === "check").length).toBe(2 * (head + 1))
    }),
  )

  it.effect("run: treats null lists as empty, and a topic without digits as zeros", () =>
    Effect.gen(function* () {
      const edits: ReadonlyArray<Edits> = [
        { receipt: (one) => ({ ...one, logs: null }) },
        { receipt: (one) => ({ ...one, logs: logsOf(one, { topics: null }) }) },
        { receipt: (one) => ({ ...one, logs: logsOf(one, { topics: ["0x"] }) }) },
        { block: (one) => ({ ...one, transactions: null, gasUsed: "0x0" }) },
      ]
      const edited = editingEach(edits)
      const { gaps, rows, status } = yield* index((method, params) =>
        method !== "eth_getBlockByNumber" && Number(params[0]) === first + 3 ? { result: [] } : edited(method, params),
      )
      const logs = rows.map((row) => row["logs"] as ReadonlyArray<Wire>)

      expect(status?.state).toBe("synced")
      expect(rows.map(({ hash }) => hash)).toEqual(
        Array.from({ length: head + 1 }, (_, number) => number)
          .filter((number) => number !== first + 3)
          .map(transactionHash),
      )
      expect(logs[first]).toEqual([])
      expect([1, 2].map((at) => logs[first + at]?.[0]?.["topic0"])).toEqual(["", hashOf(0)])
      expect(gaps).toEqual([])
    }),
  )

  it.effect.each<readonly [string, Edit]>([
    ["parent", (block) => ({ ...block, parentHash: "0x12" })],
    ["transactions", (block) => ({ ...block, transactions: "none" })],
    ["no transactions", without("transactions")],
  ])("run: waits for a block whose links do not decode: %s", ([, block]) =>
    Effect.gen(function* () {
      const { gaps, status, store } = yield* index(editingEach([{ block }]))
      const stored = yield* store.headers(0, head)

      expect(status?.state).toBe("waiting")
      expect(status?.message).toContain("Invalid response from node.example:8545: result.")
      expect(stored.at(-1)?.number).toBe(first - 1)
      expect(gaps).toEqual([])
    }),
  )

  it.effect("run: fills what did not decode from a node with valid responses", () =>
    Effect.gen(function* () {
      const { gapsOf, rowsOf, store } = yield* index(editingEach(lost.map(([transaction]) => ({ transaction }))))
      const { node } = yield* nodeOf(healthy)

      const filled = yield* FillGaps.run(store.database.chain(store.ref), node, { assembling })

      expect(filled).toMatchObject({ filled: lost.length, remaining: 0, failed: [] })
      expect(yield* gapsOf).toEqual([])
      expect((yield* rowsOf).length).toBe(head + 1)
    }),
  )

  it.effect("run: loses no record to a repair from a node whose responses do not decode", () =>
    Effect.gen(function* () {
      const { rowsOf, store } = yield* index(healthy)
      const { node } = yield* nodeOf(editingEach([{ receipt: (one) => ({ ...one, status: "ok" }) }]))
      const verified = { issues: [{ block: first, what: "a row is damaged" }], orphaned: [], removable: [] }
      const { audit } = store.database.chain(store.ref)

      // Sound: nothing else of a verification is read.
      const repaired = yield* Repair.run(audit, node, verified as never, assembling).pipe(Effect.scoped)

      expect(repaired.blocks).toEqual([])
      expect(repaired.failed).toEqual([{ block: first, why: expect.stringContaining('Invalid receipt 0 "status"') }])
      expect((yield* rowsOf).length).toBe(head + 1)
    }),
  )
})
