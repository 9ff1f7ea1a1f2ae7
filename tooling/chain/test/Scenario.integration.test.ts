import { describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { numberToHex, recoverTransactionAddress } from "viem"
import type { Hex } from "viem"
import { expect } from "vitest"
import { Anvil, Head, Scenario } from "@daybook/chain"
import { Rpc } from "@daybook/harness"

interface Transaction {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly type: Hex
  readonly value: Hex
}

interface Block {
  readonly timestamp: Hex
  readonly transactions: ReadonlyArray<Transaction>
}

interface Receipt {
  readonly transactionHash: Hex
  readonly status: Hex
  readonly contractAddress: Hex | null
  readonly logs: ReadonlyArray<{ readonly address: Hex; readonly topics: ReadonlyArray<Hex> }>
}

interface Frame {
  readonly type: string
  readonly to?: Hex
  readonly value?: Hex
  readonly error?: string
  readonly calls?: ReadonlyArray<Frame>
}

const topics = {
  sync: "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1",
  swap: "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
}

const frames = (frame: Frame): ReadonlyArray<Frame> => [frame, ...(frame.calls ?? []).flatMap(frames)]

const eachBlock = <A>(method: string, ...more: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const { url } = yield* Anvil.Anvil
    const { firstBlock, lastBlock } = yield* Scenario.Scenario
    const numbers = Array.from({ length: lastBlock - firstBlock + 1 }, (_, index) => numberToHex(firstBlock + index))
    return yield* Rpc.batch<A>(
      url,
      numbers.map((number) => ({ method, params: [number, ...more] })),
    )
  })

const traceOf = (hash: Hex) =>
  Effect.flatMap(Anvil.Anvil, ({ call }) =>
    call<Frame>("debug_traceTransaction", [hash, { tracer: "callTracer" }]).pipe(Effect.map(frames)),
  )

const receiptOf = (hash: Hex) =>
  Effect.flatMap(Anvil.Anvil, ({ call }) => call<Receipt>("eth_getTransactionReceipt", [hash]))

const world = Scenario.layer().pipe(Layer.provideMerge(Anvil.layer({ chainId: 1 })))

