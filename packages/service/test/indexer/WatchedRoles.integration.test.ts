/** Watched wallets have the rows of an index of every wallet, in every role, in their past and as the chain grows. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Eventually } from "@daybook/harness"
import * as Role from "../../src/ledger/Role.ts"
import * as WatchList from "../../src/store/WatchList.ts"
import * as BookChain from "../books/BookChain.ts"
import { caughtUp, openStore, start } from "./chain.ts"
import { differences, read } from "./roles.ts"

vi.setConfig({ testTimeout: 180_000 })

it.live(
  "run: wallets have the rows of an index of every wallet in every role, watched from the start or added later",
  () =>
    Effect.gen(function* () {
      const { last, url, withdrawals, world } = yield* BookChain.make({ seed: 3, blobs: false, blocks: 12 })
      const { accounts, contracts } = world
      const paid = withdrawals.map(({ address }) => address)
      const miner = `0x${"0".repeat(40)}`
      const wallets = [
        ...new Set([miner, ...world.addresses, ...Object.values(contracts), ...world.strangers, ...paid]),
      ]
      const [full, watching, adding] = yield* Effect.all([openStore, openStore, openStore])
      const options = { checks: "full", searchCallsPerMinute: 10_000_000 } as const
      for (const [store, watch] of [
        [full, null],
        [watching, new Set<string>(wallets)],
        [adding, new Set<string>([accounts.alice])],
      ] as const) {
        const indexer = yield* start(store, [url], { ...options, watch })
        yield* indexer.until(caughtUp(last))
        yield* indexer.stop
      }
      const { changeWatch } = adding.database.chain(adding.ref)
      yield* changeWatch({ _tag: "Add", wallets: wallets.filter((wallet) => wallet !== accounts.alice) })
      const searching = yield* start(adding, [url], { ...options, watch: new Set([accounts.alice]) })
      yield* Eventually.untilEffect(
        adding.snapshot(({ checkpoint }) =>
          Effect.map(checkpoint, (found) => wallets.every((wallet) => !WatchList.isSearching(found!, wallet))),
        ),
        { everyMillis: 50, what: "the end of the search" },
      )
      yield* searching.stop

      let roles = 0
      for (const wallet of wallets) {
        const [expected, watched, added] = yield* Effect.all([
          read(full, wallet),
          read(watching, wallet),
          read(adding, wallet),
        ])
        expect([wallet, watched]).toEqual([wallet, expected])
        expect([wallet, added.from, differences(expected, added)]).toEqual([wallet, 0, []])
        for (const place of added.places) roles |= place.roles
      }
      // Deposits that mint, and accounts that pay another's fee, exist on other chains; the scenario has no operator
      // and no entry point.
      const ofOperations = ["operation_sender", "paymaster", "bundler"]
      const others = new Set<string>(["mint_recipient", "fee_payer", "approval_operator", ...ofOperations])
      expect(Role.fromBits(roles)).toEqual(Role.fromBits(-1).filter((name) => !others.has(name)))
    }).pipe(Effect.scoped),
)
