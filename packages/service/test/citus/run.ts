/**
 * Runs on Citus what every engine must pass:
 * `node test/citus/run.ts [URL ...] [--parts contract,tears,kills,books] [--pages 10000] [--kills 50]`. The URLs are those of two or
 * more databases of a coordinator that has nodes, or `DAYBOOK_TEST_CITUS` names them, separated by commas; they are emptied. The parts
 * are the contract suite of the engines with its audit and repair, and pages that are compared with a model while writers fail. Further
 * parts are an indexer that is killed and whose index is compared with its node each time, and movements that are held against
 * balances.
 *
 * Ends with code 1 for a part that failed or ran no test, and for a database without Citus. Without a URL nothing is run, which is stated.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import * as TestServer from "../store/postgres/TestServer.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    parts: { type: "string", default: "contract,tears,kills,books" },
    pages: { type: "string", default: "10000" },
    kills: { type: "string", default: "50" },
  },
})
const urls = positionals.length > 0 ? positionals : (process.env["DAYBOOK_TEST_CITUS"] ?? "").split(",").filter(Boolean)
const variable = "DAYBOOK_TEST_CITUS"
/** Tests of the suite at least; fewer were left out by something. */
const leastTests = 70

const print = (line: string) => void process.stdout.write(`${line}\n`)
const root = fileURLToPath(new URL("../../../../", import.meta.url))
const besides = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const run = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env): Promise<boolean> => {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: "inherit" })
  const [code] = await once(child, "exit")
  return code === 0
}

/** The contract suite, which must have run whole. */
const contract = async (): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-citus-"))
  const file = join(folder, "results.json")
  try {
    const vitest = join(root, "node_modules/vitest/vitest.mjs")
    const suite = "packages/service/test/store/postgres/Citus.integration.test.ts"
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]
    // A database that is given runs one test at a time.
    const args = [vitest, "run", "--mode", "integration", suite, "--maxWorkers=1", ...reporters]
    const isGreen = await run(args, { ...process.env, [variable]: urls.join(",") })
    const passed: number = JSON.parse(readFileSync(file, "utf8")).numPassedTests
    print(`contract suite on Citus: ${passed} passed`)
    if (passed < leastTests) print(`Too few tests: expected ${leastTests} or more, received ${passed}.`)
    return isGreen && passed >= leastTests
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [first = ""] = urls
const parts: Readonly<Record<string, () => Promise<boolean>>> = {
  contract,
  tears: () => run([besides("../tears/run.ts"), "--on", "citus", "--database", first, "--pages", values.pages]),
  kills: () => run([besides("../kill/run.ts"), values.kills, "1", first]),
  books: () => run([besides("../books/run.ts"), "--database", first, "--blocks", "40", "--every", "8", "1"]),
}

const main = async (): Promise<number> => {
  if (urls.length === 0) {
    print(
      `Skipped: no Citus is given. Name two databases of a coordinator, which are emptied: citus URL URL, or ${variable}.`,
    )
    return 0
  }
  for (const url of urls) {
    const nodes = await Effect.runPromise(TestServer.nodeCount(url))
    print(`${new URL(url).host}${new URL(url).pathname}: ${nodes} nodes of Citus`)
    if (nodes === 0) return 1
  }
  const failed: Array<string> = []
  for (const name of values.parts.split(",")) {
    const part = parts[name]
    if (part === undefined) {
      print(`Invalid option "--parts": expected some of ${Object.keys(parts).join(", ")}, received "${name}".`)
      return 2
    }
    print(`-- ${name}`)
    if (!(await part())) failed.push(name)
  }
  print(failed.length === 0 ? `Citus: ${values.parts}, all passed` : `Citus: failed: ${failed.join(", ")}`)
  return failed.length === 0 ? 0 : 1
}

process.exit(await main())
