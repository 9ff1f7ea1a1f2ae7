/** Wallets discovered on a real chain, compared with the node's state at every block. */
import { layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as Discovery from "../../src/discovery/Discovery.ts"
import type { DiscoveredBlock } from "../../src/ledger/DiscoveredBlock.ts"
import * as Statement from "../../src/statement/Statement.ts"
import * as server from "../node/server.ts"
import * as oracle from "./oracle.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 18, seed: 4 }).pipe(Layer.provideMerge(Anvil.layer()))

const nativeOf = (blocks: ReadonlyArray<DiscoveredBlock>, wallet: string): ReadonlyMap<number, bigint> =>
  new Map(
    blocks.map(({ number, rows }) => {
      const movements = rows.filter((row) => row.wallet === wallet).flatMap((row) => row.movements)
      const native = movements.filter(({ asset }) => asset === "native")
      return [number, native.reduce((sum, { amount }) => sum + amount, 0n)]
    }),
  )

/** Discovers wallets up to the last block of the scenario. */
const discover = Effect.fnUntraced(function* (url: string, addresses: ReadonlyArray<string>, at: number) {
  const connection = yield* NodeConnection.connect({ node: { url } })
  const discovery = Discovery.make(connection, yield* Statement.begin(connection, { addresses, at }))
  const blocks = yield* Stream.runCollect(discovery.blocks)
  return { blocks: [...blocks], state: discovery.state(), usage: connection.usage() }
})

const stateOf = Effect.fnUntraced(function* (url: string, options: Statement.Options) {
  const connection = yield* NodeConnection.connect({ node: { url } })
  return yield* Statement.run(connection, options)
})

layer(scenario, { excludeTestServices: true })("Discovery", (it) => {
  it.effect(
    "blocks: contain every block in which an account's ether, nonce or tokens change, and explain each change",
    () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const { accounts, contracts, lastBlock, strangers } = yield* Scenario.Scenario
        const addresses = [...Object.values(accounts), ...Object.values(contracts), ...strangers]
        const { blocks, state } = yield* discover(node.url, addresses, lastBlock)
        const frames = yield* oracle.framesOf(node, lastBlock)
        for (const address of addresses) {
          const { balances, blocks: expected } = yield* oracle.account(node, address, lastBlock, frames)
          const native = nativeOf(blocks, address)
          const found = new Set(
            blocks.filter(({ rows }) => rows.some(({ wallet }) => wallet === address)).map(({ number }) => number),
          )

          expect(expected.filter((block) => !found.has(block))).toEqual([])
          for (let block = 1; block <= lastBlock; block++) {
            expect(native.get(block) ?? 0n).toBe(balances[block]! - balances[block - 1]!)
          }
        }
        expect(state.differences).toEqual([])
        expect(state.settled).toBe(lastBlock)
      }),
  )

  it.effect("run: proves the statement of a wallet, with the balances that the contracts return", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
      const addresses = [accounts.alice, accounts.heidi, contracts.multisend]
      const { statements } = yield* stateOf(node.url, { addresses, at: lastBlock })
      for (const statement of statements) {
        expect(statement).toMatchObject({ isProved: true, differences: [] })
        for (const token of [contracts.gold, contracts.silver, contracts.wrappedEther, contracts.collectible]) {
          const held = statement.closing.find(({ holding }) => holding.asset === token)?.amount ?? 0n
          expect(held).toBe(yield* oracle.tokenBalance(node, token, statement.address, lastBlock))
        }
      }
    }),
  )

  it.effect("blocks: contain, for one account, those that change something, and lack only calls of value 0", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
      const frames = yield* oracle.framesOf(node, lastBlock)
      let missed = 0
      for (const address of [accounts.heidi, contracts.gold]) {
        const { blocks } = yield* discover(node.url, [address], lastBlock)
        const expected = yield* oracle.account(node, address, lastBlock, frames)
        const found = blocks.map(({ number }) => number)

        expect(found).toEqual(expected.blocks)
        missed += expected.calledIn.filter((block) => !found.includes(block)).length
      }

      expect(missed).toBeGreaterThan(0)
    }),
  )

  it.effect("run: returns the same from a later first block, with the opening balances of the previous block", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const whole = yield* stateOf(url, { addresses: [accounts.bob], at: lastBlock })
      const later = yield* stateOf(url, { addresses: [accounts.bob], at: lastBlock, fromBlock: 12 })
      const [one, other] = [whole.statements[0]!, later.statements[0]!]
      const byAsset = (list: ReadonlyArray<Statement.Balance>) =>
        new Map(list.map(({ amount, holding }) => [`${holding.asset} ${holding.tokenId}`, amount]))
      const closing = byAsset(one.closing)

      expect(other).toMatchObject({ isProved: true, fromBlock: 12, openingBlock: 11 })
      for (const [asset, amount] of byAsset(other.closing)) expect(closing.get(asset)).toBe(amount)
    }),
  )

  it.effect("run: returns the same statement with a node that limits ranges of logs and sometimes fails", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      let calls = 0
      const node = yield* server.start(
        {
          eth_getLogs: (params) => {
            const [{ fromBlock, toBlock }] = params as [{ readonly fromBlock: string; readonly toBlock: string }]
            return Number(toBlock) - Number(fromBlock) >= 5
              ? { error: { code: -32005, message: "block range too large, maximum range is 5" } }
              : server.forward(url)("eth_getLogs", params)
          },
          eth_getBalance: (params) =>
            ++calls % 3 === 1
              ? { error: { code: -32000, message: "temporarily unavailable, try again" } }
              : server.forward(url)("eth_getBalance", params),
        },
        server.forward(url),
      )
      const options = { addresses: [accounts.carol, accounts.heidi], at: lastBlock }

      expect(yield* stateOf(node.url, options)).toEqual(yield* stateOf(url, options))
    }),
  )

  it.effect("run: does not prove a wallet whose balance the node reports incorrectly, and names the block", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const forward = server.forward(url)
      const node = yield* server.start(
        {
          eth_getBalance: async (params) => {
            const reply = await forward("eth_getBalance", params)
            const isWrong = typeof reply === "object" && "result" in reply && Number(params[1]) >= 17
            return isWrong ? { result: `0x${(BigInt(String(reply.result)) + 1n).toString(16)}` } : reply
          },
        },
        forward,
      )
      const { statements } = yield* stateOf(node.url, { addresses: [accounts.alice], at: lastBlock })

      expect(statements[0]).toMatchObject({ isProved: false })
      expect(statements[0]!.differences).toMatchObject([{ holding: { asset: "native" }, firstBlock: 17 }])
      const [{ expected, found }] = statements[0]!.differences as [Statement.Statement["differences"][number]]
      expect(found! - expected).toBe(1n)
    }),
  )

  it.effect("run: finds the first block in which a token's balance differs from the sum of its events", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
      const forward = server.forward(url)
      const node = yield* server.start(
        {
          eth_call: async (params) => {
            const [{ data, to }, block] = params as [{ readonly to: string; readonly data: string }, string]
            const reply = await forward("eth_call", params)
            const isWrong = to === contracts.gold && data.startsWith("0x70a08231") && Number(block) >= 13
            if (!isWrong || typeof reply !== "object" || !("result" in reply)) return reply
            return { result: `0x${(BigInt(String(reply.result)) * 2n).toString(16).padStart(64, "0")}` }
          },
        },
        forward,
      )
      const { statements } = yield* stateOf(node.url, { addresses: [accounts.alice], at: lastBlock })

      expect(statements[0]!.differences).toMatchObject([{ holding: { asset: contracts.gold }, firstBlock: 13 }])
    }),
  )

  it.effect("run: fails with a node that lacks the state of old blocks, and names the first usable block", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const forward = server.forward(url)
      const pruned =
        (method: string): server.Response =>
        (params) =>
          Number(params[1]) < 9
            ? { error: { code: -32000, message: "missing trie node 1a2b (path )" } }
            : forward(method, params)
      const methods = ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"]
      const node = yield* server.start(Object.fromEntries(methods.map((name) => [name, pruned(name)])), forward)
      const options = { addresses: [accounts.alice], at: lastBlock }
      const error = yield* Effect.flip(stateOf(node.url, options))
      const { statements } = yield* stateOf(node.url, { ...options, fromBlock: 10 })

      expect(error).toMatchObject({ _tag: "StateUnavailable", block: 0, firstBlock: 9 })
      expect(error.message).toContain("Use an archive node, or begin with --from-block 10")
      expect(statements[0]).toMatchObject({ isProved: true, openingBlock: 9 })
    }),
  )

  it.effect("run: fails if the node returns logs that do not match the filter, or if the last block is replaced", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const forward = server.forward(url)
      const others = yield* server.start(
        { eth_getLogs: () => forward("eth_getLogs", [{ fromBlock: "0x0", toBlock: "0x14" }]) },
        forward,
      )
      const options = { addresses: [accounts.ivan], at: lastBlock }
      const unexpected = yield* Effect.flip(stateOf(others.url, options))
      let headers = 0
      const moving = yield* server.start(
        {
          eth_getBlockByNumber: async (params) => {
            const reply = await forward("eth_getBlockByNumber", params)
            const isClosing = Number(params[0]) === lastBlock && params[1] === false
            if (!isClosing || typeof reply !== "object" || !("result" in reply) || ++headers === 1) return reply
            return { result: { ...(reply.result as object), hash: `0x${"ab".repeat(32)}` } }
          },
        },
        forward,
      )
      const replaced = yield* Effect.flip(stateOf(moving.url, options))

      expect(unexpected).toMatchObject({ _tag: "UnexpectedResponse", method: "eth_getLogs" })
      expect(replaced).toMatchObject({ _tag: "ChainReorganized", block: lastBlock })
    }),
  )

  it.effect("run: names the blocks in which contracts paid a wallet, if the node does not trace", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const tracers = ["trace_block", "debug_traceBlockByHash", "debug_traceBlockByNumber", "debug_traceTransaction"]
      const node = yield* server.start(
        Object.fromEntries(tracers.map((name) => [name, server.missing])),
        server.forward(url),
      )
      const { statements } = yield* stateOf(node.url, { addresses: [accounts.heidi], at: lastBlock })
      const whole = yield* stateOf(url, { addresses: [accounts.heidi], at: lastBlock })
      const paid = whole.statements[0]!.totals.filter(({ kind }) => kind === "internal")
      const missing = statements[0]!.differences.reduce((sum, { expected, found }) => sum + found! - expected, 0n)

      expect(statements[0]!.isProved).toBe(false)
      expect(missing).toBe(paid.reduce((sum, one) => sum + one.in + one.out, 0n))
      expect(missing).toBeLessThan(0n)
      expect(statements[0]!.unproved.join(" ")).toContain("The node does not trace")
    }),
  )

  it.effect("run: ends when its budget of calls is used up, and if the chain has no such block", () =>
    Effect.gen(function* () {
      const { host, url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const addresses = [accounts.alice]
      const connection = yield* NodeConnection.connect({ node: { url }, maxCalls: 60 })
      const exceeded = yield* Effect.flip(Statement.run(connection, { addresses, at: lastBlock }))
      const later = yield* Effect.flip(stateOf(url, { addresses, at: lastBlock + 1 }))
      const empty = yield* Effect.flip(stateOf(url, { addresses, at: lastBlock, fromBlock: lastBlock + 1 }))

      expect(exceeded).toMatchObject({ _tag: "CallBudgetExceeded", maxCalls: 60 })
      expect(connection.usage().calls).toBeLessThan(60 + 200)
      expect(later.message).toContain(`${host}`)
      expect(later).toMatchObject({ _tag: "BlockUnavailable", block: lastBlock + 1, last: lastBlock })
      expect(empty).toMatchObject({ _tag: "BlockUnavailable", block: lastBlock + 1, last: lastBlock })
    }),
  )
})
