/**
 * Writes generated movements in every format, hostile symbols, decimals and amounts among them, and has the checkers of beancount and
 * hledger read the books where they are installed (Debian packages `beancount` and `hledger`).
 * `node test/export/checkers.ts [movements [format ...]]`, by default 2,000 in all formats; prints time, size and memory.
 */
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { Random } from "@daybook/testkit"
import * as Export from "../../src/export/Export.ts"
import type { Asset, Source } from "../../src/export/ExportEntry.ts"
import { ether, tokenOf, wallet } from "./entries.ts"

const [given = "2000", ...names] = process.argv.slice(2)
const movements = Number(given)
const perBlock = 100
const print = (line: string) => void process.stdout.write(`${line}\n`)

const symbols = ["GOLD", "=1+1", '"; DROP', "ETH", "\\", "𝔼𝕋ℍ", "a b\tc", "{}", "-5", ""]
const decimals = [18, 0, 77, 6]

/** Assets of every symbol and number of decimals. */
const assets: ReadonlyArray<Asset> = [
  ether,
  ...symbols.flatMap((symbol, at) =>
    decimals.map((places): Asset => {
      const asset = `0x${(at * 100 + places + 1).toString(16).padStart(40, "0")}`
      const token = tokenOf(symbol, places)
      return { ...token, holding: { ...token.holding, asset } }
    }),
  ),
]

const largest = 2n ** 256n - 1n

const blockOf = (number: number, random: Random.Random) => ({
  number,
  hash: random.hex(32),
  timestamp: 1_600_000_000 + number * 12,
  rows: Array.from({ length: perBlock }, (_, index) => {
    const { holding } = assets[random.integer(assets.length)]!
    const amount = random.integer(50) === 0 ? largest : BigInt(1 + random.integer(1_000_000_000))
    const kind = holding.standard === "native" ? ("value" as const) : ("erc20" as const)
    const movement = {
      wallet,
      counterparty: random.hex(20),
      asset: holding.asset,
      tokenId: null,
      kind,
      logIndex: index,
    }
    return {
      ...{ wallet, transactionHash: random.hex(32), index, roles: 1 },
      movements: [{ ...movement, amount: random.integer(2) === 0 ? amount : -amount, isFailed: false }],
    }
  }),
})

const sourceOf = (): Source<never> => {
  const random = Random.make(1)
  return {
    ...{ chainId: 1, wallets: [wallet], opening: { number: 0, hash: random.hex(32), timestamp: 1_600_000_000 } },
    blocks: Stream.range(1, Math.ceil(movements / perBlock)).pipe(
      Stream.rechunk(1),
      Stream.map((number) => blockOf(number, random)),
    ),
    describe: (holdings) =>
      Effect.succeed(holdings.map(({ asset }) => assets.find(({ holding }) => holding.asset === asset)!)),
    openings: (_, holdings) => Effect.succeed(holdings.map(() => 1n)),
  }
}

/** Commands that verify a file, by format. */
const checkers: Readonly<Record<string, readonly [command: string, ...args: ReadonlyArray<string>]>> = {
  beancount: ["bean-check"],
  hledger: ["hledger", "check", "--strict", "-f"],
}

const verify = (format: string, path: string): string => {
  const [command, ...args] = checkers[format] ?? []
  if (command === undefined) return ""
  const { error, status, stderr } = spawnSync(command, [...args, path], { encoding: "utf8" })
  if (error !== undefined) return `, ${command} is not installed`
  return status === 0 ? `, accepted by ${command}` : `, REJECTED by ${command}: ${stderr.slice(-1_000)}`
}

const folder = mkdtempSync(join(tmpdir(), "daybook-export-"))
try {
  for (const [name, make] of Object.entries(Export.formats)) {
    if (names.length > 0 && !names.includes(name)) continue
    const path = join(folder, `out.${name}`)
    const file = openSync(path, "w")
    const began = performance.now()
    let memory = 0
    const closing = { number: movements, timestamp: 1_600_000_000 + movements * 12 }
    const { entries } = await Effect.runPromise(
      Export.write(
        sourceOf(),
        make(),
        closing,
        (totals) => Effect.succeed([...totals.values()].map((total) => ({ ...total, found: total.amount }))),
        (text) =>
          Effect.sync(() => {
            memory = Math.max(memory, process.memoryUsage.rss())
            writeSync(file, text)
          }),
      ),
    )
    closeSync(file)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`
    const size = mebibytes(statSync(path).size)
    print(`${name}: ${entries} movements, ${size}, ${seconds} s, peak memory ${mebibytes(memory)}${verify(name, path)}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
