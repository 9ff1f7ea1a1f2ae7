/** Runs each program against a service, and compares its output with the data of the service's node. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { decodeAbiParameters, formatEther } from "viem"
import { describe, expect, it } from "vitest"
import { handler, history } from "../src/worker.ts"
import { address, apiKey, baseUrl, call, type Log, receipts } from "./service.ts"

const start = (program: string, args: ReadonlyArray<string> = [], env: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(process.execPath, ["--no-warnings", join(import.meta.dirname, "../src", program), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  })

/** The lines that a program prints. */
const linesOf = async (program: string, env: NodeJS.ProcessEnv = {}): Promise<ReadonlyArray<string>> => {
  const child = start(program, [], env)
  let out = ""
  child.stdout!.on("data", (data: Buffer) => (out += data))
  const [code] = await once(child, "close")
  expect(code).toBe(0)
  return out.trimEnd().split("\n")
}

const word = (wallet: string) => `0x${wallet.slice(2).padStart(64, "0")}`

const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const single = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62"
const batch = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"
const deposit = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
const withdrawal = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"

/** Rows of a log: token, id, unsigned amount, and the topics of sender and recipient. */
const movedBy = ({
  address: token,
  data,
  topics,
}: Log): ReadonlyArray<readonly [string, string, bigint, string, string]> => {
  const [kind = "", first = "", second = "", third = ""] = topics
  if (kind === transfer && topics.length === 4) return [[token, String(BigInt(third)), 1n, first, second]]
  if (kind === transfer && topics.length === 3 && data.length === 66) return [[token, "", BigInt(data), first, second]]
  // Wrapped ether, whose contract on this chain logs no Transfer for deposits and withdrawals.
  if (kind === deposit) return [[token, "", BigInt(data), "", first]]
  if (kind === withdrawal) return [[token, "", BigInt(data), first, ""]]
  if (kind === single) {
    const [id, amount] = decodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], data as `0x${string}`)
    return [[token, String(id), amount, second, third]]
  }
  if (kind !== batch) return []
  const [ids, amounts] = decodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], data as `0x${string}`)
  return ids.map((id, at) => [token, String(id), amounts[at]!, second, third])
}

describe("programs", () => {
  it("fees-per-month: prints the sums of the wallet's receipts", async () => {
    const own = (await receipts()).filter(({ from }) => from === address)
    const fees = own.reduce(
      (sum, { blobGasPrice = "0x0", blobGasUsed = "0x0", effectiveGasPrice, gasUsed }) =>
        sum + BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(blobGasUsed) * BigInt(blobGasPrice),
      0n,
    )
    const lines = await linesOf("fees-per-month.ts")
    const ether = lines.map((line) => /^\d{4}-\d{2} (\d+(?:\.\d+)?)$/.exec(line)?.[1])

    expect(ether).not.toContain(undefined)
    expect(fees).toBeGreaterThan(0n)
    const sum = ether.reduce((total, text) => total + BigInt(Math.round(Number(text) * 1e9)), 0n)
    expect(Number(sum)).toBeCloseTo(Number(fees / 10n ** 9n), -2)
    expect(lines.length > 1 || lines[0]?.endsWith(` ${formatEther(fees)}`)).toBe(true)
  })

  it("tokens-csv: contains exactly what each log of the chain moves to or from the wallet", async () => {
    const [header = "", ...rows] = await linesOf("tokens-csv.ts")
    const names = header.split(",")
    const printed = rows.map((row) => {
      const cells = Object.fromEntries(row.split(",").map((cell, at) => [names[at], cell]))
      return [cells["transaction"], cells["log"], cells["token"], cells["id"]].join(" ")
    })
    const expected = (await receipts()).flatMap(({ logs }) =>
      logs.flatMap((log) =>
        movedBy(log).flatMap(([token, id, amount, from, to]) => {
          const sides = [from, to].filter((topic) => topic === word(address)).length
          const row = [log.transactionHash, Number(log.logIndex), token, id].join(" ")
          return amount === 0n ? [] : Array.from({ length: sides }, () => row)
        }),
      ),
    )

    expect(expected.length).toBeGreaterThan(10)
    expect(printed.toSorted()).toEqual(expected.toSorted())
  })

  it("follow: continues after it was killed, and keeps each row once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "daybook-follow-"))
    const file = join(folder, "history.json")
    const kept = (): ReadonlyArray<string> =>
      JSON.parse(readFileSync(file, "utf8")).rows.map(({ hash }: { readonly hash: string }) => hash)
    /** Runs the program until it has stored enough, then kills it. */
    const runUntil = async (isEnough: (hashes: ReadonlyArray<string>) => boolean) => {
      const child = start("follow.ts", [file])
      const ended = once(child, "close")
      for await (const _count of createInterface({ input: child.stdout! })) if (isEnough(kept())) break
      child.kill("SIGKILL")
      await ended
    }
    try {
      await runUntil(() => true)
      const first = kept()
      const sent = await call<string>("eth_sendTransaction", { from: address, to: address, value: "0x1" })
      await call("evm_mine")
      await runUntil((hashes) => hashes.includes(sent))
      const all = kept()

      expect(first.length).toBeGreaterThan(10)
      expect(all.slice(0, first.length)).toEqual(first)
      expect(new Set(all).size).toBe(all.length)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("effect-report: counts the failed transactions, and sends spans of its calls to a collector", async () => {
    const spans: Array<string> = []
    const collector = createServer((request, response) => {
      let body = ""
      request.on("data", (data: Buffer) => (body += data))
      request.on("end", () => {
        for (const [, name = ""] of body.matchAll(/"name":"([^"]+)"/g)) spans.push(name)
        response.end("{}")
      })
    })
    await once(collector.listen(0, "127.0.0.1"), "listening")
    const port = (collector.address() as { readonly port: number }).port
    const [line = ""] = await linesOf("effect-report.ts", {
      DAYBOOK_CHAIN: "eth",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    })
    collector.close()
    const failed = (await receipts()).filter(({ from, status }) => from === address && status === "0x0")

    expect(failed.length).toBeGreaterThan(0)
    expect(Number(line.split(" ")[0])).toBeGreaterThanOrEqual(failed.length)
    expect(spans).toContain("report")
    expect(spans.length).toBeGreaterThan(2)
  })

  it("viem-transfers: prints the balance of the node, and tokens of the wallet's own transactions", async () => {
    const [ether, ...transfers] = await linesOf("viem-transfers.ts")

    expect(ether).toBe(formatEther(BigInt(await call<string>("eth_getBalance", address, "latest"))))
    expect(transfers.length).toBeGreaterThan(0)
  })

  it("worker: answers with the latest transactions, and reports an invalid address as such", async () => {
    const environment = { DAYBOOK_BASE_URL: baseUrl, DAYBOOK_API_KEY: apiKey }
    const found = await history(`/${address}`, environment)
    const refused = await history("/0x123", environment)
    const lambda = await handler({ rawPath: `/${address}` })

    expect(found.status).toBe(200)
    expect(await found.json()).toHaveLength(10)
    expect(refused.status).toBe(400)
    expect(lambda.statusCode).toBe(200)
    expect(JSON.parse(lambda.body)).toHaveLength(10)
  })
})
