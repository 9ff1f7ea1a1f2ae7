/**
 * Contracts described by the operator, for decoding on the server: reread soon after they change, and kept while the database does not
 * answer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type * as ContractAbi from "../../contract/ContractAbi.ts"
import * as ContractDecoder from "../../contract/ContractDecoder.ts"
import type { SignatureDirectory } from "../../contract/SignatureDirectory.ts"
import type * as Decoder from "@daybook/abi/Decoder"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as Steps from "../../supervision/Steps.ts"
import type { ChainRef } from "../../store/ChainRef.ts"
import type { Contract, Contracts } from "../../store/Contracts.ts"
import { Engine } from "../../store/Engine.ts"
import type { Label } from "../../label/Label.ts"
import { ChainEns } from "./ChainEns.ts"

/** What the operator has described for a chain. */
export interface Described {
  readonly contracts: ReadonlyArray<Contract>
  readonly decoder: ContractDecoder.ContractDecoder
  /** Label of an address: from the configuration, or else the name of a contract, or else its known name in the name service. */
  readonly label: Label
}

/** A chain with the labels of its configuration. */
export type LabelledChain = ChainRef & { readonly label: Label }

/** The contracts of the chains of a process. */
export class ChainContracts extends Context.Service<
  ChainContracts,
  {
    /** Reads the descriptions of a chain; while the database does not answer, returns the last ones read. */
    readonly find: (chain: LabelledChain) => Effect.Effect<Described>
    /** Keeps an ABI that this process has read and is about to store, so that it is not read again. */
    readonly keep: (chain: ChainRef, text: string, abi: ContractAbi.Abi) => void
  }
>()("@daybook/service/server/ChainContracts") {}

type Contents = Omit<Described, "label">

interface Cached {
  readonly described: Contents
  readonly revision: number
  readonly checkedAt: number
}

/** What a process caches for a chain. */
interface Memory {
  readonly permit: Semaphore.Semaphore
  cached: Cached | undefined
  /** An ABI that was read but is not among the described ones yet. */
  kept: readonly [text: string, abi: ContractDecoder.DecodingAbi] | undefined
}

/** A change takes effect within this time. */
export const checkMillis = 250

/** Reads the contracts of a database, in steps and by one request at a time; other requests wait for it. */
export const make = (
  database: Pick<Contracts, "list" | "revision">,
  builtIn: Decoder.Decoder,
  directory: SignatureDirectory | null = null,
  ensOf: ChainEns["Service"] = ChainEns.none,
): ChainContracts["Service"] => {
  const memories = new Map<number, Memory>()
  const none: Contents = {
    contracts: [],
    decoder: Steps.runSync(ContractDecoder.make([], builtIn, undefined, directory)),
  }

  const memoryOf = ({ id }: ChainRef): Memory => {
    const memory = memories.get(id) ?? { permit: Semaphore.makeUnsafe(1), cached: undefined, kept: undefined }
    memories.set(id, memory)
    return memory
  }

  const fresh = ({ cached }: Memory, now: number): Contents | undefined =>
    cached !== undefined && now - cached.checkedAt < checkMillis ? cached.described : undefined

  const refresh = Effect.fnUntraced(function* (chain: ChainRef, memory: Memory) {
    const now = yield* MonotonicClock.millis
    // Another request may have read them while this one waited.
    const described = fresh(memory, now)
    if (described !== undefined) return described
    const { cached } = memory
    const revision = yield* database.revision(chain)
    if (cached?.revision === revision) {
      memory.cached = { ...cached, checkedAt: now }
      return cached.described
    }
    const contracts = revision === 0 ? [] : yield* database.list(chain)
    const abis = new Map(cached?.described.decoder.abis)
    if (memory.kept !== undefined) abis.set(...memory.kept)
    const decoder = yield* Steps.run(() => ContractDecoder.make(contracts, builtIn, abis, directory))
    memory.kept = undefined
    memory.cached = { described: { contracts, decoder }, revision, checkedAt: now }
    return memory.cached.described
  })

  const read = (chain: ChainRef): Effect.Effect<Contents> => {
    const memory = memoryOf(chain)
    return Effect.flatMap(MonotonicClock.millis, (now) => {
      const described = fresh(memory, now)
      if (described !== undefined) return Effect.succeed(described)
      return memory.permit
        .withPermit(refresh(chain, memory))
        .pipe(Effect.catch(({ message }) => Effect.as(Effect.logDebug(message), memory.cached?.described ?? none)))
    })
  }

  return {
    find: (chain) => {
      const ens = ensOf(chain)
      return Effect.map(read(chain), ({ contracts, decoder }) => ({
        contracts,
        decoder,
        label: (address) => chain.label(address) ?? decoder.nameOf(address) ?? ens.label(address),
      }))
    },
    keep: (chain, text, abi) => {
      memoryOf(chain).kept = [text, ContractDecoder.decoding(abi)]
    },
  }
}

/** The contracts of the database, for all routes of a process, and the signature directory for what they do not decode. */
export const layer = (directory: SignatureDirectory | null): Layer.Layer<ChainContracts, never, ChainEns | Engine> =>
  Layer.effect(
    ChainContracts,
    Effect.gen(function* () {
      const { contracts } = yield* Engine
      return make(contracts, KnownSignatures.decoder(), directory, yield* ChainEns)
    }),
  )
