/**
 * Compares both shapes of traces on recorded frames and entries. No recording has one transaction in both shapes, so a
 * frame is written as the flat list that the documents of the trace module describe.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Recordings from "@daybook/harness/Recordings"
import type { MinedBlock } from "../../src/verification/MinedBlock.ts"
import * as InternalTransactions from "../../src/block/InternalTransactions.ts"
import * as fixture from "../indexer/fixture.ts"

type Wire = Readonly<Record<string, unknown>>

interface Frame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly gas?: string
  readonly gasUsed?: string
  readonly input?: string
  readonly output?: string
  readonly error?: string
  readonly calls?: ReadonlyArray<Frame>
}

const read = (kind: string): ReadonlyArray<Wire> =>
  Recordings.all.filter((one) => one.kind === kind).map(({ json }) => json as Wire)

const block = fixture.block({ transactions: [fixture.transferWire] }) as MinedBlock
const transactionHash = fixture.transferHash

/** A frame and those below it as the trace module lists them. Source: OpenEthereum, trace module. */
const flatten = (frame: Frame, traceAddress: ReadonlyArray<number> = []): ReadonlyArray<Wire> => {
  const {
    calls = [],
    error,
    from,
    gas = "0x0",
    gasUsed = "0x0",
    input = "0x",
    output = "0x",
    to,
    value = "0x0",
  } = frame
  const type = frame.type.toUpperCase()
  const place = { traceAddress, subtraces: calls.length, transactionHash }
  const common = error === undefined ? place : { ...place, error }
  const below = calls.flatMap((call, index) => flatten(call, [...traceAddress, index]))
  if (type === "SELFDESTRUCT" || type === "SUICIDE") {
    const action = { address: from, refundAddress: to, balance: value }
    return [{ ...common, type: "suicide", action, result: null }, ...below]
  }
  if (type.startsWith("CREATE")) {
    const action = { from, gas, value, init: input, creationMethod: type.toLowerCase() }
    const result = error === undefined ? { gasUsed, code: output, address: to } : { gasUsed }
    return [{ ...common, type: "create", action, result }, ...below]
  }
  const action = { callType: type.toLowerCase(), from, to, gas, value, input }
  return [{ ...common, type: "call", action, result: { gasUsed, output } }, ...below]
}

const rowsOf = (result: Result.Result<InternalTransactions.Rows, unknown>) =>
  Result.getOrElse(result, (error) => [String(error)])

const isFrame = (wire: Wire): boolean =>
  typeof wire["type"] === "string" && wire["gasUsed"] !== undefined && !("timeStamp" in wire)

/** A root that calls what was recorded, so that the recorded frame is an internal transaction. */
const under = (frame: Wire): Wire => ({
  type: "CALL",
  from: fixture.sender,
  to: fixture.token,
  gas: "0xffffff",
  gasUsed: "0xfffff",
  input: "0x",
  value: "0x0",
  calls: [frame],
})

describe("recorded traces", () => {
  it("fromFrames, fromFlat: return the same rows for recorded blocks", () => {
    const frames = read("calltraces").filter(isFrame)
    let rows = 0
    for (const frame of frames) {
      const root = under(frame)
      for (const allFrames of [false, true]) {
        const nested = rowsOf(
          InternalTransactions.fromFrames(block, fixture.frames([{ txHash: transactionHash, result: root }]), {
            allFrames,
          }),
        )
        const flat = rowsOf(
          InternalTransactions.fromFlat(block, fixture.flat(flatten(root as unknown as Frame)), { allFrames }),
        )
        expect(flat).toEqual(nested)
        rows += nested.flat().length
      }
    }

    expect(frames.length).toBeGreaterThan(2)
    expect(rows).toBeGreaterThan(frames.length)
  })

  it("fromFlat: reads recorded traces entry by entry", () => {
    const entries = read("paritytraces").filter(
      ({ action, type }) => type !== "reward" && (action as Wire)["callType"] !== "stop",
    )
    const root = flatten({ ...under({}), calls: [] } as unknown as Frame)[0]!
    for (const entry of entries) {
      const { blockHash: _, blockNumber: __, ...rest } = entry
      const placed = { ...rest, transactionHash, traceAddress: [0], subtraces: 0 }
      const [rows = []] = rowsOf(
        InternalTransactions.fromFlat(block, fixture.flat([root, placed]), { allFrames: true }),
      ) as ReadonlyArray<ReadonlyArray<InternalTransactions.InternalTransactionWire>>
      const action = entry["action"] as Wire
      const type = String(action["callType"] ?? action["creationMethod"] ?? entry["type"]).toUpperCase()
      expect(rows).toMatchObject([{ type, from: action["from"], transaction_hash: transactionHash }])
      expect(rows[0]?.error !== undefined).toBe(entry["error"] !== undefined)
    }

    expect(entries.length).toBeGreaterThan(4)
  })
})
