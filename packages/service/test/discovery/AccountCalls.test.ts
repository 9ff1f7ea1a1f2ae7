/** Errors of nodes in response to a search for logs. */
import { RpcError } from "@daybook/rpc/RpcError"
import * as ErrorKind from "@daybook/rpc/ErrorKind"
import { describe, expect, it } from "@effect/vitest"
import * as AccountCalls from "../../src/discovery/AccountCalls.ts"

const errorOf = (code: number, message: string) => {
  const kind = ErrorKind.fromError({ code, message })
  return new RpcError({
    method: "eth_getLogs",
    host: "node.example",
    attempts: [],
    code,
    message,
    kind: kind === "unauthorized" || kind === "rateLimited" ? "unknown" : kind,
  })
}

describe("AccountCalls", () => {
  it.each([
    [-32000, "block range is too wide"],
    [-32000, "Query timeout exceeded. Consider reducing your block range."],
    [-32000, "query timeout of 10 seconds exceeded"],
    [-32002, "request timed out"],
    [-32000, "context deadline exceeded"],
  ])("isRangeTooLarge: is true for %i %s", (code, message) => {
    expect(AccountCalls.isRangeTooLarge(errorOf(code, message))).toBe(true)
  })

  it.each([
    [-32603, "internal error"],
    [-32000, "header not found"],
    [-32602, "timed out waiting for the address"],
  ])("isRangeTooLarge: is false for %i %s", (code, message) => {
    expect(AccountCalls.isRangeTooLarge(errorOf(code, message))).toBe(false)
  })
})
