/** Kinds of errors by code and message. */
import { describe, expect, it } from "@effect/vitest"
import { ErrorKind } from "../src/index.ts"

const cases: ReadonlyArray<readonly [ReturnType<typeof ErrorKind.fromError>, number, string]> = [
  ["rateLimited", -32005, "limit exceeded"],
  ["rateLimited", -32007, "15/second request limit reached"],
  ["rateLimited", -32011, "no backends available for method"],
  ["rateLimited", -32029, "slow down"],
  ["rateLimited", 429, "Your app has exceeded its compute units per second capacity."],
  ["rateLimited", -32000, "429 Too Many Requests"],
  ["rateLimited", -32000, "too many requests, please retry in 3s"],
  ["rateLimited", -32005, "daily request count exceeded, request rate limited"],
  ["rateLimited", 0, "error code: 1015"],
  ["tooLarge", -32005, "query returned more than 10000 results. Try with this block range [0x1, 0x2]."],
  ["tooLarge", -32602, "query exceeds max block range 1000"],
  ["tooLarge", -32003, "batch too large"],
  ["tooLarge", -32600, 'Too many ["eth_getLogs"] methods in the batch'],
  ["tooLarge", -32000, "Log response size exceeded."],
  ["tooLarge", -32202, "Batch requests are disabled"],
  ["tooLarge", 35, "ranges over 10000 blocks are not supported on freetier"],
  ["tooLarge", -32602, "eth_getLogs is limited to 0 - 10000 blocks range"],
  ["tooLarge", -32000, "maximum [from, to] blocks distance: 2000"],
  ["tooLarge", -32000, "too wide blocks range, the limit is 1000"],
  ["tooLarge", -32000, "eth_getLogs request exceeded max allowed range"],
  ["tooLarge", -32000, "Maximum allowed number of requested blocks is 3500"],
  ["tooLarge", -32000, "logs matched by query exceeds limit of 10000"],
  ["tooLarge", -32000, "Please limit the query to at most 1000 blocks"],
  ["tooLarge", -32614, "eth_getLogs is limited to a 10,000 range"],
  ["tooLarge", -32600, "You can make eth_getLogs requests with up to a 10 block range."],
  ["notFound", -32000, "header not found"],
  ["notFound", -32602, "Block with such an ID doesn't exist yet"],
  ["notFound", -32000, "cannot query unfinalized data"],
  ["notFound", -32000, "cannot query block after last accepted block"],
  ["notFound", -32000, "height 12 must be less than or equal to the current blockchain height 11"],
  ["notFound", -32000, "requested height 12 is not yet available; safe latest is 11"],
  ["notFound", -32603, "invalid block height: 12"],
  ["notFound", -32000, "requested a future epoch (beyond 'latest')"],
  ["notFound", -32602, "block range extends beyond current head block"],
  ["pruned", -32000, "state recreation l2 gas depth limit exceeded"],
  ["pruned", -32002, "No state available for block 12 (0xab)"],
  ["pruned", -32000, "World state unavailable"],
  ["pruned", -32602, "Archive requests require a personal token."],
  ["pruned", -32002, "Archive, Debug and Trace requests are not available on your current plan."],
  ["pruned", -32000, "height 1 is not available, lowest height is 8000"],
  ["notFound", -32000, "block 0x0000000000000000000000000000000000000000000000000000000000000001 not found"],
  ["notFound", -32000, "One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found."],
  ["notFound", -39001, "Unknown block"],
  ["notFound", -32603, "Filter id 22 does not exist."],
  ["pruned", 4444, "pruned history unavailable"],
  ["pruned", -32000, "missing trie node 0xabc (path )"],
  ["pruned", -32000, "required historical state unavailable (reexec=128)"],
  ["reverted", 3, "execution reverted: Panic(1)"],
  ["methodUnsupported", -32000, "the method trace_block is not exposed"],
  ["methodUnsupported", -32000, "rpc method is not whitelisted"],
  ["internal", -32000, "the method eth_call was not executed: upstream timed out"],
  ["unknown", -32000, "method eth_getLogs: node is not synced"],
  ["reverted", -32000, "execution reverted"],
  ["reverted", -32603, "execution reverted: 429 too many requests"],
  ["reverted", -32015, "VM execution error."],
  ["reverted", -32603, "EVM error InvalidFEOpcode"],
  ["reverted", -32603, "EVM error InvalidOperandOOG"],
  ["internal", -32603, "EVM error FatalExternalError"],
  ["invalidParams", -32602, "invalid argument 0: hex string has length 2, want 64"],
  ["invalidParams", -32602, "timed out waiting for too many requests"],
  ["invalidParams", -32600, "empty request"],
  ["methodUnsupported", -32601, "the method foo does not exist/is not available"],
  ["methodUnsupported", -32000, "the method eth_coinbase does not exist/is not available"],
  ["methodUnsupported", -32000, "notifications not supported"],
  ["internal", -32603, "json: error calling MarshalText"],
  ["internal", -32002, "request timed out"],
  ["unauthorized", -32600, "Must be authenticated!"],
  ["unauthorized", -32000, "Invalid API key"],
  ["unknown", -32000, "nonce too low"],
  ["unknown", -32000, "nonce too low: next nonce 429, tx nonce 5"],
  ["unknown", -32000, "insufficient funds for gas * price + value: have 429 want 430"],
  ["unknown", -32000, "gas limit exceeded"],
  ["unknown", -32003, "nonce too low"],
  ["unknown", -32003, "insufficient funds for transfer"],
  ["tooLarge", -32003, ""],
  ["notFound", -32000, "block #429 not found"],
  ["rateLimited", -32000, "HTTP status 429"],
  ["rateLimited", -32000, "Request failed with status code 429"],
  ["unknown", -32000, "insufficient funds for gas * price + value"],
]

describe("ErrorKind", () => {
  describe("of", () => {
    it.each(cases)("of: is %s for %i %s", (kind, code, message) => {
      expect(ErrorKind.fromError({ code, message })).toBe(kind)
    })
  })

  describe("isRetryable", () => {
    it("isRetryable: is true only for internal errors and rate limits", () => {
      const kinds: ReadonlyArray<ErrorKind.ErrorKind> = [
        "rateLimited",
        "notFound",
        "pruned",
        "reverted",
        "invalidParams",
        "methodUnsupported",
        "tooLarge",
        "internal",
        "unknown",
      ]

      expect(kinds.filter(ErrorKind.isRetryable)).toEqual(["rateLimited", "internal"])
    })
  })
})
