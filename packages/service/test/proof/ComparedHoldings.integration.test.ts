/**
 * Calls and results of a comparison when anyone may send a wallet tokens, and when owners or traces differ from the
 * events.
 */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as Export from "../../src/export/Export.ts"
import * as LedgerScope from "../../src/proof/LedgerScope.ts"
import * as Reconciliation from "../../src/proof/Reconciliation.ts"
import * as Statement from "../../src/statement/Statement.ts"
import { isProved, type WalletProof } from "../../src/store/Proofs.ts"
import * as server from "../node/server.ts"
import * as EventContract from "./EventContract.ts"
import { index, reconcile, sourceOf } from "./indexed.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const differencesOf = ({ holdings }: WalletProof) =>
  holdings.filter(({ expected, found }) => expected !== (found ?? 0n))

const zero = `0x${"0".repeat(40)}`

/** A wallet that received 300 ids of a contract without balances in a chain of 293 blocks, and nothing else. */
const flooded = Effect.gen(function* () {
  const node = yield* Anvil.make()
  const wallet = `0x${"f1".repeat(20)}`
  const contract = yield* EventContract.make(node)
  yield* EventContract.transferBatch(node, contract, wallet, 300)
  const left = 293 - Number(yield* node.call<string>("eth_blockNumber"))
  yield* node.call("anvil_mine", [`0x${left.toString(16)}`])
  const { store } = yield* index(node.url, 293)
  const source = yield* sourceOf(store, node.url)
  return { wallet, contract, store, source }
})

it.effect(
  "run: compares a contract that returns no balance by 16 of 300 ids, with one search for its first block",
  () =>
    Effect.gen(function* () {
      const { contract, source, wallet } = yield* flooded
      const earlier = yield* reconcile(source, wallet, 1)
      const before = source.usage().calls
      const proof = yield* reconcile(source, wallet, 293)
      const calls = source.usage().calls - before
      const differences = differencesOf(proof)

      expect(calls).toBeLessThan(60)
      expect(differences.map(({ holding }) => holding.asset)).toEqual(Array(16).fill(contract))
      expect(differences.map(({ firstBlock }) => firstBlock)).toEqual([2, ...Array(15).fill(null)])
      expect(proof.unchecked).toEqual([
        `Only 16 ids of each of these contracts are compared, because the contract returns no balance for any of them: ${contract}.`,
      ])
      expect(isProved(proof)).toBe(false)
      // Some of them may differ since a block that was proved.
      expect([earlier.provedBlock, proof.provedBlock]).toEqual([1, null])
    }),
)

it.effect("run: compares the ids of a contract that is also ERC-20 by their owners, and not their number", () =>
  Effect.gen(function* () {
    const node = yield* Anvil.make()
    const [wallet, other] = [`0x${"f1".repeat(20)}`, `0x${"f2".repeat(20)}`]
    const contract = yield* EventContract.make(node)
    yield* EventContract.transferAmount(node, contract, wallet, 2n * 10n ** 18n)
    yield* EventContract.transfer(node, contract, { from: zero, to: wallet, id: 7n })
    yield* EventContract.set(node, contract, wallet, 2n * 10n ** 18n)
    const owned = yield* EventContract.set(node, contract, 7n, wallet)
    const lost = yield* EventContract.set(node, contract, 7n, other)
    const { store } = yield* index(node.url, lost)
    const source = yield* sourceOf(store, node.url)
    const proof = yield* reconcile(source, wallet, owned)
    const later = yield* reconcile(source, wallet, lost)
    const connection = yield* NodeConnection.connect({ node: { url: node.url } })
    const { statements } = yield* Statement.run(connection, { addresses: [wallet], at: owned })
    const part = yield* Export.fromNode({ connection, options: { addresses: [wallet], at: owned } })
    const { closings } = yield* Export.write([part], Export.formats.hledger(), () => Effect.void)

    expect([isProved(proof), statements[0]!.isProved]).toEqual([true, true])
    expect(closings.map(({ asset, found }) => [asset.holding.standard, found])).toEqual([
      ["native", 0n],
      ["erc20", 2n * 10n ** 18n],
    ])
    expect(differencesOf(later)).toMatchObject([{ holding: { standard: "erc721", tokenId: "7" } }])
  }),
)

it.effect("run: proves a wallet without the ignored tokens, and does not store such a proof", () =>
  Effect.gen(function* () {
    const { contract, source, store, wallet } = yield* flooded
    const scope = yield* LedgerScope.read(source.reader, "test", 293)
    const { ignored, proof } = yield* Reconciliation.run(source, scope, wallet, { ignored: new Set([contract]) })
    const stored = yield* store.snapshot((snapshot) => snapshot.proof(wallet))

    expect([isProved(proof), ignored, proof.unchecked]).toEqual([true, [contract], []])
    expect(stored).toBeNull()
  }),
)

it.effect("run: stays within its calls, compares the native balance first and reports what it omitted", () =>
  Effect.gen(function* () {
    const { source, wallet } = yield* flooded
    const before = source.usage().calls
    const proof = yield* reconcile({ ...source, maxCalls: 20 }, wallet, 293)
    const calls = source.usage().calls - before

    expect(calls).toBeLessThan(24)
    expect(proof.holdings.slice(0, 2).map(({ holding }) => holding.standard)).toEqual(["native", "nonce"])
    expect(proof.unchecked[0]).toBe(
      "Only 5 of 302 assets are compared. Raise --max-calls, or leave out tokens with --ignore.",
    )
    expect(isProved(proof)).toBe(false)
  }),
)