layer(world, { excludeTestServices: true, timeout: "30 seconds" })("Scenario", (it) => {
  describe("layer", () => {
    it.effect("layer: fills 60 blocks with more than 500 transactions", () =>
      Effect.gen(function* () {
        const { all, firstBlock, lastBlock } = yield* Scenario.Scenario
        const head = yield* Effect.flatMap(Anvil.Anvil, Head.current)
        const blocks = yield* eachBlock<Block>("eth_getBlockByNumber", false)

        expect([firstBlock, lastBlock]).toEqual([1, 60])
        expect(head.number).toBe(60)
        expect(blocks.flatMap(({ transactions }) => transactions)).toEqual(all.map(({ hash }) => hash))
        expect(all.length).toBeGreaterThan(500)
        expect(Math.max(...blocks.map(({ transactions }) => transactions.length))).toBe(10)
      }),
    )

    it.effect("layer: sends transactions of types 0 to 4 and names one of each", () =>
      Effect.gen(function* () {
        const { transactions } = yield* Scenario.Scenario
        const { call } = yield* Anvil.Anvil
        const { type0, type1, type2, type3, type4 } = transactions

        const found = yield* Effect.forEach([type0, type1, type2, type3, type4], (hash) =>
          call<Transaction>("eth_getTransactionByHash", [hash]),
        )
        expect(found.map(({ type }) => type)).toEqual(["0x0", "0x1", "0x2", "0x3", "0x4"])
      }),
    )

    it.effect("layer: every transaction is signed with its sender's key", () =>
      Effect.gen(function* () {
        const { transactions, all } = yield* Scenario.Scenario
        const { call } = yield* Anvil.Anvil
        const chosen = [...Object.values(transactions), ...all.slice(0, 20).map(({ hash }) => hash)]

        const signers = yield* Effect.forEach(chosen, (hash) =>
          Effect.gen(function* () {
            const raw = yield* call<Hex>("eth_getRawTransactionByHash", [hash])
            const { from } = yield* call<Transaction>("eth_getTransactionByHash", [hash])
            const serializedTransaction = raw as Parameters<
              typeof recoverTransactionAddress
            >[0]["serializedTransaction"]
            const signer = yield* Effect.promise(() => recoverTransactionAddress({ serializedTransaction }))
            return [signer.toLowerCase(), from]
          }),
        )
        expect(signers.filter(([signer, from]) => signer !== from)).toEqual([])
      }),
    )

    it.effect("layer: exactly the transactions that are expected to revert do", () =>
      Effect.gen(function* () {
        const { all } = yield* Scenario.Scenario
        const receipts = (yield* eachBlock<ReadonlyArray<Receipt>>("eth_getBlockReceipts")).flat()
        const failed = new Set(receipts.filter(({ status }) => status === "0x0").map((item) => item.transactionHash))

        const labels = new Set(all.filter(({ hash }) => failed.has(hash)).map(({ label }) => label))
        expect([...labels].toSorted()).toEqual([
          "revertCreation",
          "revertCustomError",
          "revertInCall",
          "revertInToken",
          "revertInvalid",
          "revertOutOfGas",
          "revertPanic",
          "revertReason",
          "revertWithoutData",
        ])
        expect(all.filter(({ label, hash }) => label.startsWith("revert") && !failed.has(hash))).toEqual([])
      }),
    )

    it.effect("layer: makes internal calls of every kind as reported by debug_traceBlockByNumber", () =>
      Effect.gen(function* () {
        const blocks = yield* eachBlock<ReadonlyArray<{ readonly result: Frame }>>("debug_traceBlockByNumber", {
          tracer: "callTracer",
        })

        const inner = blocks.flat().flatMap(({ result }) => frames(result).slice(1))
        expect([...new Set(inner.map(({ type }) => type))].toSorted()).toEqual([
          "CALL",
          "CALLCODE",
          "CREATE",
          "CREATE2",
          "DELEGATECALL",
          "SELFDESTRUCT",
          "STATICCALL",
        ])
      }),
    )

    it.effect("layer: makes internal calls of every kind as reported by trace_block", () =>
      Effect.gen(function* () {
        interface Trace {
          readonly type: string
          readonly action: { readonly callType?: string }
          readonly traceAddress: ReadonlyArray<number>
        }
        const traces = (yield* eachBlock<ReadonlyArray<Trace>>("trace_block")).flat()

        const inner = traces.filter(({ traceAddress }) => traceAddress.length > 0)
        const kinds = new Set(inner.map(({ type, action }) => action.callType ?? type))
        expect([...kinds].toSorted()).toEqual(["call", "callcode", "create", "delegatecall", "staticcall", "suicide"])
      }),
    )

    it.effect("layer: lists every address that a scan of the blocks finds", () =>
      Effect.gen(function* () {
        const { addresses } = yield* Scenario.Scenario
        const blocks = yield* eachBlock<Block>("eth_getBlockByNumber", true)
        const receipts = (yield* eachBlock<ReadonlyArray<Receipt>>("eth_getBlockReceipts")).flat()

        const scanned = new Set([
          ...blocks.flatMap(({ transactions }) => transactions.flatMap(({ from, to }) => [from, to])),
          ...receipts.map(({ contractAddress }) => contractAddress),
        ])
        expect([...scanned].filter((address) => address !== null && !addresses.includes(address))).toEqual([])
        expect(addresses).toEqual([...new Set(addresses)].toSorted())
      }),
    )

    it.effect("layer: alice has more than 100 transactions", () =>
      Effect.gen(function* () {
        const { accounts } = yield* Scenario.Scenario
        const blocks = yield* eachBlock<Block>("eth_getBlockByNumber", true)

        const involved = blocks
          .flatMap(({ transactions }) => transactions)
          .filter(({ from, to }) => from === accounts.alice || to === accounts.alice)
        expect(involved.length).toBeGreaterThan(100)
      }),
    )
  })

  describe("World.transactions", () => {
    it.effect("transactions.swap: emits Transfer, Sync and Swap of the pool", () =>
      Effect.gen(function* () {
        const { transactions, contracts } = yield* Scenario.Scenario

        const { logs } = yield* receiptOf(transactions.swap)
        expect(logs.map((log) => [log.address, log.topics[0]])).toEqual([
          [contracts.gold, topics.transfer],
          [contracts.silver, topics.transfer],
          [contracts.goldSilverPair, topics.sync],
          [contracts.goldSilverPair, topics.swap],
        ])
      }),
    )

    it.effect("transactions.multisend: passes its whole value on in internal calls", () =>
      Effect.gen(function* () {
        const { transactions } = yield* Scenario.Scenario

        const [outer, ...inner] = yield* traceOf(transactions.multisend)
        const sum = inner.reduce((total, { value = "0x0" }) => total + BigInt(value), 0n)
        expect(inner.length).toBeGreaterThanOrEqual(2)
        expect(sum).toBe(BigInt(outer?.value ?? "0x0"))
      }),
    )

    it.effect("transactions.caughtRevert: succeeds although an inner call with a payment reverts", () =>
      Effect.gen(function* () {
        const { transactions, strangers } = yield* Scenario.Scenario

        const { status } = yield* receiptOf(transactions.caughtRevert)
        const found = yield* traceOf(transactions.caughtRevert)
        expect(status).toBe("0x1")
        expect(found.map(({ error }) => error)).toEqual([undefined, "execution reverted", undefined, undefined])
        expect(strangers).toContain(found[2]?.to)
      }),
    )

    it.effect("transactions.selfdestruct: pays an outside address from an existing vault", () =>
      Effect.gen(function* () {
        const { transactions, strangers } = yield* Scenario.Scenario

        const [, closing] = yield* traceOf(transactions.selfdestruct)
        expect(closing?.type).toBe("SELFDESTRUCT")
        expect(strangers).toContain(closing?.to)
      }),
    )

    it.effect("transactions.creation: creates a contract that is listed in the addresses", () =>
      Effect.gen(function* () {
        const { transactions, addresses } = yield* Scenario.Scenario

        const { contractAddress } = yield* receiptOf(transactions.creation)
        expect(addresses).toContain(contractAddress)
      }),
    )

    it.effect("transactions.type4: makes its three calls as heidi", () =>
      Effect.gen(function* () {
        const { transactions, accounts, contracts, strangers } = yield* Scenario.Scenario

        const [outer, first, second, third] = yield* traceOf(transactions.type4)
        expect(outer?.to).toBe(accounts.heidi)
        expect(strangers).toContain(first?.to)
        expect(strangers).toContain(second?.to)
        expect(third?.to).toBe(contracts.proxy)
      }),
    )
  })
})

