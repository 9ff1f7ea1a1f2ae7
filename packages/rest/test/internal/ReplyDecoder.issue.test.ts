import { describe, expect, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import { Result } from "effect"
import * as SchemaParser from "effect/SchemaParser"
import { issueOf } from "../../src/internal/ReplyDecoder.ts"
import { reply } from "./reply.ts"
import { row } from "../history.ts"

const issue = (body: unknown) => {
  const decoded = SchemaParser.decodeUnknownResult(WalletPage.WalletPage)(body)
  return issueOf(reply(200, ""), Result.getOrThrow(Result.flip(decoded)), body)
}
const page = (result: unknown) => ({ cursor: null, page: 0, page_size: 100, result })

describe("ReplyDecoder", () => {
  describe("issueOf", () => {
    it("issueOf: has the path, the received and the expected value", () => {
      expect(issue(page([row(1, 0), { ...row(2, 0), value: "0x10" }]))).toStrictEqual({
        path: "result[1].value",
        received: `"0x10"`,
        expected: "decimal digits of at most 256 bits such as 21000",
      })
    })
    it("issueOf: has no index if a single object replaces its array", () => {
      expect(issue(page({ ...row(2, 0), hash: 5 })).path).toBe("result.hash")
    })
    it("issueOf: reports a missing value", () => {
      const { gas: _, ...rest } = row(1, 0)

      expect(issue(page([rest]))).toStrictEqual({
        path: "result[0].gas",
        received: "nothing",
        expected: "decimal digits of at most 256 bits such as 21000",
      })
    })
    it("issueOf: uses the path body for the whole response", () => {
      expect(issue([]).path).toBe("body")
      expect(issue([]).received).toBe("an array of 0")
      expect(issue("no").received).toBe(`"no"`)
    })
    it("issueOf: shows the keys of an object instead of its values", () => {
      expect(issue(page([{ ...row(1, 0), nonce: { a: 1, b: 2 } }])).received).toBe("an object with a, b")
    })
    it("issueOf: has paths inside logs", () => {
      expect(issue(page([{ ...row(1, 0), logs: [{ log_index: "x" }] }])).path).toBe("result[0].logs[0].log_index")
    })
  })
})
