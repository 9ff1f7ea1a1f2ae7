/** Calls and creations that ran no contract code, from the steps around them. */
import { describe, expect, it } from "@effect/vitest"
import type { Step } from "../../src/node/StructLog.ts"
import * as StructLogCall from "../../src/node/StructLogCall.ts"

const word = (value: bigint | number | string) => BigInt(value).toString(16).padStart(64, "0")

/** A step whose stack is given from its top. */
const step = (
  op: string,
  { stack = [], ...more }: Partial<Omit<Step, "stack">> & { stack?: ReadonlyArray<bigint | number | string> } = {},
): Step => ({
  op,
  depth: 1,
  gas: 1000000n,
  gasCost: 3n,
  memory: [],
  error: null,
  ...more,
  stack: stack.map(word).toReversed(),
})

const account = `0x${"ab".repeat(20)}`
const precompile = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

interface Options {
  readonly to?: string
  readonly value?: number
  readonly requested?: number
  readonly inputBytes?: number
  readonly memory?: ReadonlyArray<string>
  /** Offset and size of the output. */
  readonly room?: readonly [offset: number, size: number]
  readonly cost?: number
  /** Gas that the call did not use. */
  readonly returned?: number
  readonly isSuccess?: boolean
  readonly depth?: number
  readonly memoryAfter?: ReadonlyArray<string>
  readonly later?: ReadonlyArray<Step>
}

/** The outcome of a CALL with the steps around it. */
const outcomeOf = ({
  cost,
  depth = 1,
  inputBytes = 0,
  isSuccess = false,
  later = [],
  memory = [],
  memoryAfter = memory,
  requested = 50_000,
  returned = 0,
  room = [0, 0],
  to = account,
  value = 0,
}: Options) => {
  const gasCost = BigInt(cost ?? 100 + requested)
  const call = step("CALL", { memory, gasCost, stack: [requested, to, value, 0, inputBytes, ...room] })
  const gas = call.gas - gasCost + BigInt(returned)
  const next = step("POP", { memory: memoryAfter, gas, stack: [isSuccess ? 1 : 0] })
  const steps = [call, next, ...later]
  return StructLogCall.outcome(StructLogCall.fromStep(call)!, steps, { at: 0, nextAt: 1, depth })
}

/** Memory that holds some bytes. */
const memoryOf = (bytes: number) => Array.from({ length: Math.ceil(bytes / 32) }, () => "11".repeat(32))

