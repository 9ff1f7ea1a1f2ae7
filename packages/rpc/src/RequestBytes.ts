/**
 * Calls that return their results as bytes, for programs that forward large results or parse them themselves. It is a separate module so
 * that other programs do not load the JSON scanner.
 */
import * as JsonScanner from "@daybook/transport/internal/JsonScanner"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Client, RawRequest } from "./Client.ts"
import { callingOf, callRaw } from "./internal/Client.ts"
import * as BytesReading from "./internal/reply/BytesReading.ts"
import type { Decode } from "./internal/reply/decode.ts"
import type { CallError } from "./RpcError.ts"

export type { BytesResult, Hold, Sharing } from "./internal/reply/BytesReading.ts"

const encoder = new TextEncoder()

const bytes: Decode<BytesReading.BytesResult> = ({ bytes: large, text }) => {
  if (large !== undefined) return Result.succeed(large)
  const result = encoder.encode(text())
  const scanner = JsonScanner.make(result)
  JsonScanner.skip(scanner, Number.NEGATIVE_INFINITY)
  return Result.succeed({ result, depth: scanner.deepest })
}

/**
 * Calls any method; returns the JSON text of the result as bytes, unchanged, and its nesting depth.
 *
 * **Details**
 * - The call is sent alone. Identical calls in flight share its result, so do not modify it.
 * - A response above 256 KiB is not parsed. It is scanned as it arrives, in steps of 32 KiB: brackets, strings and encoding are checked,
 *   but not the syntax of the result.
 * - `sharing` runs these steps, the processing of each response once its headers are received, and the parsing of smaller responses, in turns
 *   that the program schedules. It also counts the bytes held while a response is read. Of identical calls, all but the first continue in a
 *   step of their own. The timeout of a call also ends its wait for a step.
 *
 * **Errors**
 * - Those of every call. `InvalidResponse` with the reason `too-large` also for an error above 256 KiB.
 *
 * **Example** (Passing a result on)
 *
 * ```ts
 * import { requestBytes } from "@daybook/rpc/RequestBytes"
 * import * as RpcClient from "@daybook/rpc/RpcClient"
 * import { Effect } from "effect"
 *
 * const fetch = async () => new Response(`{"jsonrpc":"2.0","id":1,"result":[ [ "0x1" ] ]}`)
 * const client = RpcClient.makeUnsafe({ url: "https://n.example", fetch })
 * const { depth, result } = await Effect.runPromise(requestBytes(client, "debug_traceBlock", ["0x1"]))
 * console.log(new TextDecoder().decode(result), depth) // [ [ "0x1" ] ] 2
 * ```
 */
export const requestBytes = (
  client: Client,
  method: string,
  params?: RawRequest["params"],
  sharing: Partial<BytesReading.Sharing> = {},
): Effect.Effect<BytesReading.BytesResult, CallError> =>
  Effect.suspend(() => {
    const calling = callingOf(client)
    if (calling === undefined)
      return Effect.die(
        new TypeError('Invalid argument "client": expected a client of RpcClient, received another object.'),
      )
    return callRaw({ ...calling, reading: BytesReading.make(sharing) }, method, params, () => bytes)
  })
