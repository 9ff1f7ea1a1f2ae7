/** An action of Etherscan's API: the operation that a key must be allowed, and its handler. */
import type * as Effect from "effect/Effect"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import type { RelayedChain } from "../relay/RelayChains.ts"
import type * as Envelope from "./Envelope.ts"
import type { Parameters } from "./Parameters.ts"

/** A chain with its index, and its nodes if the process relays calls. */
export interface Chain extends IndexedChain {
  readonly relayed: RelayedChain | undefined
}

/** An admitted request. */
export interface Request {
  readonly chain: Chain
  readonly parameters: Parameters
  readonly grant: KeyGrant
}

/** An action. */
export interface Action {
  /** The operation in a key's scope. */
  readonly operation: string
  readonly answer: (request: Request) => Effect.Effect<Envelope.ActionResult, Envelope.Refused>
}

/** Actions by module and action, in lower case: `account/txlist`. */
export type Actions = Readonly<Record<string, Action>>
