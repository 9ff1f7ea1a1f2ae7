/**
 * Names of the Ethereum Name Service on each chain, for all routes of a process.
 */
import * as Context from "effect/Context"
import * as EnsNames from "../../ens/EnsNames.ts"
import type { ChainRef } from "../../store/ChainRef.ts"

/** Names by chain. */
export class ChainEns extends Context.Service<ChainEns, (chain: Pick<ChainRef, "id">) => EnsNames.EnsNames>()(
  "@daybook/service/server/ChainEns",
) {
  /** No chain has a registry, or no node is called. */
  static readonly none: ChainEns["Service"] = () => EnsNames.none
}
