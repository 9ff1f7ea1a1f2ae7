/**
 * Amounts in the state of a block, which a node answers: balances of accounts and of tokens, and supplies of tokens.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import * as Movement from "../../ledger/Movement.ts"
import type { Request } from "./Action.ts"
import type * as Envelope from "./Envelope.ts"
import * as NodeCalls from "./NodeCalls.ts"

type Calls = Pick<NodeCalls.NodeCalls, "read">

/** What is held of an asset, at a block by its number in hex or its tag. */
export interface Held {
  /** Lower case. */
  readonly wallet: string
  /** `native`, or the address of a token. */
  readonly asset: string
  readonly tag: string
}

const amountOf = (value: unknown): Effect.Effect<bigint, Envelope.Refused> =>
  typeof value === "string" && /^0x[\da-f]{1,64}$/i.test(value)
    ? Effect.succeed(BigInt(value))
    : Effect.fail(NodeCalls.unreadable("an amount"))

const balanceOfSelector = "0x70a08231"
const totalSupplySelector = "0x18160ddd"

/** What a wallet holds. */
export const balance = (calls: Calls, request: Request, { asset, tag, wallet }: Held) => {
  const data = `${balanceOfSelector}${wallet.slice(2).padStart(64, "0")}`
  const read =
    asset === Movement.native
      ? calls.read(request, "eth_getBalance", [wallet, tag])
      : calls.read(request, "eth_call", [{ to: asset, data }, tag])
  return Effect.flatMap(read, amountOf)
}

/** The supply of a token. */
export const supply = (calls: Calls, request: Request, token: string, tag: string) =>
  Effect.flatMap(calls.read(request, "eth_call", [{ to: token, data: totalSupplySelector }, tag]), amountOf)
