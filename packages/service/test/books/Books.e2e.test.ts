import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as balanceOracle from "./balanceOracle.ts"
import * as BookChain from "./BookChain.ts"
import * as Books from "./Books.ts"

const kinds = ["erc1155", "erc20", "erc721", "fee", "internal", "reward", "value", "withdrawal"]

describe("books", () => {
  it.live("movements of an index and of discoveries equal the balances of every account and token at every block", () =>
    Effect.gen(function* () {
      const chain = yield* BookChain.make({ seed: 4, blobs: false, blocks: 12 })
      const stated = yield* Books.stated(chain)
      const index = yield* Books.ofIndex(chain, stated)
      const { accounts, contracts, strangers } = chain.world
      const wallets = [accounts.heidi, contracts.wrappedEther, contracts.multisend, strangers[0]!]
      const discovery = yield* Books.ofDiscovery(chain, stated, wallets)

      expect(Books.contradictions(index)).toEqual([])
      expect(
        index.differences.map(({ asset, balance, sum, wallet }) => ({ wallet, asset, amount: balance - sum })),
      ).toEqual(chain.unstated)
      expect(index.rows.filter(({ isIncomplete }) => isIncomplete)).toEqual([])
      expect(index.kinds).toEqual(kinds)
      expect(index.compared).toBeGreaterThan(5_000)

      expect(Books.contradictions(discovery)).toEqual([])
      expect(discovery.differences).toHaveLength(1)
      expect(discovery.missed.flatMap(({ others }) => others)).toEqual([])
      expect(discovery.missed.find(({ wallet }) => wallet === contracts.multisend)!.cancelled).toBeGreaterThan(0)
      expect(discovery.missed.find(({ wallet }) => wallet === contracts.wrappedEther)!.valueless).toBeGreaterThan(0)

      const left = index.rows[index.rows.length >> 2]!
      const fewer = index.rows.filter((row) => row !== left)
      const tampered = balanceOracle.differences(stated.balances, fewer).differences
      const unknown = Books.contradictions({ ...index, differences: tampered })
      expect(unknown).toHaveLength(1)
      expect(tampered).toContainEqual(
        expect.objectContaining({ block: left.block, wallet: left.wallet, asset: left.asset }),
      )
    }).pipe(Effect.scoped),
  )
})
