/**
 * Serving, end to end over sockets, with each server in its own process and installed as users install it: `pnpm bench page --rounds 3`, or
 * `pnpm bench page hand` for a part. `hand`: a page of 25 rows from the service and from node:http with node:sqlite, with the same bytes.
 * `movements`: a page of 25 movements compared with one of 25 transactions. `relay`: a call through the relay, cached or not, and to the
 * node directly. `codings`: bytes, CPU time and requests per second of a page, of receipts and of a small response in each content coding,
 * and of a page that the client has cached. Only when named: `processes`, the same page from one and from two processes, and `backfill`,
 * pages during and after indexing.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BenchOptions from "../BenchOptions.ts"
import type { Installed } from "../Checkout.ts"
import * as Figures from "../Figures.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"
import * as Installation from "../Installation.ts"
import * as Report from "../Report.ts"
import * as BackfillBenchmark from "./BackfillBenchmark.ts"
import * as CodingsBenchmark from "./CodingsBenchmark.ts"
import * as MovementsBenchmark from "./MovementsBenchmark.ts"
import * as PageBenchmark from "./PageBenchmark.ts"
import * as ProcessesBenchmark from "./ProcessesBenchmark.ts"
import * as RelayBenchmark from "./RelayBenchmark.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Indexed, Setup } from "./Setup.ts"
import * as Tables from "./Tables.ts"
import * as WalletRequests from "./WalletRequests.ts"

const publishedParts = {
  hand: PageBenchmark,
  movements: MovementsBenchmark,
  relay: RelayBenchmark,
  codings: CodingsBenchmark,
}
const parts = { ...publishedParts, processes: ProcessesBenchmark, backfill: BackfillBenchmark }

const options = BenchOptions.parse({ rounds: 3, words: Object.keys(parts) })
const { checkouts, isSmallest, rounds, words } = options
const blocks = isSmallest ? RecordedChain.smallestBlocks : RecordedChain.defaultBlocks

/** Indexes the chain with a checkout. */
const prepare = async (checkout: Installed, folder: string, nodeUrl: string): Promise<Indexed> => {
  const configuration = ServiceProcess.configure(folder, nodeUrl, Installation.command(checkout.folder))
  await ServiceProcess.index(configuration)
  return { ...configuration, suffix: checkout.suffix }
}

const folder = mkdtempSync(join(tmpdir(), "daybook-pages-"))
const node = await RecordedChain.serve(0, blocks)
const figures = Figures.make()
try {
  const all: Array<Indexed> = []
  for (const [at, checkout] of checkouts.entries()) {
    all.push(await prepare(checkout, join(folder, `indexed-${at}`), node.url))
  }
  const addresses = await WalletRequests.addresses(blocks)
  const setup: Setup = {
    rounds,
    concurrency: isSmallest ? 4 : 16,
    millis: isSmallest ? 20 : 1500,
    folder,
    nodeUrl: node.url,
    indexed: all[0]!,
    all,
    addresses,
    isSmallest,
  }
  const usual = Object.keys(isSmallest ? parts : publishedParts)
  for (const [name, part] of Object.entries(parts)) {
    if ((words.length > 0 ? words : usual).includes(name)) await part.measure(figures, setup)
  }
} finally {
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
}
Report.finish("page", options, figures, Tables.named)
