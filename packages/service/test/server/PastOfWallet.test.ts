/**
 * What pages and lists state about a wallet that was added to an index of some wallets, before, during and after the
 * search of its past.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Rows from "./rows.ts"
import { start } from "./service.ts"

describe("The past of an added wallet", () => {
  it.live("pages state how far the search has come, and Etherscan's API returns an error until it is complete", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { config: { watch: [Rows.alice] }, blocks: Rows.chain(0, 5) } } })
      const { database, ref } = service.stores["eth"]!
      const { changeWatch } = database.chain(ref)
      const state = Effect.gen(function* () {
        const page = yield* service.wallet(Rows.bob)
        const { json } = yield* service.fetch(
          `/v2/api?chainid=1&module=account&action=txlist&address=${Rows.bob}&apikey=${service.key}`,
        )
        const { headers, json: body } = page
        return {
          rows: body.result.length as number,
          from: headers["daybook-indexed-from"],
          searched: headers["daybook-searched-to"],
          list: typeof json.result === "string" ? (json.result as string) : (json.result.length as number),
        }
      })
      yield* changeWatch({ _tag: "Add", wallets: [Rows.bob] })
      const before = yield* state
      yield* changeWatch({ _tag: "Searched", wallets: [Rows.bob], from: -1, to: 2 })
      const meanwhile = yield* state
      yield* changeWatch({ _tag: "Searched", wallets: [Rows.bob], from: 2, to: 5 })
      const after = yield* state

      const lacking = "Not indexed: blocks 0 to 5 of this chain are not in the index"
      expect(before).toEqual({ rows: 0, from: "6", searched: undefined, list: lacking })
      expect(meanwhile).toEqual({
        rows: 0,
        from: "6",
        searched: "2",
        list: `${lacking} for this wallet yet: its past is searched up to block 2`,
      })
      expect(after).toMatchObject({ from: "0", searched: "5" })
      expect([typeof after.list, after.rows]).toEqual(["number", after.list])
    }).pipe(Effect.scoped),
  )
})
