import { RpcError } from "@daybook/rpc/RpcError"
import * as ErrorKind from "@daybook/rpc/ErrorKind"
import { describe, expect, it } from "@effect/vitest"
import * as Tracer from "../../src/node/Tracer.ts"

const errorOf = (code: number, message: string) => {
  const kind = ErrorKind.fromError({ code, message })
  return new RpcError({
    method: "trace_block",
    host: "node.example",
    attempts: [],
    code,
    message,
    kind: kind === "unauthorized" || kind === "rateLimited" ? "unknown" : kind,
  })
}

const filler = "step 1 of the method ran. ".repeat(200)

describe("Tracer", () => {
  it.each([
    [-32601, "the method trace_block does not exist"],
    [-32000, "trace_block is not on your plan"],
    [-32000, "the trace namespace is disabled"],
    [-32002, "Archive, Debug and Trace requests are not available on your current plan."],
    [-32000, "Debug API is disabled"],
    [-32000, "rpc method is unsupported"],
    [-32600, "upgrade: debug_traceBlockByNumber needs another tier"],
  ])("isMissing: is true for a rejection of the method: %i %s", (code, message) => {
    expect(Tracer.isMissing(errorOf(code, message))).toBe(true)
  })

  it.each([
    ["a method that failed", -32603, "method trace_block did not return"],
    ["a revert", 3, "the module did not accept the call"],
    ["a long text", -32000, `${filler}it did not end`],
    ["a text that begins like a rejection", -32000, `the tracer of method 7 gave up, as it could not go on. ${filler}`],
    ["a rejection after many other words", -32000, `${"x".repeat(400)} trace_block is disabled`],
  ])("isMissing: is false for %s", (_, code, message) => {
    expect(Tracer.isMissing(errorOf(code, message))).toBe(false)
  })
})
