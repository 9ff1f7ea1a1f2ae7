/** `examples/src/follow.ts` with moralis, and a node for what the history does not report: whether a block is still canonical. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import Moralis from "moralis"
import { BlockNotFoundError, createPublicClient, http } from "viem"

const { MORALIS_API_KEY = "", MORALIS_ADDRESS: address = "", NODE_URL = "" } = process.env
const [file = "history.json"] = process.argv.slice(2)
await Moralis.start({ apiKey: MORALIS_API_KEY })
const node = createPublicClient({ transport: http(NODE_URL) })

interface Row {
  readonly hash: string
  readonly block: number
  readonly blockHash: string
}

let rows: ReadonlyArray<Row> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []

const isOnChain = async ({ block, blockHash }: Row): Promise<boolean> => {
  try {
    return (await node.getBlock({ blockNumber: BigInt(block) })).hash === blockHash
  } catch (error) {
    if (error instanceof BlockNotFoundError) return false
    throw error
  }
}

/** The kept rows without those that a reorg reverted: searches from the newest one back to one that is still canonical. */
const withoutReverted = async (kept: ReadonlyArray<Row>): Promise<ReadonlyArray<Row>> => {
  let end = kept.length
  while (end > 0 && !(await isOnChain(kept[end - 1]!))) end--
  return kept.slice(0, end)
}

/** Rows of a block and all later blocks. */
const rowsFrom = async (fromBlock: number): Promise<ReadonlyArray<Row>> => {
  const found: Array<Row> = []
  let page = await Moralis.EvmApi.wallets.getWalletHistory({ address, chain: "0x1", order: "ASC", fromBlock })
  for (;;) {
    for (const row of page.result)
      found.push({ hash: row.hash, block: Number(row.blockNumber.toString()), blockHash: row.blockHash })
    if (!page.hasNext()) return found
    page = await page.next()
  }
}

for (;;) {
  const kept = await withoutReverted(rows)
  const last = kept.at(-1)?.block ?? 0
  const next = [...kept.filter(({ block }) => block < last), ...(await rowsFrom(last))]
  if (next.length !== rows.length || next.at(-1)?.hash !== rows.at(-1)?.hash) {
    rows = next
    writeFileSync(`${file}.new`, JSON.stringify(rows))
    renameSync(`${file}.new`, file)
    console.log(rows.length)
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}
