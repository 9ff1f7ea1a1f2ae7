/** Options of a promise client, and the Effect client behind it. */
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as Result from "effect/Result"
import type * as Client from "../Client.ts"
import type * as RpcClient from "../RpcClient.ts"
import { makeUnsafe } from "./Client.ts"
import { optionKinds } from "./Settings.ts"

/**
 * The options of a client.
 */
export type Options = RpcClient.Options & {
  /** Ends every call of the client. */
  readonly signal?: AbortSignal | undefined
}

/** Checks options; throws `InvalidOption`. Missing options are an empty object. */
const checked = <A extends object>(
  options: A | null | undefined,
  kinds: Readonly<Record<keyof A, OptionCheck.Kind>>,
): A => {
  Result.getOrThrow(OptionCheck.members(options, kinds))
  // Sound: every member of the options is optional, or checked where it is read.
  return options ?? ({} as A)
}

/** Makes the Effect client, and the signal that ends the calls of its promises. Throws `InvalidOption` for an invalid option. */
export const start = (options: Options): readonly [Client.Client, AbortSignal | undefined] => {
  const { signal, ...rest } = checked(options, { ...optionKinds, signal: "signal" })
  return [makeUnsafe(rest), signal]
}
