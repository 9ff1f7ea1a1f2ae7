/** A chain with a name registry and a resolver, both without access control, and a node with the state of each block. */
import { Effect } from "effect"
import { Anvil, Contracts } from "@daybook/chain"
import { namehash } from "viem/ens"

const gas = "0x4c4b40"

/** The reverse name of an address. */
export const reverseOf = (address: string) => `${address.slice(2)}.addr.reverse`

export const start = Effect.gen(function* () {
  const node = yield* Anvil.make({ persistedStates: 100 })
  const [from] = node.accounts
  const send = Effect.fnUntraced(function* (transaction: { readonly to?: string; readonly data: string }) {
    const hash = yield* node.call<string>("eth_sendTransaction", [{ from, gas, ...transaction }])
    yield* node.call("evm_mine")
    const receipt = yield* node.call<{ readonly status: string; readonly contractAddress: string }>(
      "eth_getTransactionReceipt",
      [hash],
    )
    if (receipt.status !== "0x1") return yield* Effect.die(new Error("A transaction has failed."))
    return receipt.contractAddress
  })
  const create = (name: Contracts.Name, args: ReadonlyArray<unknown> = []) =>
    send({ data: Contracts.encodeCreation(name, args) })
  const registry = yield* create("NameRegistry")
  const resolver = yield* create("NameResolver")
  const setResolver = (name: string, to: string) =>
    send({ to: registry, data: Contracts.encodeCall("NameRegistry", "setResolver", [namehash(name), to]) })
  const setAddress = (name: string, to: string) =>
    send({ to: resolver, data: Contracts.encodeCall("NameResolver", "setAddr", [namehash(name), to]) })
  const setReverse = Effect.fnUntraced(function* (address: string, text: string) {
    yield* setResolver(reverseOf(address), resolver)
    yield* send({
      to: resolver,
      data: Contracts.encodeCall("NameResolver", "setName", [namehash(reverseOf(address)), text]),
    })
  })
  return {
    node,
    registry,
    create,
    setResolver,
    setAddress,
    setReverse,
    head: Effect.map(node.call<string>("eth_blockNumber"), Number),
    /** Sets the name of an address, and resolves the name to it. */
    setName: Effect.fnUntraced(function* (address: string, name: string) {
      yield* setReverse(address, name)
      yield* setResolver(name, resolver)
      yield* setAddress(name, address)
    }),
  }
})

/** Result of `start`. */
export type NameChain = Effect.Success<typeof start>