it.effect("run: names two ids that their contract exchanged between owners without an event, with the block", () =>
  Effect.gen(function* () {
    const node = yield* Anvil.make()
    const [one, other] = [`0x${"e1".repeat(20)}`, `0x${"e2".repeat(20)}`]
    const contract = yield* EventContract.make(node)
    for (const [wallet, id] of [
      [one, 41n],
      [other, 42n],
      [one, 43n],
    ] as const) {
      yield* EventContract.transfer(node, contract, { from: zero, to: wallet, id })
      yield* EventContract.set(node, contract, id, wallet)
    }
    yield* EventContract.set(node, contract, one, 2n)
    const held = yield* EventContract.set(node, contract, other, 1n)
    yield* node.call("anvil_mine", ["0x5"])
    yield* EventContract.set(node, contract, 41n, other)
    const exchanged = yield* EventContract.set(node, contract, 42n, one)
    yield* node.call("anvil_mine", ["0x5"])
    const { store } = yield* index(node.url, exchanged + 5)
    const source = yield* sourceOf(store, node.url)
    const before = yield* reconcile(source, one, held)
    const continued = yield* reconcile(source, one, exchanged + 4, { isContinued: true })
    const after = yield* reconcile(source, one, exchanged + 5)
    const others = yield* reconcile(source, other, exchanged + 5)
    const named = (proof: WalletProof) =>
      differencesOf(proof).map(({ expected, firstBlock, found, holding }) => [
        holding.asset,
        holding.tokenId,
        expected,
        found,
        firstBlock,
      ])

    expect([isProved(before), before.holdings.length]).toEqual([true, 5])
    expect(named(after)).toEqual([[contract, "41", 1n, 0n, exchanged - 1]])
    expect(named(continued)).toEqual(named(after))
    expect(named(others)).toEqual([[contract, "42", 1n, 0n, exchanged]])
    expect(after.provedBlock).toBe(held)
  }),
)

it.effect("run: proves a wallet that received ids as a range and sent one of them, as a search does", () =>
  Effect.gen(function* () {
    const node = yield* Anvil.make()
    const [wallet, other] = [`0x${"e1".repeat(20)}`, `0x${"e2".repeat(20)}`]
    const contract = yield* EventContract.make(node)
    yield* EventContract.transferRange(node, contract, wallet, 3)
    yield* EventContract.transfer(node, contract, { from: wallet, to: other, id: 2n })
    for (const [id, owner] of [wallet, other, wallet].entries())
      yield* EventContract.set(node, contract, BigInt(id + 1), owner)
    const closing = yield* EventContract.set(node, contract, wallet, 2n)
    const { store } = yield* index(node.url, closing)
    const proof = yield* reconcile(yield* sourceOf(store, node.url), wallet, closing)
    const connection = yield* NodeConnection.connect({ node: { url: node.url } })
    const { statements } = yield* Statement.run(connection, { addresses: [wallet], at: closing })

    expect([isProved(proof), proof.holdings.map(({ holding }) => holding.tokenId)]).toEqual([
      true,
      [null, null, null, "1", "3"],
    ])
    expect(statements.map(({ isProved: proved, totals }) => [proved, totals.map((one) => [one.in, one.out])])).toEqual([
      [true, [[3n, -1n]]],
    ])
  }),
)

interface Frame {
  readonly to?: string
  readonly value?: string
  readonly calls?: ReadonlyArray<Frame> | undefined
}

/** A frame without the payments to a wallet. */
const hidePayments = (frame: Frame, wallet: string): Frame => ({
  ...frame,
  calls: frame.calls
    ?.filter(({ to, value }) => to !== wallet || BigInt(value ?? 0) === 0n)
    .map((call) => hidePayments(call, wallet)),
})

it.effect("run: names a contract's payment that a node hides in each of its traces", () =>
  Effect.gen(function* () {
    const node = yield* Anvil.make()
    const { accounts, lastBlock } = yield* Scenario.run(node, { blobs: false, blocks: 25, seed: 4 })
    const honest = yield* index(node.url, lastBlock)
    const rows = yield* Effect.forEach(Object.values(accounts), (wallet) =>
      honest.store.snapshot((snapshot) =>
        Effect.map(
          snapshot.ledger({ wallet, from: 1, to: lastBlock, order: "ASC", after: null, limit: 1_000 }),
          (ledger) => ledger.rows.map((entry) => ({ ...entry, wallet })),
        ),
      ),
    )
    const paid = rows
      .flat()
      .find(({ movements }) => movements.some(({ amount, kind }) => kind === "internal" && amount > 0n))!
    const forward = server.forward(node.url)
    let hidden = 0
    const trace =
      (method: string): server.Response =>
      async (params) => {
        const reply = await forward(method, params)
        if (typeof reply !== "object" || !("result" in reply)) return reply
        hidden += 1
        const traces = reply.result as ReadonlyArray<{ readonly result: Frame }>
        return { result: traces.map((one) => ({ ...one, result: hidePayments(one.result, paid.wallet) })) }
      }
    const absent: server.Response = () => ({ error: { code: -32601, message: "Method not found" } })
    const liar = yield* server.start(
      {
        debug_traceBlockByHash: trace("debug_traceBlockByHash"),
        debug_traceBlockByNumber: trace("debug_traceBlockByNumber"),
        trace_block: absent,
        debug_traceTransaction: absent,
      },
      forward,
    )
    const { store } = yield* index(liar.url, lastBlock, { checks: "full" })
    const proof = yield* reconcile(yield* sourceOf(store, liar.url), paid.wallet, lastBlock)
    const differences = differencesOf(proof)

    expect(hidden).toBeGreaterThan(0)
    const native = differences.find(({ holding }) => holding.standard === "native")!
    expect([native.firstBlock, native.found! > native.expected]).toEqual([paid.block, true])
  }),
)
