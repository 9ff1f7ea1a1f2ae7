/**
 * The bare form of an answer: the body is the transaction itself, without an envelope, as the interface shows it for one method.
 * No id says whose answer it is, so it must say itself that it is the transaction that was asked for.
 * Source: docs/interface.md#4.3; decision 0017.
 */
import * as Hash from "@daybook/schema/Hash"
import * as Quantity from "@daybook/schema/Quantity"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { describe, describeWhole } from "./problem.ts"
import { isObject, type ResponseItem, type RequestItem } from "./wire.ts"

const readHash = SchemaParser.decodeUnknownResult(Hash.Hash)
const readIndex = SchemaParser.decodeUnknownResult(Quantity.SafeInteger)

const isSame = (
  read: (input: unknown) => Result.Result<Schema.Schema.Type<Schema.Schema<unknown>>, unknown>,
  one: unknown,
  other: unknown,
): boolean => {
  const [first, second] = [read(one), read(other)]
  return Result.isSuccess(first) && Result.isSuccess(second) && first.success === second.success
}

/** What a bare body says to the call; undefined when it is not one. */
export const readBare = (body: unknown, call: RequestItem): ResponseItem | undefined => {
  if (call.method !== "eth_getTransactionByBlockHashAndIndex" || !isObject(body) || !Array.isArray(call.params)) {
    return undefined
  }
  const isBare = !["jsonrpc", "id", "result", "error"].some((key) => key in body) && "hash" in body && "from" in body
  if (!isBare) return undefined
  const params: ReadonlyArray<unknown> = call.params
  const fault = (key: string, asked: unknown): ResponseItem => ({
    _tag: "Wrong",
    wrong: { path: key, received: describeWhole(body[key]), expected: `${describe(asked)}, as was asked` },
  })
  if (!isSame(readHash, body["blockHash"], params[0])) return fault("blockHash", params[0])
  if (!isSame(readIndex, body["transactionIndex"], params[1])) return fault("transactionIndex", params[1])
  return { _tag: "Value", value: body }
}
