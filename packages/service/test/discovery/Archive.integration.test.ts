/**
 * The archive with which discoveries on long chains are measured, compared with a node that has the state of every
 * block.
 */
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
  it.live("answers as a node with all states does, and wallets with transactions far apart are found completely", () =>
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
