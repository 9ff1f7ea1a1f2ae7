/** Exports generated movements of several wallets on several chains in every format, and reads the files with other programs. */
import { spawnSync } from "node:child_process"
import { closeSync, createReadStream, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import * as Wei from "@daybook/schema/Wei"
import * as Csv from "../../src/export/Csv.ts"
import * as Export from "../../src/export/Export.ts"
import type { Closing } from "../../src/export/ExportEntry.ts"
import * as Campaign from "../campaign/Campaign.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as CsvReader from "./CsvReader.ts"
import * as generated from "./generated.ts"

/** Number of movements that the other programs read in reasonable time. */
const maxRows = 100_000

/** Result of a check: a remark, and whether it failed. */
interface Verdict {
  readonly text: string
  readonly isRejected?: boolean
}

const rejected = (text: string): Verdict => ({ text, isRejected: true })

/** Runs a command; `null` if it is not installed. */
const execute = (command: string, ...args: ReadonlyArray<string>) => {
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 600_000 })
  return error !== undefined && "code" in error && error.code === "ENOENT" ? null : { isAccepted: status === 0, stderr }
}

const accepted = (entries: number, path: string, command: string, ...args: ReadonlyArray<string>): Verdict => {
  if (entries > maxRows) return { text: `not read by ${command} above ${maxRows} movements` }
  const result = execute(command, ...args, path)
  if (result === null) return { text: `${command} is not installed` }
  return result.isAccepted ? { text: `accepted by ${command}` } : rejected(`${command}: ${result.stderr.slice(-1_000)}`)
}

/** Amounts of a holding in a file, in the smallest unit and in units of the asset. */
interface Stated {
  readonly key: string
  readonly amount: bigint
  readonly units: string
}

const keyOf = (chainId: string | number, wallet: string, asset: string): string => `${chainId} ${wallet} ${asset}`

const csvAmounts = async function* (path: string): AsyncGenerator<Stated> {
  let isHead = true
  for await (const row of CsvReader.read(createReadStream(path, "utf8"))) {
    const field = (name: (typeof Csv.columns)[number]): string => row[Csv.columns.indexOf(name)] ?? ""
    if (!isHead) {
      const amount = BigInt(field("amount_in_smallest_unit"))
      yield { key: keyOf(field("chain_id"), field("wallet"), field("asset")), amount, units: field("amount") }
    }
    isHead = false
  }
}

const ndjsonAmounts = async function* (path: string): AsyncGenerator<Stated> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const row = JSON.parse(line) as Readonly<Record<string, string>>
    const { address = "", amount = "", amount_in_units: units = "", asset = "", chain_id: chainId = "" } = row
    yield { key: keyOf(chainId, address, asset), amount: BigInt(amount), units }
  }
}

/** Compares the sums of a file with the final holdings of the wallets. */
const sumsOf = async (
  amounts: AsyncGenerator<Stated>,
  closings: ReadonlyArray<Closing>,
  entries: number,
): Promise<Verdict> => {
  const holdings = new Map(closings.map((one) => [keyOf(one.asset.chainId, one.wallet, one.asset.holding.asset), one]))
  const sums = new Map<string, bigint>()
  let rows = 0
  for await (const { amount, key, units } of amounts) {
    rows++
    sums.set(key, (sums.get(key) ?? 0n) + amount)
    const holding = holdings.get(key)
    if (holding === undefined) return rejected(`an amount of an unknown holding: ${key}`)
    if (Wei.parseUnits(units, holding.asset.decimals) !== amount) return rejected(`${units} is not ${amount}`)
  }
  if (rows !== entries) return rejected(`${rows} rows, ${entries} expected`)
  const wrong = [...holdings].filter(([key, { amount }]) => sums.get(key) !== amount)
  return wrong.length > 0 ? rejected(`sums differ: ${wrong.length}`) : { text: `${holdings.size} sums exact` }
}

