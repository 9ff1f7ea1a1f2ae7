/** The relay's cache over a real node whose chain is reorganised while an indexer follows it. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head } from "@daybook/chain"
import { caughtUp, start as index } from "../../indexer/chain.ts"
import { forward, start as serve } from "../../node/server.ts"
import { start } from "../service.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

const name = "my chain"
const chain = "my%20chain"
const quantity = (number: number) => `0x${number.toString(16)}`

describe("RelayCache", () => {
  it.live("serves final blocks from memory, and no block of an abandoned branch", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [from, to] = (yield* node.call<ReadonlyArray<string>>("eth_accounts", [])) as [string, string]
      const proxy = yield* serve({}, forward(node.url))
      const config = { id: Number(yield* node.call<string>("eth_chainId", [])), rpc: [proxy.url] }
      const service = yield* start({ chains: { [name]: { config } } })
      const store = service.stores[name]!
      for (let count = 0; count < 4; count++) {
        yield* Head.transfer(node, { from, to, valueWei: BigInt(count + 1) })
        yield* Head.mine(node, 25)
      }
      const head = (yield* Head.current(node)).number
      const indexer = yield* index(store, [node.url], { chainId: config.id })
      yield* indexer.until(caughtUp(head))
      const mark = store.snapshot((snapshot) => snapshot.checkpoint).pipe(Effect.map((at) => at?.finalized ?? null))
      let final = yield* mark
      while (final === null) final = yield* Effect.andThen(Effect.sleep(20), mark)
      const last = final
      const depth = 5
      const calls = (number: number) =>
        [
          ["eth_getBlockByNumber", [quantity(number), true]],
          ["eth_getBlockReceipts", [quantity(number)]],
        ] as const
      const ask = (method: string, params: ReadonlyArray<unknown>) =>
        Effect.map(service.call({ jsonrpc: "2.0", id: 1, method, params }, chain), ({ json }) => json.result)
      const collect = Effect.fnUntraced(function* () {
        let same = 0
        for (const number of [0, 1, last - 1, last, last + 1, head - depth, head - depth + 1, head]) {
          for (const [method, params] of calls(number)) {
            const result = yield* ask(method, params)
            expect(result).toEqual(yield* node.call(method, params))
            same++
          }
        }
        return same
      })
      const asked = Effect.fnUntraced(function* (number: number) {
        const before = proxy.calls.length
        const block = yield* ask("eth_getBlockByNumber", [quantity(number), true])
        return [proxy.calls.length - before, block.hash] as const
      })

      expect(final).toBeGreaterThan(1)
      expect(final).toBeLessThan(head - depth)
      expect(yield* collect()).toBe(16)
      expect((yield* asked(last))[0]).toBe(0)
      const [times, old] = yield* asked(head)
      expect(times).toBe(1)
      expect(yield* ask("eth_getBlockByHash", [old, false])).toMatchObject({ hash: old })

      yield* Head.reorganise(node, { depth, moreBlocks: 1 })
      expect(yield* collect()).toBe(16)
      yield* indexer.until(caughtUp(head + 1))
      expect(yield* collect()).toBe(16)
      const [, next] = yield* asked(head)
      expect(next).not.toBe(old)
      expect((yield* asked(last))[0]).toBe(0)
      expect(yield* ask("eth_getBlockByHash", [old, false])).toMatchObject({ hash: old, number: quantity(head) })
    }),
  )
})
