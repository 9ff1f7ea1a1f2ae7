import { assert, describe, it } from "@effect/vitest"
import { faultOf } from "../../src/internal/fault.ts"

const nodeFault = (code: string, message: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) })

describe("fault", () => {
  describe("faultOf", () => {
    it("reads Node's cause: no route, no name, a bad certificate are faults of connecting", () => {
      assert.deepStrictEqual(faultOf(nodeFault("ENOTFOUND", "getaddrinfo ENOTFOUND a.test"), "headers"), {
        phase: "connect",
        reason: "getaddrinfo ENOTFOUND a.test",
      })
      assert.deepStrictEqual(faultOf(nodeFault("CERT_HAS_EXPIRED", "certificate has expired"), "headers"), {
        phase: "connect",
        reason: "CERT_HAS_EXPIRED: certificate has expired",
      })
    })
    it("reads the first of a group of connection errors", () => {
      const group = new AggregateError([
        Object.assign(new Error("connect ECONNREFUSED ::1:1"), { code: "ECONNREFUSED" }),
      ])

      assert.deepStrictEqual(faultOf(new TypeError("fetch failed", { cause: group }), "headers"), {
        phase: "connect",
        reason: "connect ECONNREFUSED ::1:1",
      })
    })
    for (const code of ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "HPE_INVALID_CONSTANT", "UND_ERR_HEADERS_TIMEOUT"]) {
      it(`takes ${code} for a connection that stood`, () =>
        assert.strictEqual(faultOf(nodeFault(code, "gone"), "headers").phase, "headers"))
    }
    it("keeps the phase once the body has begun", () =>
      assert.strictEqual(faultOf(nodeFault("ENOTFOUND", "x"), "body").phase, "body"))
    it("reads a browser's bare TypeError", () =>
      assert.deepStrictEqual(faultOf(new TypeError("Failed to fetch"), "headers"), {
        phase: "connect",
        reason: "Failed to fetch",
      }))
    it("reads Bun's code on the error itself", () =>
      assert.deepStrictEqual(
        faultOf(Object.assign(new Error("Unable to connect."), { code: "ConnectionRefused" }), "headers"),
        { phase: "connect", reason: "ConnectionRefused: Unable to connect." },
      ))
    it("survives a cause that turns in a circle, text and nothing at all", () => {
      const circle: Error & { cause?: unknown } = new Error("round")
      circle.cause = circle

      assert.strictEqual(faultOf(circle, "headers").reason, "round")
      assert.strictEqual(faultOf("plain text", "headers").reason, "plain text")
      assert.strictEqual(faultOf(undefined, "headers").reason, "unknown fault")
    })
  })
})
