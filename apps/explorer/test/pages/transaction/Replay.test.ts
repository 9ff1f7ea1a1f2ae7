import { createRpcClient, type Transaction } from "@daybook/rpc/promise"
import { describe, expect, it } from "vitest"
import * as Replay from "../../../src/pages/transaction/Replay.ts"

const word = (value: number): string => value.toString(16).padStart(64, "0")
const text = (reason: string): string =>
  `0x08c379a0${word(32)}${word(reason.length)}${Buffer.from(reason).toString("hex").padEnd(64, "0")}`

const transaction = {
  from: `0x${"11".repeat(20)}`,
  to: `0x${"22".repeat(20)}`,
  gas: 100_000n,
  value: 5n,
  input: "0x12345678",
} as unknown as Transaction

interface Request {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Executes the transaction again with a node that returns this; returns the node's call and the result. */
const replay = async (answer: object) => {
  const requests: Array<Request> = []
  const client = createRpcClient({
    url: "http://127.0.0.1:1",
    retry: { maxAttempts: 1 },
    fetch: async (_url, init) => {
      const request = JSON.parse(String(init?.body)) as Request
      requests.push(request)
      return Response.json({ jsonrpc: "2.0", id: request.id, ...answer })
    },
  })
  return { found: await Replay.read(client, transaction, 12n).catch((error: unknown) => error), requests }
}

const hardhat = (data: string) => ({
  error: { code: -32603, message: "VM Exception while processing transaction: reverted", data: { data, message: "x" } },
})
const ganache = (data: string) => ({
  error: { code: -32000, message: "VM Exception while processing transaction: revert", data },
})

describe("Replay", () => {
  it.each([
    ["hardhat", hardhat],
    ["ganache", ganache],
  ])("read: finds the text, the panic or the custom error in the error of %s", async (_, errorOf) => {
    expect((await replay(errorOf(text("too early")))).found).toMatchObject({ revertReason: "too early" })
    expect((await replay(errorOf(`0x4e487b71${word(0x11)}`))).found).toMatchObject({
      revertReason: "Panic 0x11: an arithmetic overflow or underflow",
    })
    expect((await replay(errorOf(`0xdeadbeef${word(7)}`))).found).toMatchObject({
      to: transaction.to,
      output: `0xdeadbeef${word(7)}`,
    })
  })

  it("read: executes it with its sender, value, data and gas on the state before its block", async () => {
    const { requests } = await replay(hardhat(text("no")))

    expect(requests.map(({ method, params }) => [method, params])).toEqual([
      [
        "eth_call",
        [{ from: transaction.from, to: transaction.to, gas: "0x186a0", value: "0x5", data: "0x12345678" }, "0xb"],
      ],
    ])
  })

  it("read: returns nothing if it succeeds on that state, and fails if the node does not execute it", async () => {
    expect((await replay({ result: "0x" })).found).toBeNull()
    expect((await replay({ error: { code: -32601, message: "method not found" } })).found).toBeInstanceOf(Error)
  })

  it("isWithoutReason: is false for a call whose error is null, as ZK Stack nodes report it", () => {
    const frame = { type: "CALL", from: transaction.from }

    expect(Replay.isWithoutReason({ ...frame, error: null, revertReason: null })).toBe(false)
    expect(Replay.isWithoutReason({ ...frame, error: "reverted", revertReason: null })).toBe(true)
  })
})