describe("StructLogCall", () => {
  it("of: reads the arguments of each call or creation instruction, and is null for any other", () => {
    const memory = ["00".repeat(31) + "01", "02".repeat(32)]
    const range = [30, 3, 7, 8]
    const input = "0x000102"
    const ranges = [
      [30n, 3n],
      [7n, 8n],
    ]
    for (const type of ["CALL", "CALLCODE"] as const) {
      expect(StructLogCall.fromStep(step(type, { memory, stack: [500, account, 9, ...range] }))).toEqual({
        type,
        to: account,
        value: 9n,
        input,
        requested: 500n,
        ranges,
        salt: null,
      })
    }
    for (const type of ["DELEGATECALL", "STATICCALL"] as const) {
      expect(StructLogCall.fromStep(step(type, { memory, stack: [500, account, ...range] }))).toEqual({
        type,
        to: account,
        value: null,
        input,
        requested: 500n,
        ranges,
        salt: null,
      })
    }
    const created = { to: null, value: 9n, input, requested: null, ranges: [[30n, 3n]] }
    const stack = [9, 30, 3, 77]
    expect(StructLogCall.fromStep(step("CREATE", { memory, stack }))).toEqual({
      type: "CREATE",
      ...created,
      salt: null,
    })
    expect(StructLogCall.fromStep(step("CREATE2", { memory, stack }))).toEqual({
      type: "CREATE2",
      ...created,
      salt: 77n,
    })
    expect(StructLogCall.fromStep(step("SSTORE", { stack }))).toBeNull()
  })

  it("of: treats input beyond any memory that gas can pay for as empty", () => {
    const huge = 1n << 200n

    expect(StructLogCall.fromStep(step("CALL", { stack: [1, account, 0, huge, 1, 0, 0] }))?.input).toBe("0x")
    expect(StructLogCall.fromStep(step("CREATE", { stack: [0, huge, 1] }))?.input).toBe("0x")
  })

  it("isPrecompile: is true from 0x1 to 0x11 and for 0x100", () => {
    const numbers = [0, 1, 0x11, 0x12, 0xff, 0x100, 0x101]

    expect(numbers.map((number) => StructLogCall.isPrecompile(precompile(number)))).toEqual([
      false,
      true,
      true,
      false,
      false,
      true,
      false,
    ])
    expect(StructLogCall.isPrecompile(null)).toBe(false)
    expect(StructLogCall.isPrecompile(account)).toBe(false)
  })

  it("outcome: derives the gas of a call from the cost that explains the step, for each fork and kind of account", () => {
    for (const access of [100, 2_600, 700, 40]) {
      for (const transfer of [0, 9_000, 34_000]) {
        const value = transfer === 0 ? 0 : 5
        const bonus = value === 0 ? 0 : 2_300
        const cost = access + transfer + 50_000
        const found = outcomeOf({ cost, value, isSuccess: true, returned: 50_000 + bonus - 7 })

        expect([access, transfer, found]).toEqual([
          access,
          transfer,
          { gas: BigInt(50_000 + bonus), gasUsed: 7n, output: "0x", error: null },
        ])
      }
    }
  })

  it("outcome: adds the gas for the memory of input and output", () => {
    const found = outcomeOf({ room: [32, 32], cost: 100 + 6 + 50_000, isSuccess: true, returned: 50_000 })

    expect(found).toMatchObject({ gas: 50_000n, gasUsed: 0n })
  })

  it("outcome: forwards at most all but a 64th of the gas", () => {
    const most = 999_900 - Math.floor(999_900 / 64)

    expect(outcomeOf({ requested: 2_000_000, cost: 100 + most, isSuccess: true, returned: most })).toMatchObject({
      gas: BigInt(most),
      gasUsed: 0n,
    })
    expect(outcomeOf({ requested: most, cost: 100 + most, isSuccess: true })).toMatchObject({ gas: BigInt(most) })
  })

  it("outcome: uses the returned gas if no cost explains the step", () => {
    expect(outcomeOf({ cost: 123, isSuccess: true, returned: 77 })).toMatchObject({ gas: 77n, gasUsed: 0n })
    expect(outcomeOf({ cost: 123, isSuccess: true })).toMatchObject({ gas: 0n, gasUsed: 0n })
  })

  it("outcome: derives the gas of a call from the cost of a node that excludes the forwarded gas", () => {
    expect(outcomeOf({ cost: 2_600, isSuccess: true })).toMatchObject({ gas: 50_000n, gasUsed: 0n })
    expect(outcomeOf({ cost: 2_600 + 9_000 - 2_300, value: 1, isSuccess: true })).toMatchObject({
      gas: 52_300n,
      gasUsed: 0n,
    })
    expect(
      outcomeOf({ to: precompile(2), cost: 100 + 84, inputBytes: 33, memory: memoryOf(64), isSuccess: true }),
    ).toMatchObject({
      gas: 50_000n,
      gasUsed: 84n,
    })
  })

  it("outcome: returns why a call failed: its depth, or the balance of the caller", () => {
    const errorOf = (options: Options) => outcomeOf(options).error

    expect(errorOf({ depth: 1_024 })).toBe("max call depth exceeded")
    expect(errorOf({ depth: 1_023 })).toBe("insufficient balance for transfer")
    expect(errorOf({ to: precompile(3), value: 1, cost: 9_100 + 50_000, returned: 52_300 })).toBe(
      "insufficient balance for transfer",
    )
    expect(errorOf({ to: precompile(3), value: 1, cost: 9_100 + 50_000 })).toBe("precompiled failed")
    expect(errorOf({ to: precompile(3), value: 0, returned: 10 })).toBe("precompiled failed")
    expect(errorOf({ isSuccess: true, depth: 1_024 })).toBeNull()
  })

  it.each([
    [0x1, 0, 3_000],
    [0x2, 0, 60],
    [0x2, 33, 84],
    [0x3, 32, 720],
    [0x3, 33, 840],
    [0x4, 33, 21],
    [0x6, 64, 150],
    [0x7, 64, 6_000],
    [0x8, 383, 79_000],
    [0x8, 384, 113_000],
    [0xa, 0, 50_000],
    [0xb, 0, 375],
    [0xd, 0, 600],
  ])("outcome: precompiled contract %i runs out of gas with %i bytes of input below %i", (number, bytes, needed) => {
    const errorOf = (requested: number) =>
      outcomeOf({ to: precompile(number), requested, inputBytes: bytes, memory: memoryOf(bytes) }).error

    expect([errorOf(needed - 1), errorOf(needed)]).toEqual(["out of gas", "precompiled failed"])
  })

  it("outcome: a precompiled contract whose gas depends on its input fails for its input", () => {
    expect(outcomeOf({ to: precompile(9), requested: 1 }).error).toBe("precompiled failed")
  })

  it("outcome: a modular exponentiation fails for its input only if a number is too long", () => {
    const errorOf = (...sizes: ReadonlyArray<bigint>) =>
      outcomeOf({ to: precompile(5), inputBytes: 96, memory: sizes.map(word) }).error
    const [most, more] = [2n ** 32n - 1n, 2n ** 32n]

    expect(errorOf(most, most, most)).toBe("out of gas")
    expect(errorOf(more, 0n, 0n)).toBe("precompiled failed")
    expect(errorOf(0n, more, 0n)).toBe("precompiled failed")
    expect(errorOf(0n, 0n, more)).toBe("precompiled failed")
    expect(outcomeOf({ to: precompile(5) }).error).toBe("out of gas")
  })

  describe("output", () => {
    const before = ["00".repeat(32), "00".repeat(32)]
    const after = ["aa".repeat(32), "bb".repeat(32)]
    const base = { isSuccess: true, room: [0, 64], memory: before, memoryAfter: after, cost: 100 + 50_000 } as const
    const outputOf = (options: Options) => outcomeOf({ ...base, ...options }).output
    const bytes = (count: number) => `0x${after.join("").slice(0, 2 * count)}`

    it("outcome: a call to an account returns nothing, and a call to the identity contract its input", () => {
      expect(outputOf({})).toBe("0x")
      expect(outputOf({ to: precompile(4), inputBytes: 3 })).toBe("0x000000")
    })

    it.each([
      ...[0x1, 0x2, 0x3, 0x8, 0xf, 0x100].map((number) => [number, 32]),
      ...[0x6, 0x7, 0x9, 0xa, 0xb].map((number) => [number, 64]),
    ])("outcome: precompiled contract %i returns what was copied of its %i bytes", (number, size) => {
      expect(outputOf({ to: precompile(number) })).toBe(bytes(size))
      expect(outputOf({ to: precompile(number), room: [0, 8] })).toBe(bytes(8))
      expect(outputOf({ to: precompile(number), room: [32, 8] })).toBe(`0x${"bb".repeat(8)}`)
    })

    it("outcome: returns as much as a later step shows, before the next call in the frame", () => {
      const size = (bytesReturned: number) => [step("RETURNDATASIZE"), step("POP", { stack: [bytesReturned] })]
      const other = step("CALL", { stack: [1, account, 0, 0, 0, 0, 0] })
      const to = precompile(0xb)

      expect(outputOf({ to, later: size(20) })).toBe(bytes(20))
      expect(outputOf({ to, later: [step("POP"), ...size(20)] })).toBe(bytes(20))
      expect(outputOf({ to, later: [other, ...size(20)] })).toBe(bytes(64))
      expect(outputOf({ to, later: size(20).map((one) => ({ ...one, depth: 0 })) })).toBe(bytes(64))
      expect(outputOf({ to, later: [size(20)[0]!, { ...size(20)[1]!, depth: 0 }] })).toBe(bytes(64))
      expect(outputOf({ to, later: [size(20)[0]!] })).toBe(bytes(64))
    })

    it("outcome: a modular exponentiation returns as much as its modulus", () => {
      const memory = [word(1), word(1), word(40)]

      expect(
        outputOf({ to: precompile(5), inputBytes: 96, memory, memoryAfter: [...after, word(40)], room: [0, 64] }),
      ).toBe(bytes(40))
    })

    it("outcome: an invalid signature returns nothing, if the memory shows it", () => {
      const unchanged = { memoryAfter: before }

      expect(outputOf({ to: precompile(0x1), ...unchanged })).toBe("0x")
      expect(outputOf({ to: precompile(0x100), ...unchanged })).toBe("0x")
      expect(outputOf({ to: precompile(0x2), ...unchanged })).toBe(`0x${"00".repeat(32)}`)
      const later = [step("RETURNDATASIZE"), step("POP", { stack: [32] })]
      expect(outputOf({ to: precompile(0x1), ...unchanged, later })).toBe(`0x${"00".repeat(32)}`)
    })
  })

  describe("creation", () => {
    const created = (
      op: "CREATE" | "CREATE2",
      { bytes = 64, gasCost = 32_000n, nextGas = 0n, result = 0n, depth = 1 },
    ) => {
      const call = step(op, { gas: 132_000n, gasCost, memory: memoryOf(64), stack: [0, 0, bytes, 5] })
      const next = step("POP", { gas: nextGas, stack: [result] })
      return StructLogCall.outcome(StructLogCall.fromStep(call)!, [call, next], { at: 0, nextAt: 1, depth })
    }

    it("outcome: a creation at an address in use costs all forwarded gas, which leaves a 64th", () => {
      const expected = (available: bigint) => ({
        gas: available - available / 64n,
        gasUsed: available - available / 64n,
        output: "0x",
        error: "contract address collision",
      })

      expect(created("CREATE", { nextGas: 99_996n / 64n })).toEqual(expected(99_996n))
      expect(created("CREATE2", { nextGas: 99_984n / 64n })).toEqual(expected(99_984n))
      expect(created("CREATE2", { bytes: 65, nextGas: (100_000n - 24n - 3n) / 64n })).toEqual(expected(99_973n))
    })

    it("outcome: a creation without code succeeds, and a rejected one returns the reason", () => {
      const refused = { nextGas: 99_996n, gasCost: 132_000n }

      expect(created("CREATE", { ...refused, result: 1n })).toMatchObject({ gas: 99_996n, gasUsed: 0n, error: null })
      expect(created("CREATE", refused)).toMatchObject({
        gas: 99_996n,
        gasUsed: 0n,
        error: "insufficient balance for transfer",
      })
      expect(created("CREATE", { ...refused, depth: 1_024 }).error).toBe("max call depth exceeded")
      expect(created("CREATE", { ...refused, depth: 1_023 }).error).toBe("insufficient balance for transfer")
      expect(created("CREATE", { nextGas: 99_996n, gasCost: 32_004n }).gas).toBe(99_996n - 99_996n / 64n)
    })
  })
})
