/** Frames of struct logs written by hand, in the spellings of several nodes. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as StructLog from "../../src/node/StructLog.ts"
import * as StructLogFrames from "../../src/node/StructLogFrames.ts"
import * as recordedStructLogs from "./recordedStructLogs.ts"

const sender = `0x${"a1".repeat(20)}`
const contract = `0x${"c0".repeat(20)}`
const called = `0x${"dd".repeat(20)}`

const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, "0")

const transaction: StructLogFrames.Transaction = {
  from: sender,
  to: contract,
  value: 0n,
  input: "0x",
  gasUsed: 60000n,
  contractAddress: null,
}

interface StepOptions {
  readonly depth?: number
  readonly gasCost?: number
  readonly stack?: ReadonlyArray<bigint | string>
  readonly memory?: ReadonlyArray<string>
  readonly error?: unknown
}

const step = (
  op: string,
  gas: number,
  { depth = 1, error, gasCost = 3, memory = [], stack = [] }: StepOptions = {},
) => ({
  op,
  gas,
  gasCost,
  depth,
  memory,
  stack: stack.map(word),
  pc: 0,
  error,
})

/** Arguments of a call, with the first on top. */
const callStack = (gas: number, to: string, value: number, rest: ReadonlyArray<number> = [0, 0, 0, 0]) =>
  [gas, to, value, ...rest].map(String).toReversed()

const framesOf = (structLogs: ReadonlyArray<object>, more: object = {}, of = transaction, before = 0n) => {
  const logs = Result.getOrThrow(StructLog.parse({ failed: false, gas: 60_000, returnValue: "", structLogs, ...more }))
  const frames = StructLogFrames.ofBlock([{ transaction: of, logs }], () => before)
  return Result.isSuccess(frames) ? (frames.success[0]?.calls ?? []) : frames.failure
}

