/** Bytes and page times of each variant of `LeanText`. */
import { DatabaseSync } from "node:sqlite"
import type { TransactionRow } from "../../../packages/service/src/store/BlockRows.ts"
import * as Zstd from "../../../packages/service/src/store/rows/Zstd.ts"
import type * as Samples from "../dictionary/Samples.ts"
import { half, mixed, train } from "../dictionary/Training.ts"
import type * as Figures from "../Figures.ts"
import { repeatedIn, variants, type Variant } from "./LeanText.ts"

const pageSize = 25
const maxBytes = 16_384
const textOf = ({ body, internal }: TransactionRow): string => body + (internal ?? "")

interface Stored {
  readonly frame: Uint8Array
  readonly size: number
  readonly id: number
}

const bytesOf = (texts: ReadonlyArray<string>, zstd: Zstd.Zstd, { leaveOut }: Variant): number =>
  texts.reduce((sum, text) => sum + zstd.compress(Buffer.from(leaveOut(text))).length, 0) / texts.length

const storeOf = (texts: ReadonlyArray<string>, zstd: Zstd.Zstd, { leaveOut }: Variant): ReadonlyArray<Stored> =>
  texts.map((text, id) => {
    const bytes = Buffer.from(leaveOut(text))
    return { frame: zstd.compress(bytes), size: bytes.length, id }
  })

/** Rows of blocks as the service keeps them, one for each document. */
const blocksOf = (texts: ReadonlyArray<string>) => {
  const database = new DatabaseSync(":memory:")
  database.exec("CREATE TABLE block (number INTEGER PRIMARY KEY, hash BLOB, timestamp INTEGER)")
  const insert = database.prepare("INSERT INTO block VALUES (?, ?, ?)")
  texts.forEach((text, id) => {
    const { blockHash, time } = repeatedIn(text)
    insert.run(id, Buffer.from(blockHash.slice(2), "hex"), Date.parse(time) / 1000)
  })
  const find = database.prepare("SELECT hash, timestamp FROM block WHERE number = ?")
  const numbers = texts.map((text) => repeatedIn(text).number)
  return (id: number) => {
    const row = find.get(id) as { readonly hash: Uint8Array; readonly timestamp: number }
    return {
      blockHash: `0x${Buffer.from(row.hash).toString("hex")}`,
      time: new Date(row.timestamp * 1000).toISOString(),
      number: numbers[id]!,
    }
  }
}

const noBlock = { blockHash: "", time: "", number: "" }

type BlockOf = ReturnType<typeof blocksOf>

const read = ({ frame, id, size }: Stored, zstd: Zstd.Zstd, { needsBlock, putBack }: Variant, blockOf: BlockOf) =>
  putBack(zstd.decompress(frame, size).toString(), needsBlock ? blockOf(id) : noBlock)

/** Microseconds of CPU for a page of the texts. */
const pageMicros = (stored: ReadonlyArray<Stored>, zstd: Zstd.Zstd, variant: Variant, blockOf: BlockOf): number => {
  let characters = 0
  const before = process.cpuUsage()
  for (const row of stored) characters += read(row, zstd, variant, blockOf).length
  const { system, user } = process.cpuUsage(before)
  if (characters === 0) throw new Error("Nothing was read.")
  return ((user + system) / stored.length) * pageSize
}

/** Measures each variant with a dictionary of its own, trained on one half of the samples, on the other half. */
export const measure = (figures: Figures.Figures, { recorded, scenario }: Samples.Samples, rounds: number): void => {
  const training = mixed(half(recorded, 0), half(scenario, 0)).map(textOf)
  const others = {
    "public chains": half(recorded, 1).map(textOf),
    "public chains, up to 16 kB": half(recorded, 1)
      .map(textOf)
      .filter((text) => text.length <= maxBytes),
    scenario: half(scenario, 1).map(textOf),
  }
  const page = others.scenario
  const blockOf = blocksOf(page)
  const subjects = variants.map((variant) => {
    const zstd = Zstd.make(train(training.map(variant.leaveOut), 1))
    for (const [name, texts] of Object.entries(others)) {
      if (texts.length > 0) figures.add(variant.name, `${name}, bytes`, bytesOf(texts, zstd, variant))
    }
    const stored = storeOf(page, zstd, variant)
    const isSame = stored.every((row, id) => read(row, zstd, variant, blockOf) === page[id])
    if (!isSame) throw new Error(`${variant.name}: the text put back is not the text left out.`)
    return { variant, zstd, stored }
  })
  for (let round = 0; round < rounds; round++) {
    for (const { stored, variant, zstd } of subjects) {
      figures.add(variant.name, "page of 25, us of CPU", pageMicros(stored, zstd, variant, blockOf))
    }
  }
}
