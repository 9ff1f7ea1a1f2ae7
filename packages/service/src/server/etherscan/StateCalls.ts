/**
 * Amounts in the state at a block, from a node: balances of accounts and tokens, and token supplies.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import * as Holding from "../../ledger/Holding.ts"
import * as Movement from "../../ledger/Movement.ts"
import type { Request } from "./Action.ts"
import type * as Envelope from "./Envelope.ts"
import * as NodeCalls from "./NodeCalls.ts"

type Calls = Pick<NodeCalls.NodeCalls, "read">

/** A holding, at a block given by number in hex or by tag. */
export interface Held {
  /** Lower case. */
  readonly wallet: string
  /** `native`, or the address of a token. */
  readonly asset: string
  readonly tag: string
}

const stated = (amount: bigint | null): Effect.Effect<bigint, Envelope.Refused> =>
  amount === null ? Effect.fail(NodeCalls.unreadable("an amount")) : Effect.succeed(amount)

const nativeAmountOf = (value: unknown): bigint | null =>
  typeof value === "string" && /^0x[\da-f]{1,64}$/i.test(value) ? BigInt(value) : null

const balanceOfSelector = "0x70a08231"
const totalSupplySelector = "0x18160ddd"

/** Amount returned by a contract call. Empty data counts as 0, since an address without code returns none. */
const called = (calls: Calls, request: Request, call: { readonly to: string; readonly data: string }, tag: string) =>
  Effect.flatMap(calls.read(request, "eth_call", [call, tag]), (result) =>
    stated(result === "0x" ? 0n : Holding.amountOf(result)),
  )

/** Balance of a wallet. */
export const balance = (calls: Calls, request: Request, { asset, tag, wallet }: Held) => {
  const data = `${balanceOfSelector}${wallet.slice(2).padStart(64, "0")}`
  return asset === Movement.native
    ? Effect.flatMap(calls.read(request, "eth_getBalance", [wallet, tag]), (result) => stated(nativeAmountOf(result)))
    : called(calls, request, { to: asset, data }, tag)
}

/** Supply of a token. */
export const supply = (calls: Calls, request: Request, token: string, tag: string) =>
  called(calls, request, { to: token, data: totalSupplySelector }, tag)
