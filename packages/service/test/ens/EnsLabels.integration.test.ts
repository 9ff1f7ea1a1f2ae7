import { describe, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Rows from "../server/rows.ts"
import { start, type Started } from "../server/service.ts"
import * as NameChain from "./nameChain.ts"

const startOn = Effect.fnUntraced(function* (chain: NameChain.NameChain, more: Readonly<Record<string, unknown>> = {}) {
  const blocks = [Rows.block(0, [{ from: Rows.alice, to: Rows.bob }])]
  const config = { id: 31_337, rpc: [chain.node.url], ens: chain.registry, ...more }
  return yield* start({ chains: { "my chain": { config, blocks } } })
})

/** Names of addresses, of which only the first has one. */
const settled = Effect.fnUntraced(function* (service: Started, addresses: ReadonlyArray<string>) {
  const read = Effect.map(
    service.get(`/api/v2.2/names?chain=my chain&address=${addresses.join(",")}`),
    ({ json }): ReadonlyArray<string | null> => json.result.addresses,
  )
  // A lookup waits a moment for names: on a busy machine it takes several.
  const isKnown = Effect.map(read, ([first]) => first !== null)
  yield* Eventually.untilEffect(isKnown, { everyMillis: 20, withinMillis: 60_000, what: "the name of an address" })
  return yield* read
})

describe("ENS: labels of addresses in each dialect", () => {
  it.live("pages have a name once it is known, and lookups of names wait for it", () =>
    Effect.gen(function* () {
      const chain = yield* NameChain.start
      yield* chain.setName(Rows.alice, "alice.eth")
      yield* chain.setReverse(Rows.bob, "alice.eth")
      const service = yield* startOn(chain)
      const page = Effect.map(service.wallet(Rows.alice, "chain=my chain"), ({ json }) => {
        const [{ from_address_label: from, to_address_label: to }] = json.result
        return [from, to]
      })
      const first = yield* page
      const names = yield* settled(service, [Rows.alice, Rows.bob])
      const tags = yield* service.fetch(
        `/v2/api?module=nametag&action=getaddresstag&address=${Rows.alice}&apikey=${service.key}`,
      )

      expect(first).toEqual([null, null])
      expect(names).toEqual(["alice.eth", null])
      expect(tags.json.result[0].nametag).toBe("alice.eth")
      expect(yield* page).toEqual(["alice.eth", null])
    }).pipe(Effect.scoped),
  )

  it.live("the search finds the address of a name in any case, and nothing if the name has no address", () =>
    Effect.gen(function* () {
      const chain = yield* NameChain.start
      yield* chain.setName(Rows.alice, "alice.eth")
      const service = yield* startOn(chain)
      const search = (text: string) =>
        Effect.map(
          service.get(`/api/v2.2/search?chain=my chain&q=${encodeURIComponent(text)}`),
          ({ json }) => json.result,
        )

      expect(yield* search("Alice.ETH")).toEqual([
        { kind: "ens", address: Rows.alice, name: "alice.eth", symbol: null },
      ])
      expect(yield* search("bob.eth")).toEqual([])
      expect(yield* search("\u0430lice.eth")).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.live("a configured label precedes a name, and a chain without a registry has no names", () =>
    Effect.gen(function* () {
      const chain = yield* NameChain.start
      yield* chain.setName(Rows.alice, "alice.eth")
      const labelled = yield* startOn(chain, { labels: { [Rows.alice]: "Treasury" } })
      const off = yield* startOn(chain, { ens: "off" })
      const namesOf = (service: typeof off) =>
        Effect.map(
          service.get(`/api/v2.2/names?chain=my chain&address=${Rows.alice}`),
          ({ json }) => json.result.addresses,
        )

      expect(yield* namesOf(labelled)).toEqual(["Treasury"])
      expect(yield* namesOf(off)).toEqual([null])
    }).pipe(Effect.scoped),
  )
})