describe("Scenario", () => {
  describe("run", () => {
    const runScenario = (seed: number, chainId = 1) =>
      Effect.scoped(
        Effect.gen(function* () {
          const node = yield* Anvil.make({ chainId })
          const world = yield* Scenario.run(node, { seed, blocks: 1, size: 25, blobs: false })
          return { world, blocks: yield* Head.range(node, 0, world.lastBlock) }
        }),
      )

    it.live("run: the same seed creates the same addresses, transactions and blocks", () =>
      Effect.gen(function* () {
        const [first, second] = yield* Effect.all([runScenario(7), runScenario(7)])

        expect(second.world).toEqual(first.world)
        expect(second.blocks).toEqual(first.blocks)
      }),
    )

    it.live("run: another seed creates other transactions, and another chain id other hashes", () =>
      Effect.gen(function* () {
        const [one, other, elsewhere] = yield* Effect.all([runScenario(7), runScenario(8), runScenario(7, 10)])

        expect(other.world.strangers).not.toEqual(one.world.strangers)
        expect(other.blocks.at(-1)?.hash).not.toBe(one.blocks.at(-1)?.hash)
        expect(elsewhere.world.contracts).toEqual(one.world.contracts)
        expect(elsewhere.world.transactions.swap).not.toBe(one.world.transactions.swap)
      }),
    )

    it.live("run: reports progress after every block", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const seen: Array<Scenario.Progress> = []
        const options = { blocks: 1, size: 50, blobs: false, onProgress: (item: Scenario.Progress) => seen.push(item) }

        const { all, lastBlock } = yield* Scenario.run(node, options)
        expect(seen.map(({ blocks }) => blocks)).toEqual(Array.from({ length: lastBlock }, (_, index) => index + 1))
        expect(seen.at(-1)?.transactions).toBe(all.length)
      }),
    )

    it.live("run: fails when the node has too few accounts", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make({ accounts: 3 })

        const error = yield* Effect.flip(Scenario.run(node))
        expect(error._tag).toBe("ScenarioFailed")
        expect(error.message).toBe("Too few accounts: 3. Start the node with at least 10.")
      }),
    )
  })
})