/** Converts a file with LibreOffice in a separate profile; `null` if it is not installed. */
const convert = (folder: string, path: string, filter: string) =>
  execute(
    "soffice",
    `-env:UserInstallation=file://${join(folder, "profile")}`,
    "--headless",
    "--infilter=CSV:44,34,76,1,,0,false,true",
    "--convert-to",
    filter,
    "--outdir",
    join(folder, "sheet"),
    path,
  )

const formulas = (folder: string, name: string): number =>
  readFileSync(join(folder, "sheet", name), "utf8").split("table:formula=").length - 1

/** Opens a CSV file in LibreOffice: it must have all rows and no formula. A file with a formula verifies that one would be detected. */
const opened = async (folder: string, path: string, entries: number): Promise<Verdict> => {
  if (entries > maxRows) return { text: `not opened in LibreOffice above ${maxRows} rows` }
  const control = join(folder, "control.csv")
  writeFileSync(control, "symbol\r\n=1+1\r\n")
  const results = [convert(folder, control, "fods"), convert(folder, path, "fods"), convert(folder, path, "csv")]
  if (results.includes(null)) return { text: "LibreOffice is not installed" }
  const failed = results.find((one) => one?.isAccepted === false)
  if (failed !== undefined) return rejected(`LibreOffice: ${failed?.stderr}`)
  if (formulas(folder, "control.fods") !== 1) return rejected("LibreOffice does not detect a formula")
  const formulaCount = formulas(folder, "out.fods")
  let rows = -1
  for await (const _ of CsvReader.read(createReadStream(join(folder, "sheet/out.csv"), "utf8"))) rows++
  if (formulaCount > 0 || rows !== entries)
    return rejected(`LibreOffice: ${rows} of ${entries} rows, ${formulaCount} formulas`)
  return { text: `${rows} rows and no formula in LibreOffice` }
}

const checksOf = async (
  format: string,
  folder: string,
  path: string,
  { closings, entries }: Export.Written,
): Promise<ReadonlyArray<Verdict>> => {
  switch (format) {
    case "beancount":
      return [accepted(entries, path, "bean-check")]
    case "hledger":
      return [accepted(entries, path, "hledger", "check", "--strict", "-f")]
    case "csv":
      return [await sumsOf(csvAmounts(path), closings, entries), await opened(folder, path, entries)]
    default:
      return [await sumsOf(ndjsonAmounts(path), closings, entries)]
  }
}

const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)

/** Exports a format and checks the file; returns its row. */
const check = Effect.fnUntraced(function* (
  format: keyof typeof Export.formats,
  movements: number,
  { fail }: Campaign.Output,
) {
  const folder = yield* temporaryFolder
  const path = join(folder, `out.${format}`)
  const file = openSync(path, "w")
  const began = performance.now()
  let memory = 0
  const written = yield* Export.write(generated.parts(movements), Export.formats[format](), (text) =>
    Effect.sync(() => {
      memory = Math.max(memory, process.memoryUsage.rss())
      writeSync(file, text)
    }),
  )
  closeSync(file)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const verdicts = yield* Effect.promise(() => checksOf(format, folder, path, written))
  for (const { isRejected = false, text } of verdicts) if (isRejected) fail(text)
  const remarks = verdicts.map(({ text }) => text).join(", ")
  return [written.entries, mebibytes(statSync(path).size), seconds, mebibytes(memory), remarks]
})

Campaign.main({
  name: "exports",
  about:
    "Exports generated movements in each format and reads the files: the sums of CSV and NDJSON must equal the balances. beancount, hledger and LibreOffice read their formats if installed (Debian packages beancount, hledger, libreoffice-calc-nogui). Fails if a file is rejected.",
  options: { movements: [2000, "number of movements"] },
  plan: ({ movements }) =>
    Effect.succeed({
      columns: ["format", "movements", "MiB", "seconds", "peak memory, MiB", "remarks"],
      // Sound: the names are the keys of the formats.
      cases: (Object.keys(Export.formats) as Array<keyof typeof Export.formats>).map((name): Campaign.Case => ({
        name,
        run: (report) => check(name, movements, report),
      })),
    }),
})
