/** Runs the tests of every storage engine on Citus. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Scope } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as Interruptions from "./Interruptions.ts"
import * as LostWrites from "./LostWrites.ts"
import * as Nodes from "./Nodes.ts"
import * as Recovery from "./Recovery.ts"

const variables = { databases: "DAYBOOK_TEST_CITUS", bin: "DAYBOOK_TEST_CITUS_BIN" } as const
/** Minimum number of tests of the suite; a smaller number means that some were skipped. */
const minTests = 70
/** Minimum number of tests of Etherscan's lists. */
const minLists = 2
const lagMillis = 200
/** Maximum time from the restart of a node to the next stored block. */
const maxRecoveryMillis = 10_000

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const options = {
  databases: [
    process.env[variables.databases],
    `URLs of two or more databases of a Citus coordinator with nodes, separated by commas; default: ${variables.databases}; the databases are emptied`,
  ],
  bin: [
    process.env[variables.bin],
    `folder of the programs of a PostgreSQL installation that includes Citus, with which nodes are started; default: ${variables.bin}`,
  ],
  pages: [10_000, "pages of the campaign consistency"],
  kills: [50, "kills of the indexer"],
  ends: [5, "kills of each node while an indexer follows a chain"],
} as const

/** Runs a test file, none of whose tests may be skipped. */
const tests = Effect.fnUntraced(function* (
  { env, least, mode, suite }: { readonly env: NodeJS.ProcessEnv; least: number; mode: string; suite: string },
  { fail, print }: Campaign.Output,
) {
  const file = join(yield* temporaryFolder, "results.json")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]
  // A given database can run only one test at a time.
  const args = [vitest, "run", "--mode", mode, `packages/service/test/${suite}`, "--maxWorkers=1", ...reporters]
  const code = yield* Campaign.child(args, { cwd: root, env: { ...process.env, ...env } })
  if (code !== 0) fail("a test failed")
  const passed: number = JSON.parse(readFileSync(file, "utf8")).numPassedTests
  print(`${suite} on Citus: ${passed} passed`)
  if (passed < least) fail(`Too few tests: expected ${least} or more, received ${passed}.`)
})

/** Runs another campaign. */
const campaign = (file: string, ...args: ReadonlyArray<string>) => Campaign.child([pathOf(file), ...args])

/** A case that runs another campaign. */
const passes =
  (code: Effect.Effect<number | null>) =>
  ({ fail }: Campaign.Output): Effect.Effect<void> =>
    Effect.map(code, (ended) => {
      if (ended !== 0) fail("see above")
    })

/** Cases that use databases. */
const onDatabases = (
  databases: Effect.Effect<string>,
  { kills, pages }: Pick<Campaign.Values<typeof options>, "kills" | "pages">,
): ReadonlyArray<Campaign.Case> => {
  const on =
    (file: string, ...args: ReadonlyArray<string>): Campaign.Case["run"] =>
    (report) =>
      Effect.flatMap(databases, (urls) => {
        const [first = ""] = urls.split(",")
        return passes(campaign(file, "--database", first, ...args))(report)
      })
  const contract = { suite: "store/postgres/Citus.integration.test.ts", mode: "integration", least: minTests }
  const lists = { suite: "server/etherscan/Reorgs.e2e.test.ts", mode: "e2e", least: minLists }
  return [
    {
      name: "contract",
      run: (report) =>
        Effect.flatMap(databases, (urls) => tests({ ...contract, env: { [variables.databases]: urls } }, report)),
    },
    { name: "histories", run: on("../indexer/seeds.ts", "--seeds", "3") },
    {
      name: "lists",
      run: (report) =>
        Effect.flatMap(databases, (urls) =>
          tests({ ...lists, env: { DAYBOOK_TEST_POSTGRES: urls.split(",")[0] } }, report),
        ),
    },
    { name: "consistency", run: on("../consistency/run.ts", "--on", "citus", "--pages", String(pages)) },
    { name: "kill", run: on("../kill/run.ts", "--kills", String(kills)) },
    { name: "books", run: on("../books/run.ts", "--blocks", "40", "--every", "8", "--seeds", "2") },
    { name: "poolers", run: on("../pooler/run.ts") },
  ]
}

