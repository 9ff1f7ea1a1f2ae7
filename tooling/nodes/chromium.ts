/**
 * Runs scripts of a hostile node against the RPC client inside Chromium: `node tooling/nodes/chromium.ts [scripts]`. Outcomes are
 * checked as in the client's own tests. Needs Chromium at /usr/bin/chromium or at CHROMIUM. Also prints the size of the bundle.
 */
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import * as HostileNode from "../../tooling/hostile/src/HostileNode.ts"
import * as NodeScript from "../../tooling/hostile/src/NodeScript.ts"
import type { Call } from "../../tooling/hostile/src/VirtualChain.ts"
import * as BrowserPage from "./BrowserPage.ts"

const policy: NodeScript.Policy = { maxAttempts: 4, deadlineMillis: 600, backoffMillis: 20, slackMillis: 2_000 }
const scriptsAtOnce = 8

type Run = (
  url: string,
  calls: ReadonlyArray<Call>,
) => Promise<ReadonlyArray<{ readonly outcome?: string; readonly value?: unknown; readonly elapsedMillis: number }>>

/** The program of the page: sends calls to a URL and reports each outcome. */
const program = `
import { createRpcClient } from "../../packages/rpc/src/promise.ts"
// In place of the state at a block, null is the error of a block that the node does not have.
const outcomeOf = ({ _tag, kind, message }) =>
  kind === "notFound" && message.includes("The node returned null") ? "null" : String(_tag ?? message)
globalThis.run = (url, calls) => {
  const began = performance.now()
  const client = createRpcClient({
    url, timeout: ${policy.deadlineMillis}, maxBytes: 1048576, maxItemBytes: 524288,
    retry: { maxAttempts: ${policy.maxAttempts}, base: 5, cap: ${policy.backoffMillis} },
  })
  return Promise.all(calls.map((call) => client.request({ ...call, checked: true }).then(
    (value) => ({ value, elapsedMillis: performance.now() - began }),
    (error) => ({ outcome: outcomeOf(error), elapsedMillis: performance.now() - began }),
  )))
}`

interface Results {
  readonly issues: Array<string>
  readonly outcomes: Map<string, number>
  readonly histograms: Array<ReturnType<HostileNode.Node["histogram"]>>
}

/** Runs the script of one seed and adds its results. */
const runScript = async (page: Page, seed: number, { histograms, issues, outcomes }: Results): Promise<void> => {
  const script = NodeScript.make(seed)
  const { batchLimit, calls, steps } = script
  const node = await HostileNode.start({ script: steps, batchLimit })
  try {
    const results = await page.evaluate(
      ([url, sent]) => (globalThis as unknown as { readonly run: Run }).run(url, sent),
      [node.url, calls] as const,
    )
    await node.settled(200)
    const observed = results.map(({ elapsedMillis, outcome, value }, at) => {
      const call = calls[at]
      return { call, outcome: outcome ?? NodeScript.outcomeOf(call, value), elapsedMillis }
    })
    for (const { outcome } of observed) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    issues.push(...NodeScript.check(script, policy, node.exchanges(), observed))
    histograms.push(node.histogram())
  } finally {
    await node.stop()
  }
}

const runAll = async (page: Page, count: number): Promise<Results> => {
  const results: Results = { issues: [], outcomes: new Map(), histograms: [] }
  const seeds = Array.from({ length: count }, (_, seed) => seed)
  const worker = async () => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await runScript(page, seed, results)
  }
  await Promise.all(Array.from({ length: scriptsAtOnce }, worker))
  return results
}

const script = await BrowserPage.bundle(program)
const sizes = `${(script.length / 1024).toFixed(0)} KiB, ${(gzipSync(script).length / 1024).toFixed(0)} KiB gzip`
console.log(`@daybook/rpc/promise with effect in a browser: ${sizes}`)

// The hostile node sends no CORS headers: only the client is under test.
await BrowserPage.withPage(script, { args: ["--disable-web-security"] }, async (page, browser) => {
  const count = Number(process.argv[2] ?? 300)
  const { histograms, issues, outcomes } = await runAll(page, count)
  const unused = NodeScript.histogram(histograms).filter(([, times]) => times === 0)
  console.log([...outcomes].map(([outcome, times]) => `${outcome} ${times}`).join(", "))
  console.log(`${count} scripts in Chromium ${browser.version()}: ${issues.length} issues`)
  console.log(`faults not used: ${unused.map(([name]) => name).join(" ") || "none"}`)
  for (const issue of issues.slice(0, 20)) console.log(issue)
  process.exitCode = issues.length === 0 ? 0 : 1
})
