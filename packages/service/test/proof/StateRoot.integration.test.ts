/** Balances of a real node, some of whose answers are changed, verified with the state roots of its blocks. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import { FakeNode } from "@daybook/harness"
import { isProved, type WalletProof } from "../../src/store/Proofs.ts"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as Statement from "../../src/statement/Statement.ts"
import { damage } from "../maintenance/damage.ts"
import * as server from "../node/server.ts"
import { index, reconcile, sourceOf } from "./indexed.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 20, seed: 6 }).pipe(Layer.provideMerge(Anvil.layer()))

const byStateRoot = ({ holdings }: WalletProof) =>
  holdings.filter(({ isByStateRoot }) => isByStateRoot === true).map(({ holding }) => holding.asset)

/** A node that adds 5 wei to each balance of a wallet: no two of its answers contradict each other. */
const lying = (url: string, wallet: string, answers: Record<string, server.Response> = {}) => {
  const forward = server.forward(url)
  return server.start(
    {
      eth_getBalance: async (params) => {
        const reply = await forward("eth_getBalance", params)
        if (params[0] !== wallet || typeof reply !== "object" || !("result" in reply)) return reply
        return { result: `0x${(BigInt(String(reply.result)) + 5n).toString(16)}` }
      },
      ...answers,
    },
    forward,
  )
}

