import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as EnsResolver from "../../src/ens/EnsResolver.ts"
import * as NameChain from "./nameChain.ts"

const account = (digit: string) => `0x${digit.repeat(40)}`

/** A resolver at a block, called on the node directly. */
const at = ({ node, registry }: NameChain.NameChain, block: number | "latest" = "latest") => {
  const place = block === "latest" ? block : `0x${block.toString(16)}`
  return EnsResolver.make(registry, (to, data) =>
    node.call<string>("eth_call", [{ to, data, gas: "0x4c4b40" }, place]).pipe(Effect.orElseSucceed(() => null)),
  )
}

const names = (chain: NameChain.NameChain, addresses: ReadonlyArray<string>, block?: number) =>
  Effect.forEach(addresses, at(chain, block).nameOf)

describe("EnsResolver: names of a chain with a registry", () => {
  it.live(
    "an address has a name only if the name resolves to it, and a name has an address without that condition",
    () =>
      Effect.gen(function* () {
        const chain = yield* NameChain.start
        const [alice, liar, silent] = [account("a"), account("b"), account("c")]
        yield* chain.setName(alice, "alice.eth")
        yield* chain.setReverse(liar, "alice.eth")

        expect(yield* names(chain, [alice, liar, silent])).toEqual(["alice.eth", null, null])
        expect(yield* at(chain).addressOf("alice.eth")).toBe(alice)
        expect(yield* at(chain).addressOf("bob.eth")).toBeNull()
      }).pipe(Effect.scoped),
  )

  it.live("names that are not normal are not shown, even if they resolve to the address", () =>
    Effect.gen(function* () {
      const chain = yield* NameChain.start
      const texts = ["Alice.eth", "\u0430lice.eth", "ali\u200bce.eth", "alice", "a b.eth", ""]
      const accounts = texts.map((_, index) => `0x${(index + 1).toString(16).repeat(40)}`)
      for (const [index, text] of texts.entries()) yield* chain.setName(accounts[index]!, text)

      expect(yield* names(chain, accounts)).toEqual(texts.map(() => null))
    }).pipe(Effect.scoped),
  )

  it.live(
    "a name that moves to another address names neither until both records agree, and earlier blocks keep it",
    () =>
      Effect.gen(function* () {
        const chain = yield* NameChain.start
        const [before, after] = [account("a"), account("b")]
        yield* chain.setName(before, "alice.eth")
        const named = yield* chain.head
        yield* chain.setAddress("alice.eth", after)
        const moved = yield* chain.head
        yield* chain.setReverse(after, "alice.eth")

        expect(yield* names(chain, [before, after], named)).toEqual(["alice.eth", null])
        expect(yield* names(chain, [before, after], moved)).toEqual([null, null])
        expect(yield* names(chain, [before, after])).toEqual([null, "alice.eth"])
      }).pipe(Effect.scoped),
  )

  it.live("a resolver that fails, never ends, returns a megabyte or refers to a server names nothing", () =>
    Effect.gen(function* () {
      const chain = yield* NameChain.start
      const kinds = [0, 1, 2, 3]
      const accounts = kinds.map((kind) => account(String(kind + 1)))
      for (const kind of kinds) {
        const hostile = yield* chain.create("HostileResolver", [kind])
        yield* chain.setResolver(NameChain.reverseOf(accounts[kind]!), hostile)
        yield* chain.setResolver(`hostile${kind}.eth`, hostile)
      }

      expect(yield* names(chain, accounts)).toEqual([null, null, null, null])
      expect(yield* Effect.forEach(kinds, (kind) => at(chain).addressOf(`hostile${kind}.eth`))).toEqual([
        null,
        null,
        null,
        null,
      ])
    }).pipe(Effect.scoped),
  )

  it.live("the resolver of a parent name answers for names below it only if it declares that it can", () =>
    Effect.gen(function* () {
      const chain = yield* NameChain.start
      const alice = account("a")
      const wildcard = yield* chain.create("WildcardResolver", [alice, "pay.team.eth"])
      yield* chain.setResolver("team.eth", wildcard)
      yield* chain.setResolver("default.reverse", wildcard)
      yield* chain.setName(account("b"), "plain.eth")

      expect(yield* Effect.forEach(["pay.team.eth", "pay.plain.eth"], at(chain).addressOf)).toEqual([alice, null])
      // The name that is given to every address resolves to one of them.
      expect(yield* names(chain, [alice, account("c")])).toEqual(["pay.team.eth", null])
    }).pipe(Effect.scoped),
  )
})