const workers = 2

/** Cases that kill, copy and replace nodes, each on a separate cluster. */
const onNodes = (
  bin: string,
  { ends, pages }: Pick<Campaign.Values<typeof options>, "ends" | "pages">,
): ReadonlyArray<Campaign.Case> => [
  {
    name: "recovery",
    run: (report) =>
      Effect.flatMap(Nodes.start({ bin, workers }), (cluster) =>
        Recovery.run(cluster, { kills: ends, maxMillis: maxRecoveryMillis }, report),
      ),
  },
  {
    name: "lost nodes",
    run: Effect.fnUntraced(function* (report) {
      const cluster = yield* Nodes.start({ bin, workers })
      const { url } = yield* cluster.database("lost_nodes")
      const args = ["--on", "citus", "--database", url, "--pages", String(pages), "--interrupted"]
      const { ended, value } = yield* Interruptions.during(cluster, url, campaign("../consistency/run.ts", ...args))
      report.print(`${ended} nodes were killed`)
      if (ended === 0) report.fail("no node was killed")
      if (value !== 0) report.fail("see above")
    }),
  },
  {
    name: "standbys",
    run: Effect.fnUntraced(function* (report) {
      const cluster = yield* Nodes.start({ bin, workers, delayMillis: lagMillis })
      const { standbyUrl, url } = yield* cluster.database("standbys")
      const args = ["--on", "citus", "--database", url, "--standby", standbyUrl, "--pages", String(pages)]
      yield* passes(campaign("../consistency/run.ts", ...args))(report)
    }),
  },
  {
    name: "lost writes",
    run: (report) =>
      Effect.flatMap(Nodes.start({ bin, workers, delayMillis: 0 }), (cluster) => LostWrites.run(cluster, report)),
  },
]

const remedies = {
  databases:
    "Name the folder of the Citus programs with --bin FOLDER, or two databases of a coordinator, which are emptied, with --databases URL,URL.",
  bin: "They start nodes of their own: name the folder of the Citus programs with --bin FOLDER.",
} as const

/** Databases to use: the given ones, or two on a new cluster. */
const databasesOf = Effect.fnUntraced(function* (
  given: string | undefined,
  bin: string,
  { fail, print }: Campaign.Output,
): Effect.fn.Return<string, never, Scope.Scope> {
  let urls = given
  if (urls === undefined) {
    const { database } = yield* Nodes.start({ bin, workers })
    urls = `${(yield* database("one")).url},${(yield* database("two")).url}`
  }
  for (const url of urls.split(",")) {
    const nodes = yield* TestServer.nodeCount(url)
    print(`${new URL(url).host}${new URL(url).pathname}: ${nodes} Citus nodes`)
    if (nodes === 0) fail("a database has no nodes")
  }
  return urls
})

Campaign.main({
  name: "citus",
  about:
    "Runs on Citus what every engine must pass: the contract suite with its audit and repair, histories and lists against scans of the node, the campaigns consistency, kill, books and poolers, pages while nodes are ended, pages of standbys, and a node that is replaced by a copy without its last writes. Fails for a part that failed or ran no test, and for a database without nodes. Parts without what they need are not run, which is stated.",
  options,
  plan: Effect.fnUntraced(function* ({ bin, databases, ...sizes }, report) {
    const scope = yield* Effect.scope
    const urls = yield* Effect.cached(Scope.provide(databasesOf(databases, bin ?? "", report), scope))
    const parts = [
      ["databases", databases ?? bin, onDatabases(urls, sizes)],
      ["bin", bin, onNodes(bin ?? "", sizes)],
    ] as const
    for (const [what, given, cases] of parts) {
      if (given !== undefined) continue
      report.print(
        `Skipped, because Citus is not available: ${cases.map(({ name }) => name).join(", ")}. ${remedies[what]}`,
      )
    }
    return { cases: parts.flatMap(([, given, cases]) => (given === undefined ? [] : cases)) }
  }),
})
