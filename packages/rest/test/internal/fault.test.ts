import { describe, expect, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import { Result } from "effect"
import * as SchemaParser from "effect/SchemaParser"
import { faultOf } from "../../src/internal/fault.ts"
import { row } from "../history.ts"

const fault = (answer: unknown) => {
  const decoded = SchemaParser.decodeUnknownResult(WalletPage.WalletPage)(answer)
  return faultOf(Result.getOrThrow(Result.flip(decoded)), answer)
}
const page = (result: unknown) => ({ cursor: null, page: 0, page_size: 100, result })

describe("fault", () => {
  describe("faultOf", () => {
    it("names the place in a list, what came and what belongs there", () => {
      expect(fault(page([row(1, 0), { ...row(2, 0), value: "0x10" }]))).toStrictEqual({
        path: "result[1].value",
        received: `"0x10"`,
        expected: "decimal digits such as 21000",
      })
    })
    it("names no position where a single object stands for its list", () => {
      expect(fault(page({ ...row(2, 0), hash: 5 })).path).toBe("result.hash")
    })
    it("tells what is missing", () => {
      const { gas: _, ...rest } = row(1, 0)

      expect(fault(page([rest]))).toStrictEqual({
        path: "result[0].gas",
        received: "missing",
        expected: "decimal digits such as 21000",
      })
    })
    it("calls the whole answer the body", () => {
      expect(fault([]).path).toBe("body")
      expect(fault([]).received).toBe("an array of 0")
      expect(fault("no").received).toBe(`"no"`)
    })
    it("lists the keys of an object instead of its values", () => {
      expect(fault(page([{ ...row(1, 0), nonce: { a: 1, b: 2 } }])).received).toBe("an object with a, b")
    })
    it("reaches into logs", () => {
      expect(fault(page([{ ...row(1, 0), logs: [{ log_index: "x" }] }])).path).toBe("result[0].logs[0].log_index")
    })
  })
})