describe("StructLogFrames", () => {
  it("ofBlock: returns the recorded frames of random programs, which a node's call tracer confirmed", () => {
    for (const { frames, state, traced } of recordedStructLogs.read()) {
      const before = new Map(state)
      const found = StructLogFrames.ofBlock(traced, ({ address, kind }) => before.get(`${kind} ${address}`)!)

      expect(Result.getOrThrow(found)).toEqual(frames)
      expect(
        StructLogFrames.stateNeeded(traced)
          .map(({ address, kind }) => `${kind} ${address}`)
          .toSorted(),
      ).toEqual([...before.keys()].toSorted())
    }
  })

  it("ofBlock: returns the frame of a call with its gas, output and value", () => {
    const frames = framesOf([
      step("CALL", 90_000, { gasCost: 86_000, stack: callStack(70_000, called, 5) }),
      step("PUSH1", 72_300, { depth: 2 }),
      step("RETURN", 72_200, { depth: 2, gasCost: 0, stack: [32n, 0n], memory: [word(7n)] }),
      step("STOP", 76_200, { gasCost: 0, stack: [1n] }),
    ])

    expect(frames).toEqual([
      {
        type: "CALL",
        from: contract,
        to: called,
        value: 5n,
        input: "0x",
        gas: 72300n,
        gasUsed: 100n,
        output: `0x${word(7n)}`,
      },
    ])
  })

  it("ofBlock: returns a call to an account without code, whether or not the cost of a step includes the forwarded gas", () => {
    const stack = callStack(500_000, called, 1)
    const base = 36_600
    const given = 90_000 - base - Math.floor((90_000 - base) / 64)
    const after = 90_000 - base + 2_300
    const expected = [
      {
        type: "CALL",
        from: contract,
        to: called,
        value: 1n,
        input: "0x",
        output: "0x",
      },
    ]
    const gas = { gas: BigInt(given + 2_300), gasUsed: 0n }
    const withGiven = [step("CALL", 90_000, { gasCost: base + given, stack }), step("STOP", after, { stack: [1n] })]
    const net = [step("CALL", 90_000, { gasCost: base - 2_300, stack }), step("STOP", after, { stack: [1n] })]

    expect(framesOf(withGiven)).toEqual(expected.map((frame) => ({ ...frame, ...gas })))
    expect(framesOf(net)).toEqual(expected.map((frame) => ({ ...frame, ...gas })))
  })

  it("ofBlock: computes the gas of a last step, which some nodes report with the caller's gas", () => {
    const frames = framesOf([
      step("CALL", 90_000, { gasCost: 17_700, stack: callStack(70_000, called, 5) }),
      step("RETURN", 72_300, { depth: 2, gasCost: -3_900, stack: [32n, 0n] }),
      step("STOP", 76_200, { gasCost: 0, stack: [1n] }),
    ])

    expect(frames).toMatchObject([{ gas: 72_300n, gasUsed: 3n, output: `0x${word(0n)}` }])
  })

  it.each([
    ["STOP", 0n, "0x"],
    ["REVERT", 3n, `0x${word(0n)}`],
  ] as const)("ofBlock: computes the gas and the output of %s, whatever cost a node reports", (op, used, output) => {
    const frames = framesOf([
      step("CALL", 90_000, { gasCost: 17_700, stack: callStack(70_000, called, 5) }),
      step(op, 72_300, { depth: 2, gasCost: 700, stack: [32n, 0n] }),
      step("STOP", 76_200, { gasCost: 0, stack: [op === "STOP" ? 1n : 0n] }),
    ])

    expect(frames).toMatchObject([{ gas: 72_300n, gasUsed: used, output }])
  })

  it("ofBlock: returns the error of a failed call, and none for a call instruction that failed itself", () => {
    const failing = [
      step("CALL", 90_000, { gasCost: 70_000, stack: callStack(60_000, called, 0) }),
      step("JUMP", 60_000, { depth: 2, stack: [255n] }),
      step("CALL", 20_000, { gasCost: 30_000, stack: callStack(60_000, called, 0), error: "out of gas" }),
    ]
    const frames = framesOf([failing[0]!, failing[1]!, { ...failing[2]!, stack: [word(0n)] }], { failed: true })

    expect(frames).toMatchObject([{ to: called, error: "invalid jump destination", gas: 60_000n, gasUsed: 60_000n }])
  })

  it("ofBlock: returns the balance that a self-destruct moves: the one before the block plus what was received since", () => {
    const frames = framesOf(
      [step("SELFDESTRUCT", 60_000, { gasCost: 5_000, stack: [called] })],
      {},
      { ...transaction, value: 9n },
      100n,
    )

    expect(frames).toMatchObject([{ type: "SELFDESTRUCT", from: contract, to: called, value: 109n }])
  })

  it.each([
    [24_576, "contract creation code storage out of gas"],
    [24_577, "max code size exceeded"],
  ])("ofBlock: returns why code of %d bytes was not deployed", (size, error) => {
    const memory = Array.from({ length: 769 }, () => word(1n))
    const frames = framesOf([
      step("CREATE", 90_000, { gasCost: 32_000, stack: [0n, 0n, 0n] }),
      step("RETURN", 50_000, { depth: 2, gasCost: 0, stack: [BigInt(size), 0n], memory }),
      step("STOP", 8_000, { gasCost: 0, stack: [0n] }),
    ])

    expect(frames).toMatchObject([{ type: "CREATE", error }])
  })

  it("ofBlock: does not attribute the outcome of a frame to another one that ended with it", () => {
    const frames = framesOf([
      step("CALL", 90_000, { gasCost: 80_000, stack: callStack(70_000, called, 0) }),
      step("CALL", 70_000, { depth: 2, gasCost: 60_000, stack: callStack(50_000, sender, 0) }),
      step("REVERT", 50_000, { depth: 3, gasCost: 0, stack: [0n, 0n] }),
      step("STOP", 60_000, { gasCost: 0, stack: [1n] }),
    ])

    expect(frames).toMatchObject([{ to: called, calls: [{ to: sender, error: "execution reverted" }] }])
    expect(frames).not.toMatchObject([{ error: expect.anything() }])
  })

  it("ofBlock: the last frames of a transaction succeed if they end so, without a later step of a caller", () => {
    const frames = framesOf([
      step("CALL", 90_000, { gasCost: 80_000, stack: callStack(70_000, called, 0) }),
      step("RETURN", 70_000, { depth: 2, gasCost: 0, stack: [32n, 0n], memory: [word(7n)] }),
    ])

    expect(frames).toMatchObject([{ to: called, output: `0x${word(7n)}` }])
    expect(frames).not.toMatchObject([{ error: expect.anything() }])
  })

  it("ofBlock: derives the caller of a contract whose creation failed from the nonce of its creator", () => {
    const frames = framesOf(
      [
        step("CREATE", 90_000, { gasCost: 80_000, stack: [5n, 0n, 0n], memory: [word(1n)] }),
        step("CALL", 48_000, { depth: 2, gasCost: 40_000, stack: callStack(30_000, called, 0) }),
        step("STOP", 30_000, { depth: 3, gasCost: 0 }),
        step("REVERT", 38_000, { depth: 2, gasCost: 0, stack: [0n, 0n] }),
        step("STOP", 48_000, { gasCost: 0, stack: [0n] }),
      ],
      {},
      transaction,
      7n,
    )

    // keccak256(rlp([contract, 7])), the last 20 bytes.
    expect(frames).toMatchObject([
      { type: "CREATE", error: "execution reverted", calls: [{ from: "0xda091da4353ef47121fb5a0b278cbeab6a055c6b" }] },
    ])
  })

  it("ofBlock: fails if a node recorded no steps of a transaction that ran code", () => {
    expect(framesOf([])).toBe("transaction 0: the node recorded no steps")
    expect(framesOf([], {}, { ...transaction, gasUsed: 21_000n })).toEqual([])
    expect(framesOf([], {}, { ...transaction, to: `0x${"0".repeat(39)}4` })).toEqual([])
  })

  it("parse: reads the spellings of several nodes and names what it cannot read", () => {
    const spelled = StructLog.parse({
      gas: "0xea60",
      structLogs: [{ op: "STOP", depth: 1, gas: "0x10", gasCost: 0, stack: ["0x2a"], memory: null, error: "" }],
    })

    expect(Result.getOrThrow(spelled)).toEqual({
      failed: null,
      gas: 60000n,
      steps: [
        {
          op: "STOP",
          depth: 1,
          gas: 16n,
          gasCost: 0n,
          stack: ["0x2a"],
          memory: [],
          error: null,
        },
      ],
    })
    expect(StructLog.parse(null)).toEqual(Result.fail("struct logs"))
    expect(StructLog.parse({ type: "CALL" })).toEqual(Result.fail("gas and structLogs"))
    expect(StructLog.parse({ gas: 1, structLogs: [{ op: "STOP", depth: 1, gas: 1 }] })).toEqual(
      Result.fail("a step with op, depth, gas and stack at structLogs[0]"),
    )
  })

  it("parse: reads an error that names its cause as a variant", () => {
    const errorOf = (error: unknown) =>
      Result.getOrThrow(StructLog.parse({ gas: 1, structLogs: [step("STOP", 1, { error })] })).steps[0]?.error

    expect(errorOf("Some(OutOfGas)")).toBe("out of gas")
    expect(errorOf({ message: "stack underflow" })).toBe("stack underflow")
    expect(errorOf({})).toBe("{}")
    expect(errorOf(null)).toBe(null)
  })
})
