/** How each failure of a turn is reported, while it is tolerated and once it persists. */
import { RpcError } from "@daybook/rpc/RpcError"
import { describe, expect, it } from "@effect/vitest"
import { BlockNotFound } from "../../src/fetch/BlockNotFound.ts"
import * as FailureReports from "../../src/indexer/FailureReports.ts"
import { FinalBlocksDiffer } from "../../src/indexer/FinalBlocksDiffer.ts"
import { TracerLost } from "../../src/indexer/TracerLost.ts"
import { NodeFailed, WrongChain } from "../../src/node/NodeError.ts"
import { CheckpointConflict, LeaseLost, StoreError } from "../../src/store/StoreError.ts"
import { InvalidBlock } from "../../src/verification/InvalidBlock.ts"

const cause = new RpcError({
  method: "eth_blockNumber",
  host: "node",
  code: -32000,
  message: "",
  kind: "internal",
  requestId: undefined,
})
const failed = (more: Partial<NodeFailed> = {}) =>
  new NodeFailed({ message: "It failed.", isMisconfigured: false, pace: "soon", cause, ...more })

/** The report of a failure, by its tag and level, with the end of its message. */
const reported = (error: Parameters<typeof FailureReports.of>[0], failures: number) =>
  FailureReports.of(error, failures).map((report) => {
    const level = "level" in report ? ` ${report.level}` : ""
    const message = "message" in report ? report.message : ""
    return `${report._tag}${level}: ${message === error.message ? "its message" : message}`
  })

describe("FailureReports.of", () => {
  it.each([
    [new WrongChain({ host: "node", configured: 1, found: 2n }), ["Misconfigured: its message"]],
    [new FinalBlocksDiffer({ from: 1, count: 2 }), ["Misconfigured: its message"]],
    [new TracerLost({ block: 1 }), ["Waiting: its message"]],
    [failed(), ["Waiting: its message"]],
    [failed({ isMisconfigured: true }), ["Misconfigured: its message"]],
    [new CheckpointConflict({ expected: null, found: null }), ["Note Info: its message"]],
    [new LeaseLost({ chain: "eth" }), ["Note Info: its message"]],
  ])("reports %s the same way however often it has failed", (error, expected) => {
    expect([1, 3, 4, 9].map((failures) => reported(error, failures))).toEqual(Array.from({ length: 4 }, () => expected))
  })

  it.each([
    [failed({ advice: "Repair it." }), ["Waiting: its message"], ["Waiting: It failed. Repair it."]],
    [
      failed({ advice: "Repair it.", isMisconfigured: true }),
      ["Misconfigured: its message"],
      ["Misconfigured: It failed. Repair it."],
    ],
    [
      new BlockNotFound({ block: 1, what: "block" }),
      ["Note Debug: its message"],
      ["Note Debug: its message", "Waiting: its message"],
    ],
    [
      new BlockNotFound({ block: 1, what: "block", hosts: ["node"] }),
      ["Note Debug: its message"],
      ["Note Debug: its message", "Misconfigured: its message"],
    ],
    [
      new InvalidBlock({ block: 1, hash: "0x1", what: "a root" }),
      ["Note Debug: its message"],
      ["Note Debug: its message", "Waiting: its message"],
    ],
    [
      new StoreError({ message: "It is busy.", isRetryable: true, cause: null }),
      ["Note Warn: its message"],
      ["Waiting: its message"],
    ],
  ])("reports %s once it has failed four times", (error, tolerated, expected) => {
    expect([1, 3, 4, 9].map((failures) => reported(error, failures))).toEqual([
      tolerated,
      tolerated,
      expected,
      expected,
    ])
  })

  it("names the subject of a node's failure, as its message may change", () => {
    expect(FailureReports.of(failed({ subject: "head" }), 1)).toEqual([
      { _tag: "Waiting", message: "It failed.", subject: "head" },
    ])
  })
})
