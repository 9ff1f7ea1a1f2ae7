/**
 * Faults in the items of a JSON-RPC response, and harmless variations of a correct one: order, compression, ids, duplicates, missing
 * members, and errors of single calls.
 */
import * as Payload from "@daybook/harness/Payload"
import {
  bodyOf,
  correctBody,
  delivered,
  harmless,
  item,
  itemsOf,
  limitCode,
  limited,
  targetError,
  targetItems,
  unknownId,
  unrelated,
} from "./nodeFault.ts"
import type { Fault } from "./nodeFault.ts"

/** Size of an oversized item in a body of acceptable size: 640 KiB. */
export const oversizeItemBytes = 640 * 1024

const invalidItem = { affects: "target", outcomes: ["InvalidResponse"], retry: "allowed" } as const
const tolerated = { affects: "target", outcomes: ["correct", "InvalidResponse"], retry: "allowed" } as const
const failed = { affects: "target", outcomes: ["RpcError"], retry: "forbidden" } as const

/** `Error("paused")` as a contract reverts with it. */
const revertData = `0x08c379a0${"20".padStart(64, "0")}${"6".padStart(64, "0")}${Buffer.from("paused").toString("hex").padEnd(64, "0")}`

export const itemFaults = {
  none: { ...harmless, respond: (context) => ({ body: correctBody(context) }) },
  reordered: {
    ...harmless,
    batchOnly: true,
    respond: (context) => ({ body: bodyOf(context, itemsOf(context).toReversed()) }),
  },
  extraItem: {
    ...harmless,
    batchOnly: true,
    respond: (context) => ({
      body: bodyOf(context, [{ jsonrpc: "2.0", id: unknownId, ...unrelated }, ...itemsOf(context)]),
    }),
  },
  gzip: { ...harmless, respond: (context) => Payload.compressed(correctBody(context), context.acceptsGzip) },
  drip: { ...harmless, respond: delivered({ kind: "drip", everyMillis: 10 }) },

  duplicateItem: { ...tolerated, respond: targetItems((correct) => [correct, correct]) },
  textId: { ...tolerated, respond: targetItems((correct, { id }) => [{ ...correct, id: String(id) }]) },
  absentVersion: { ...tolerated, respond: targetItems((correct) => [{ ...correct, jsonrpc: undefined }]) },
  wrongContentType: {
    ...tolerated,
    affects: "all",
    respond: (context) => ({ headers: { "content-type": "text/html; charset=utf-8" }, body: correctBody(context) }),
  },

  missingItem: { ...invalidItem, retry: "required", batchOnly: true, respond: targetItems(() => []) },
  conflictingItems: { ...invalidItem, respond: targetItems((correct, call) => [item(call, unrelated), correct]) },
  nullId: { ...invalidItem, respond: targetItems((correct) => [{ ...correct, id: null }]) },
  absentId: { ...invalidItem, respond: targetItems((correct) => [{ ...correct, id: undefined }]) },
  wrongId: { ...invalidItem, respond: targetItems((correct) => [{ ...correct, id: unknownId }]) },
  wrongVersion: { ...invalidItem, respond: targetItems((correct) => [{ ...correct, jsonrpc: "1.0" }]) },
  noResult: { ...invalidItem, respond: targetItems(({ id, jsonrpc }) => [{ jsonrpc, id }]) },
  undecodable: { ...invalidItem, respond: targetItems((_, call) => [item(call, { result: { nonsense: [1] } })]) },
  oversizeItem: {
    ...invalidItem,
    respond: targetItems((_, call) => [item(call, { result: `0x${"00".repeat(oversizeItemBytes / 2)}` })]),
  },
  nullResult: {
    ...invalidItem,
    outcomes: ["null", "InvalidResponse"],
    respond: targetItems((_, call) => [item(call, { result: null })]),
  },
  errorText: {
    ...invalidItem,
    outcomes: ["InvalidResponse", "RpcError"],
    respond: targetItems((_, { id }) => [{ jsonrpc: "2.0", id, error: "something went wrong" }]),
  },

  invalidParams: { ...failed, respond: targetError(-32602, "invalid argument 0: rate limit of hex digits exceeded") },
  reverted: { ...failed, respond: targetError(3, "execution reverted: paused", revertData) },
  unsupported: { ...failed, respond: targetError(-32601, "the method does not exist/is not available") },
  internal: { ...failed, retry: "required", respond: targetError(-32603, "Internal error") },
  limitedItem: {
    ...limited,
    affects: "target",
    respond: targetItems((_, call) => [item(call, { error: { code: limitCode(call), message: "limit exceeded" } })]),
  },
  limitedText: {
    ...limited,
    affects: "target",
    respond: targetError(-32000, "Too many requests, please slow down"),
  },
} as const satisfies Readonly<Record<string, Fault>>