layer(scenario, { excludeTestServices: true })("StateRoot", (it) => {
  it.effect("run: verifies ether and nonce against the state root if the node has proofs", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
      const { store } = yield* index(url, lastBlock)
      const source = yield* sourceOf(store, url)
      const proof = yield* reconcile(source, accounts.alice, lastBlock)
      const ofContract = yield* reconcile(source, contracts.multisend, lastBlock)

      expect([isProved(proof), byStateRoot(proof)]).toEqual([true, ["native", "nonce"]])
      expect(isProved(ofContract)).toBe(true)
      expect(byStateRoot(ofContract)).toContain("native")
      expect(yield* store.snapshot((snapshot) => snapshot.proof(accounts.alice))).toEqual(proof)
    }),
  )

  it.effect("run: detects a consistently lying node by the state root, and trusts one without proofs", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { store } = yield* index(url, lastBlock)
      const found = yield* reconcile(
        yield* sourceOf(store, (yield* lying(url, accounts.bob)).url),
        accounts.bob,
        lastBlock,
      )
      const without = yield* lying(url, accounts.bob, { eth_getProof: server.missing })
      const { store: other } = yield* index(url, lastBlock)
      const trusted = yield* reconcile(yield* sourceOf(other, without.url), accounts.bob, lastBlock)

      expect(isProved(found)).toBe(false)
      expect(found.unchecked).toEqual([
        expect.stringMatching(
          /^The node contradicts itself: eth_getBalance states \d+ at block 20, the state root of that block has \d+\. Use another node\.$/,
        ),
      ])
      expect(byStateRoot(found)).toEqual(["native", "nonce"])
      expect([isProved(trusted), byStateRoot(trusted)]).toEqual([true, []])
    }),
  )

  it.effect("statement: trusts a node whose gateway rejects proofs, which made every statement fail", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const node = yield* server.start({ eth_getProof: () => FakeNode.status(504) }, server.forward(url))
      const connection = yield* NodeConnection.connect({ node: { url: node.url } })
      const { statements } = yield* Statement.run(connection, { addresses: [accounts.bob], at: lastBlock })
      const [{ byStateRoot: verified, isProved: proved, unproved }] = statements as [Statement.Statement]

      expect([proved, verified]).toEqual([true, []])
      expect(unproved[0]).toMatch(
        /^Ether and transaction counts are as reported by the node, without a proof under the state root: eth_getProof failed \(".*504.*"\)\.$/,
      )
    }),
  )

  it.effect("run: names a lost row that a lying node would hide", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { file, store } = yield* index(url, lastBlock)
      const honest = yield* reconcile(yield* sourceOf(store, url), accounts.bob, lastBlock)
      damage(file, `DELETE FROM ledger WHERE hex(wallet) = upper('${accounts.bob.slice(2)}') AND id / 1048576 >= 15`)
      const lost = yield* reconcile(yield* sourceOf(store, url), accounts.bob, lastBlock)
      const sum = lost.holdings.find(({ holding }) => holding.standard === "native")!.expected
      const forward = server.forward(url)
      const hiding = yield* server.start(
        {
          eth_getBalance: (params) =>
            Number(params[1]) < 15 ? forward("eth_getBalance", params) : { result: `0x${sum.toString(16)}` },
        },
        forward,
      )
      const proof = yield* reconcile(yield* sourceOf(store, hiding.url), accounts.bob, lastBlock)
      const native = proof.holdings.find(({ holding }) => holding.standard === "native")!

      expect(isProved(honest)).toBe(true)
      expect(native.expected).toBe(sum)
      expect(native.found).toBe(honest.holdings.find(({ holding }) => holding.standard === "native")!.found)
      expect(native.expected).not.toBe(native.found)
      expect(isProved(proof)).toBe(false)
    }),
  )

  it.effect("run: proves nothing with a proof of another block, and names it", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { store } = yield* index(url, lastBlock)
      const forward = server.forward(url)
      const node = yield* server.start(
        { eth_getProof: ([address, slots]) => forward("eth_getProof", [address, slots, "0x5"]) },
        forward,
      )
      const proof = yield* reconcile(yield* sourceOf(store, node.url), accounts.alice, lastBlock)

      expect(isProved(proof)).toBe(false)
      expect(proof.unchecked).toEqual([
        `The node's proof of ${accounts.alice} does not belong to the state root of block 20: its first node is not the state root. Use another node.`,
      ])
    }),
  )

  it.effect("statement: lists what the state root verifies, and states that a node without proofs is trusted", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const state = Effect.fnUntraced(function* (node: string) {
        const connection = yield* NodeConnection.connect({ node: { url: node } })
        const { statements } = yield* Statement.run(connection, { addresses: [accounts.bob], at: lastBlock })
        return statements[0]!
      })
      const verified = yield* state(url)
      const forward = server.forward(url)
      const trusted = yield* state((yield* server.start({ eth_getProof: server.missing }, forward)).url)
      const lied = yield* state((yield* lying(url, accounts.bob)).url)

      expect([verified.isProved, verified.byStateRoot]).toEqual([true, ["native", "nonce"]])
      expect([trusted.isProved, trusted.byStateRoot]).toEqual([true, []])
      expect(trusted.unproved[0]).toMatch(
        /^Ether and transaction counts are as reported by the node, without a proof under the state root: 127\.0\.0\.1:\d+ has no eth_getProof\.$/,
      )
      expect(lied.isProved).toBe(false)
      expect(lied.differences).toMatchObject([
        {
          holding: { standard: "native" },
          expected: verified.closing[0]!.amount + 5n,
          found: verified.closing[0]!.amount,
        },
      ])
    }),
  )

  it.effect("statement: is not proved if a node removes the logs of all receipts, and states why", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const forward = server.forward(url)
      const bloom = `0x${"0".repeat(512)}`
      const strip = async (method: string, params: ReadonlyArray<unknown>): Promise<server.Reply> => {
        const reply = await forward(method, params)
        if (typeof reply !== "object" || !("result" in reply)) return reply
        const strippedOf = (receipt: unknown) =>
          typeof receipt === "object" && receipt !== null ? { ...receipt, logs: [], logsBloom: bloom } : receipt
        const { result } = reply
        return { result: Array.isArray(result) ? result.map(strippedOf) : strippedOf(result) }
      }
      const node = yield* server.start(
        {
          eth_getLogs: () => ({ result: [] }),
          eth_getBlockReceipts: (params) => strip("eth_getBlockReceipts", params),
          eth_getTransactionReceipt: (params) => strip("eth_getTransactionReceipt", params),
        },
        forward,
      )
      const connection = yield* NodeConnection.connect({ node: { url: node.url } })
      const { statements } = yield* Statement.run(connection, { addresses: [accounts.bob], at: lastBlock })

      expect(statements[0]!.isProved).toBe(false)
      expect(statements[0]!.unproved).toContain(
        "The node's events contradict the blooms in its headers, so tokens may be missing. Use another node.",
      )
    }),
  )

  it.effect(
    "statement: states that tokens in a block without other movements of the wallet depend on the node's search",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { accounts, lastBlock } = yield* Scenario.Scenario
        const node = yield* server.start({ eth_getLogs: () => ({ result: [] }) }, server.forward(url))
        const connection = yield* NodeConnection.connect({ node: { url: node.url } })
        const { statements } = yield* Statement.run(connection, { addresses: [accounts.bob], at: lastBlock })

        expect(statements[0]!.unproved).toContain(
          "Tokens are those in the events that the node found: an event that its search omits is missing if its block has nothing else of the wallet.",
        )
      }),
  )
})
