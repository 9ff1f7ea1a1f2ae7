/**
 * Resolves names of the Ethereum Name Service with the nodes of the relay.
 *
 * Source: decision 0058.
 */
import * as Json from "@daybook/schema/Json"
import * as Quantity from "@daybook/schema/Quantity"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as EnsNames from "../../ens/EnsNames.ts"
import { ChainEns } from "../chain/ChainEns.ts"
import { type RelayedChain, RelayChains } from "./RelayChains.ts"
import type { Upstream } from "./Upstream.ts"
import * as HexQuantity from "../../node/HexQuantity.ts"

/** The registry, which has the same address on every chain that has one. */
const registry = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e"
const chainsWithRegistry: ReadonlySet<number> = new Set([1, 17_000, 11_155_111])

/** Gas limit of a call: a contract that needs more has no result. */
const gas = "0x4c4b40"

/** A longer result contains no name. */
const maxAnswerBytes = 4_096

const defaultCallsPerMinute = 600

const decodeHead = Schema.decodeUnknownOption(Quantity.SafeInteger)

const unavailable = (message: string) => new EnsNames.NodeUnavailable({ message })

/** Errors caused by the node; any other error is the contract's response. */
const isOfNode: ReadonlySet<string> = new Set(["internal", "methodUnsupported", "notFound", "pruned"])

const sourceOf = ({ call }: Upstream): Pick<EnsNames.Source, "callAt" | "head"> => ({
  head: Effect.gen(function* () {
    const result = yield* Effect.mapError(call("eth_blockNumber", []), ({ message }) => unavailable(message))
    const head = decodeHead(Json.parse(Buffer.from(result).toString()))
    return Option.isSome(head) ? head.value : yield* unavailable("The node did not return a block number.")
  }),
  callAt: (block) => (to, data) =>
    call("eth_call", [{ to, data, gas }, HexQuantity.of(block)]).pipe(
      Effect.map((bytes) => {
        const answer = bytes.length > maxAnswerBytes ? null : Json.parse(Buffer.from(bytes).toString())
        return typeof answer === "string" && /^0x[\da-f]*$/i.test(answer) ? answer : null
      }),
      Effect.catchTags({
        ResponseRejected: () => Effect.succeed(null),
        RpcError: ({ kind, message }) =>
          isOfNode.has(kind) ? Effect.fail(unavailable(message)) : Effect.succeed(null),
        UpstreamUnavailable: ({ message }) => Effect.fail(unavailable(message)),
      }),
    ),
})

/** The registry of a chain; `undefined` for none. */
const registryOf = ({ config, id }: RelayedChain): string | undefined =>
  config.ens === undefined
    ? chainsWithRegistry.has(id)
      ? registry
      : undefined
    : config.ens === "off"
      ? undefined
      : config.ens.toLowerCase()

/** Resolves names for the chains whose calls this process relays. */
export const layer: Layer.Layer<ChainEns, never, RelayChains> = Layer.effect(
  ChainEns,
  Effect.gen(function* () {
    const names = new Map<number, EnsNames.EnsNames>()
    for (const chain of yield* RelayChains) {
      const [address, callsPerMinute] = [registryOf(chain), chain.config.proofCallsPerMinute ?? defaultCallsPerMinute]
      if (address === undefined || callsPerMinute === 0) continue
      names.set(chain.id, yield* EnsNames.make({ ...sourceOf(chain.upstream), registry: address, callsPerMinute }))
    }
    return ({ id }) => names.get(id) ?? EnsNames.none
  }),
)
