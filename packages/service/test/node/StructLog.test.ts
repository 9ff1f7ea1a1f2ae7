/** Steps as nodes spell them, and what is read of a step. */
import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as StructLog from "../../src/node/StructLog.ts"

const wire = { op: "STOP", depth: 1, gas: 10, gasCost: 3, stack: [], memory: [] }

const parse = (more: object) => StructLog.parse({ gas: 1, structLogs: [{ ...wire, ...more }] })

/** The step with these members; `null` if the node's step is rejected. */
const stepOf = (more: object) => {
  const parsed = parse(more)
  return Result.isSuccess(parsed) ? parsed.success.steps[0]! : null
}

const withMemory = (...memory: ReadonlyArray<string>) => stepOf({ memory })!
const first = "11".repeat(32)
const second = "22".repeat(32)

describe("StructLog", () => {
  it("parse: reads gas as a whole number, in decimal or hex", () => {
    const gasOf = (gas: unknown) => stepOf({ gas })?.gas

    expect([0, 7, "0x1F", "12", "0XA"].map(gasOf)).toEqual([0n, 7n, 31n, 12n, 10n])
    expect([-1, 1.5, 2 ** 53, "", "0x", "-1", "1e3", "x0x1", "0x1g", null, true, [1]].map(gasOf)).toEqual(
      Array.from({ length: 12 }, () => undefined),
    )
    expect(StructLog.parse({ gas: "0x10", structLogs: [] })).toEqual(
      Result.succeed({ failed: null, gas: 16n, steps: [] }),
    )
  })

  it("parse: treats a negative or omitted cost as none", () => {
    const costOf = (gasCost: unknown) => stepOf({ gasCost })?.gasCost

    expect([-5, 0, 4, "0x5", null, undefined].map(costOf)).toEqual([0n, 0n, 4n, 5n, 0n, 0n])
    expect(["-5", 0.5, {}].map(costOf)).toEqual([undefined, undefined, undefined])
  })

  it("parse: rejects a step with a missing member or one of another type", () => {
    for (const more of [
      { op: 1 },
      { depth: "1" },
      { gas: undefined },
      { stack: undefined },
      { stack: "0x1" },
      { stack: [1] },
      { stack: ["0xg"] },
      { stack: ["1 "] },
      { stack: ["x1"] },
      { memory: "00" },
      { memory: [0] },
    ]) {
      expect([more, parse(more)]).toEqual([more, Result.fail("a step with op, depth, gas and stack at structLogs[0]")])
    }
    for (const step of [null, 1, "x", [wire]]) {
      expect(StructLog.parse({ gas: 1, structLogs: [wire, step] })).toEqual(
        Result.fail("a step with op, depth, gas and stack at structLogs[1]"),
      )
    }
    expect(stepOf({ stack: ["0x", "", "aF", "0x0"], memory: undefined })).toMatchObject({ memory: [] })
  })

  it("parse: rejects values that are not struct logs", () => {
    for (const result of [null, undefined, 1, "x", [], [wire]]) {
      expect(StructLog.parse(result)).toEqual(Result.fail("struct logs"))
    }
    for (const result of [
      { structLogs: [] },
      { gas: 1 },
      { gas: 1, structLogs: {} },
      { gas: 1, structLogs: [], failed: "no" },
      { gas: -1, structLogs: [] },
    ]) {
      expect(StructLog.parse(result)).toEqual(Result.fail("gas and structLogs"))
    }
    for (const failed of [true, false]) {
      expect(StructLog.parse({ gas: 1, structLogs: [], failed })).toEqual(
        Result.succeed({ failed, gas: 1n, steps: [] }),
      )
    }
  })

  it("parse: reads an error from a Rust variant, a message or any JSON as text", () => {
    const errorOf = (error: unknown) => stepOf({ error })?.error

    expect(["", null, undefined].map(errorOf)).toEqual([null, null, null])
    expect(errorOf("out of gas: not enough")).toBe("out of gas: not enough")
    expect(errorOf("OutOfGas")).toBe("out of gas")
    expect(errorOf("Some(StackUnderflow)")).toBe("stack underflow")
    expect(errorOf("Some(Out Of)")).toBe("Some(Out Of)")
    expect(errorOf("XOutOfGas)")).toBe("XOutOfGas)")
    expect(errorOf("stack OutOfGas")).toBe("stack OutOfGas")
    expect(errorOf({ message: "reverted" })).toBe("reverted")
    expect(errorOf({ message: 1 })).toBe('{"message":1}')
    expect(errorOf(["message"])).toBe('["message"]')
    expect(errorOf(7)).toBe("7")
  })

  it("wordAt, addressAt: read the stack from its top, with or without a prefix, and zero below it", () => {
    const step = stepOf({ stack: ["0x", "", "ff", `0x${"ab".repeat(32)}`] })!

    expect([0, 1, 2, 3, 4].map((at) => StructLog.wordAt(step, at))).toEqual([
      BigInt(`0x${"ab".repeat(32)}`),
      255n,
      0n,
      0n,
      0n,
    ])
    expect(StructLog.addressAt(step, 0)).toBe(`0x${"ab".repeat(20)}`)
    expect(StructLog.addressAt(step, 1)).toBe(`0x${"ff".padStart(40, "0")}`)
  })

  it("bytesAt: reads bytes across words, with zeros after the end, in lower case", () => {
    const step = withMemory(`0x${first}`, second, "AB".repeat(32))

    expect(StructLog.bytesAt(step, 0n, 0n)).toBe("0x")
    expect(StructLog.bytesAt(step, 1n << 60n, 0n)).toBe("0x")
    expect(StructLog.bytesAt(step, 0n, 2n)).toBe("0x1111")
    expect(StructLog.bytesAt(step, 30n, 4n)).toBe("0x11112222")
    expect(StructLog.bytesAt(step, 32n, 32n)).toBe(`0x${second}`)
    expect(StructLog.bytesAt(step, 64n, 1n)).toBe("0xab")
    expect(StructLog.bytesAt(step, 95n, 3n)).toBe("0xab0000")
    expect(StructLog.bytesAt(step, 96n, 2n)).toBe("0x0000")
  })

  it("bytesAt: is null beyond any memory that gas can pay for", () => {
    const most = 1n << 26n
    const step = withMemory(first)

    expect(StructLog.bytesAt(step, most, 1n)).toBe("0x00")
    expect(StructLog.bytesAt(step, most + 1n, 1n)).toBeNull()
    expect(StructLog.bytesAt(step, 0n, most + 1n)).toBeNull()
  })

  it.prop(
    "bytesAt: returns the slice of the memory, padded with zeros",
    {
      words: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
      offset: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 150 })),
      size: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 150 })),
    },
    ({ offset, size, words }) => {
      const memory = Buffer.concat([
        Buffer.from(Array.from({ length: words * 32 }, (_, at) => at + 1)),
        Buffer.alloc(400),
      ])
      const step = withMemory(
        ...Array.from({ length: words }, (_, at) => memory.subarray(at * 32, at * 32 + 32).toString("hex")),
      )

      expect(StructLog.bytesAt(step, BigInt(offset), BigInt(size))).toBe(
        `0x${memory.subarray(offset, offset + size).toString("hex")}`,
      )
    },
  )

  it("expansionGas: is the cost of the largest range beyond the memory", () => {
    const step = withMemory(first)
    const gas = (...ranges: ReadonlyArray<readonly [offset: bigint, size: bigint]>) =>
      StructLog.expansionGas(step, ranges)

    expect(gas()).toBe(0n)
    expect(gas([0n, 32n])).toBe(0n)
    expect(gas([0n, 33n])).toBe(3n)
    expect(gas([1n, 32n])).toBe(3n)
    expect(gas([64n, 1n], [0n, 33n])).toBe(6n)
    expect(gas([9_999n, 0n])).toBe(0n)
    // 1,024 words cost 3 gas each, and their square by 512.
    expect(gas([0n, 32_768n])).toBe(3n * 1_024n + 2_048n - 3n)
  })
})
