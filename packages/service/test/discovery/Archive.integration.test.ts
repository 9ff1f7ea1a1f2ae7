/** The archive by which discoveries of long chains are measured, held against a node with the state of every block. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { Anvil } from "@daybook/chain"
import { discover } from "../books/DiscoveryBooks.ts"
import * as Archive from "./Archive.ts"
import { compare } from "./ArchiveComparison.ts"
import { review } from "./Findings.ts"
import * as LongChain from "./LongChain.ts"

describe("Archive", () => {
  it.live("gives the answers of a node with all states, and wallets with transactions far apart are found whole", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const plan = LongChain.plan(node.accounts, 80, [3, 12])
      yield* LongChain.mineAll(node, plan)
      const archive = yield* Archive.start(plan)
      const { compared, differences } = yield* compare(archive, node, plan, node.accounts.slice(0, 3))
      const addresses = plan.wallets.map(({ address }) => address)
      const { discovered } = yield* discover(archive.url, plan.last, addresses)

      expect(compared).toBeGreaterThan(80 * 30)
      expect(differences).toEqual([])
      for (const [at, wallet] of plan.wallets.entries()) {
        expect(review(archive.recording, plan.tokens, wallet, discovered[at]!)).toEqual({
          changed: wallet.blocks.length,
          unplanned: [],
          missing: [],
          surplus: [],
          wrong: [],
        })
      }
    }).pipe(Effect.scoped),
  )
})
