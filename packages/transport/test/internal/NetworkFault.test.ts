import { describe, expect, it } from "@effect/vitest"
import { fromError } from "../../src/internal/NetworkFault.ts"

const nodeFault = (code: string, message: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) })

describe("NetworkFault", () => {
  describe("fromError", () => {
    it("fromError: classifies an unknown host and an invalid certificate as phase connect", () => {
      expect(fromError(nodeFault("ENOTFOUND", "getaddrinfo ENOTFOUND a.test"), "headers")).toStrictEqual({
        phase: "connect",
        reason: "getaddrinfo ENOTFOUND a.test",
      })
      expect(fromError(nodeFault("CERT_HAS_EXPIRED", "certificate has expired"), "headers")).toStrictEqual({
        phase: "connect",
        reason: "CERT_HAS_EXPIRED: certificate has expired",
      })
    })
    it("fromError: uses the first of a group of connection errors", () => {
      const group = new AggregateError([
        Object.assign(new Error("connect ECONNREFUSED ::1:1"), { code: "ECONNREFUSED" }),
      ])

      expect(fromError(new TypeError("fetch failed", { cause: group }), "headers")).toStrictEqual({
        phase: "connect",
        reason: "connect ECONNREFUSED ::1:1",
      })
    })
    const connected = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "HPE_INVALID_CONSTANT", "UND_ERR_HEADERS_TIMEOUT"]
    for (const code of [...connected, "UND_ERR_HEADERS_OVERFLOW", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"]) {
      it(`fromError: classifies ${code} as phase headers`, () =>
        expect(fromError(nodeFault(code, "gone"), "headers").phase).toBe("headers"))
    }
    it("fromError: classifies a response that is not HTTP as phase headers, although the parser's error has no code", () => {
      const cause = Object.assign(new Error("Response does not match the HTTP/1.1 protocol"), {
        name: "HTTPParserError",
      })

      expect(fromError(new TypeError("fetch failed", { cause }), "headers")).toStrictEqual({
        phase: "headers",
        reason: "Response does not match the HTTP/1.1 protocol",
      })
    })
    it("fromError: keeps phase body", () => expect(fromError(nodeFault("ENOTFOUND", "x"), "body").phase).toBe("body"))
    it("fromError: uses the message of a browser's TypeError", () =>
      expect(fromError(new TypeError("Failed to fetch"), "headers")).toStrictEqual({
        phase: "connect",
        reason: "Failed to fetch",
      }))
    it("fromError: uses the code that Bun sets on the error itself", () =>
      expect(
        fromError(Object.assign(new Error("Unable to connect."), { code: "ConnectionRefused" }), "headers"),
      ).toStrictEqual({ phase: "connect", reason: "ConnectionRefused: Unable to connect." }))
    it("fromError: accepts a circular cause, text and undefined", () => {
      const circle: Error & { cause?: unknown } = new Error("round")
      circle.cause = circle

      expect(fromError(circle, "headers").reason).toBe("round")
      expect(fromError("plain text", "headers").reason).toBe("plain text")
      expect(fromError(undefined, "headers").reason).toBe("unknown failure")
    })
  })
})
