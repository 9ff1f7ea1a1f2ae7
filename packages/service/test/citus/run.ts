/** Runs on Citus what every engine must pass. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const variable = "DAYBOOK_TEST_CITUS"
/** Tests of the suite at least; fewer were left out by something. */
const leastTests = 70

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const besides = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** The contract suite, which must have run whole. */
const contract = Effect.fnUntraced(function* (urls: string, { fail, print }: Campaign.Output) {
  const file = join(yield* temporaryFolder, "results.json")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const suite = "packages/service/test/store/postgres/Citus.integration.test.ts"
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]
  // A database that is given runs one test at a time.
  const args = [vitest, "run", "--mode", "integration", suite, "--maxWorkers=1", ...reporters]
  const code = yield* Campaign.child(args, { cwd: root, env: { ...process.env, [variable]: urls } })
  if (code !== 0) fail("a test failed")
  const passed: number = JSON.parse(readFileSync(file, "utf8")).numPassedTests
  print(`contract suite on Citus: ${passed} passed`)
  if (passed < leastTests) fail(`Too few tests: expected ${leastTests} or more, received ${passed}.`)
})

Campaign.main({
  name: "citus",
  about:
    "Runs on Citus what every engine must pass: the contract suite with its audit and repair, and the campaigns tears, kill and books. Fails for a part that failed or ran no test, and for a database without nodes. Without databases nothing is run, which is stated.",
  options: {
    databases: [
      process.env[variable],
      `URLs of two or more databases of a coordinator that has nodes, separated by commas, else those of ${variable}; they are emptied`,
    ],
    pages: [10_000, "pages of tears"],
    kills: [50, "kills"],
  },
  plan: Effect.fnUntraced(function* ({ databases: urls = "", kills, pages }, { fail, print }) {
    if (urls === "") {
      print(`Skipped: no Citus is given. Name two databases of a coordinator, which are emptied: --databases URL,URL`)
      return { cases: [] }
    }
    const [first = ""] = urls.split(",")
    for (const url of urls.split(",")) {
      const nodes = yield* TestServer.nodeCount(url)
      print(`${new URL(url).host}${new URL(url).pathname}: ${nodes} nodes of Citus`)
      if (nodes === 0) fail("a database has no nodes")
    }
    const campaign = (name: string, file: string, ...args: ReadonlyArray<string>): Campaign.Case => ({
      name,
      run: (report) =>
        Effect.map(Campaign.child([besides(file), "--database", first, ...args]), (code) => {
          if (code !== 0) report.fail("see above")
        }),
    })
    return {
      cases: [
        { name: "contract", run: (report) => contract(urls, report) },
        campaign("tears", "../tears/run.ts", "--on", "citus", "--pages", String(pages)),
        campaign("kill", "../kill/run.ts", "--kills", String(kills)),
        campaign("books", "../books/run.ts", "--blocks", "40", "--every", "8", "--seed", "1"),
      ],
    }
  }),
})
