/**
 * Serving, end to end over sockets, each server in a process of its own: `pnpm bench page [hand|movements|processes|relay|codings|backfill] --rounds 5`.
 * `hand`: a page of 25 by the service and by node:http with node:sqlite, the same bytes.
 * `movements`: a page of 25 movements beside one of 25 transactions. `processes`: the same page by one and
 * by two processes. `relay`: a call through the relay, cached
 * or not, and to the node directly. `codings`: bytes, CPU and requests a second of a page, of receipts and of a small answer in each coding,
 * and of a page that the client has. `backfill`: pages in the role `all` while a chain of a thousand blocks is indexed, and after it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"
import * as BackfillBenchmark from "./BackfillBenchmark.ts"
import * as CodingsBenchmark from "./CodingsBenchmark.ts"
import * as MovementsBenchmark from "./MovementsBenchmark.ts"
import * as PageBenchmark from "./PageBenchmark.ts"
import * as ProcessesBenchmark from "./ProcessesBenchmark.ts"
import * as RelayBenchmark from "./RelayBenchmark.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as WalletRequests from "./WalletRequests.ts"

const parts = {
  hand: PageBenchmark,
  movements: MovementsBenchmark,
  processes: ProcessesBenchmark,
  relay: RelayBenchmark,
  codings: CodingsBenchmark,
  backfill: BackfillBenchmark,
}

const { json, rounds, words } = BenchOptions.parse({ rounds: 5, words: Object.keys(parts) })
const folder = mkdtempSync(join(tmpdir(), "daybook-pages-"))
const node = await RecordedChain.serve(0)
const figures = Figures.make()
try {
  const indexed = ServiceProcess.configure(join(folder, "indexed"), node.url)
  await ServiceProcess.index(indexed)
  const addresses = await WalletRequests.addresses()
  const setup: Setup = { rounds, concurrency: 16, millis: 3000, folder, nodeUrl: node.url, indexed, addresses }
  if (!json) console.log(Figures.provenance("page", rounds))
  for (const [name, part] of Object.entries(parts)) {
    if (words.length > 0 && !words.includes(name)) continue
    await part.measure(figures, setup)
    if (!json) part.table(figures, setup)
  }
} finally {
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
}
if (json) console.log(Figures.toJson("page", figures))
