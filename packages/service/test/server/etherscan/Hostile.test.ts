/** Requests with parameters of any form. */
import * as Runs from "@daybook/harness/Runs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EtherscanRequests from "../../fuzz/etherscanRequests.ts"
import { blockLevel, chainOf } from "../rest/ledgers.ts"
import { start } from "../service.ts"

const withdrawal = { kind: "withdrawal", amount: 40n, counterparty: null } as const
const chains = { eth: chainOf({ 1: { 0: [{ amount: -5n }] }, 2: { [blockLevel]: [withdrawal] } }, 3) }

describe("Etherscan's API", () => {
  it.live("mutated requests respond 200 with an answer of the dialect, and no key is logged", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains, config: { log: { access: true } } })
      const key = yield* service.addKey({ name: "named" })
      const requests = Runs.usual(2_000)
      const failures = yield* EtherscanRequests.send(service, key, requests, 7)

      expect(failures).toEqual([])
      expect(service.logs.length).toBeGreaterThan(requests / 2)
    }).pipe(Effect.scoped),
  )
})
