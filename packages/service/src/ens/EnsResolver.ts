/**
 * Resolves addresses to names and names to addresses, by calls to a registry at one block. One direction alone is not trusted: an address
 * only has a name if the name resolves back to it. Off-chain lookups (EIP-3668) are not followed.
 *
 * Source: ENSIP-1, ENSIP-10, ENSIP-19; decision 0058.
 */
import * as Effect from "effect/Effect"
import * as EnsName from "./EnsName.ts"

/** Calls a contract; `null` if there is no usable result, for example after a revert. Fails if no node responds. */
export type Call<E> = (to: string, data: string) => Effect.Effect<string | null, E>

/** Names at one block. */
export interface EnsResolver<E> {
  /** Name of an address, lower case. */
  readonly nameOf: (address: string) => Effect.Effect<string | null, E>
  /** Address of a name in normal form. */
  readonly addressOf: (name: string) => Effect.Effect<string | null, E>
}

/** Makes a resolver over a registry. Resolvers of parent names are read once. */
export const make = <E>(registry: string, call: Call<E>): EnsResolver<E> => {
  const parents = new Map<string, string | null>()

  const read = <A>(to: string, data: string, decode: (answer: string) => A | null): Effect.Effect<A | null, E> =>
    Effect.map(call(to, data), (answer) => (answer === null ? null : decode(answer)))

  /** Resolver of a name, or of its nearest parent. */
  const findResolver = Effect.fnUntraced(function* (name: string) {
    for (const [above, at] of EnsName.withParents(name).entries()) {
      const known = above === 0 ? undefined : parents.get(at)
      const resolver =
        known === undefined ? yield* read(registry, EnsName.calls.resolver(at), EnsName.addressIn) : known
      if (above > 0) parents.set(at, resolver)
      if (resolver !== null) return { resolver, isOwn: above === 0 }
    }
    return null
  })

  /** Result of a call about a name to its resolver. */
  const ask = Effect.fnUntraced(function* (name: string, data: string) {
    const found = yield* findResolver(name)
    if (found === null) return null
    const { isOwn, resolver } = found
    const isExtended = (yield* read(resolver, EnsName.calls.isExtended, EnsName.isTrue)) === true
    if (isExtended) return yield* read(resolver, EnsName.calls.resolve(name, data), EnsName.bytesIn)
    return isOwn ? yield* call(resolver, data) : null
  })

  const addressOf: EnsResolver<E>["addressOf"] = Effect.fnUntraced(function* (name) {
    const answer = yield* ask(name, EnsName.calls.addr(name))
    return answer === null ? null : EnsName.addressIn(answer)
  })

  return {
    addressOf,
    nameOf: Effect.fnUntraced(function* (address) {
      for (const reverse of EnsName.reverseNames(address)) {
        const answer = yield* ask(reverse, EnsName.calls.name(reverse))
        const name = answer === null ? null : EnsName.textIn(answer)
        if (name === null || name === "") continue
        return EnsName.isNormal(name) && (yield* addressOf(name)) === address ? name : null
      }
      return null
    }),
  }
}
