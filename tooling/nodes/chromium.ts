/**
 * Runs the RPC client in Chromium against scripts of a hostile node: `node tooling/nodes/chromium.ts [scripts]`. Needs a Chromium at
 * /usr/bin/chromium or in CHROMIUM. Also prints the size of the bundle.
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as HostileNode from "../../packages/testkit/src/HostileNode.ts"
import * as NodeScript from "../../packages/testkit/src/NodeScript.ts"
import type { Call } from "../../packages/testkit/src/VirtualChain.ts"

const here = import.meta.dirname
if (!existsSync(join(here, "node_modules"))) {
  console.log("Installing browser dependencies (npm ci)")
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: here, stdio: "inherit" })
}
const { build } = await import("esbuild")
const { chromium } = await import("playwright-core")

const policy: NodeScript.Policy = { maxAttempts: 4, deadlineMillis: 600, backoffMillis: 20, slackMillis: 2_000 }

type Run = (
  url: string,
  calls: ReadonlyArray<Call>,
) => Promise<ReadonlyArray<{ readonly outcome?: string; readonly value?: unknown; readonly elapsedMillis: number }>>

const page = `
import { createRpcClient } from "../../packages/rpc/src/promise.ts"
globalThis.run = (url, calls) => {
  const began = performance.now()
  const client = createRpcClient({
    url, timeout: ${policy.deadlineMillis}, maxBytes: 1048576, maxItemBytes: 524288,
    retry: { maxAttempts: ${policy.maxAttempts}, base: 5, cap: ${policy.backoffMillis} },
  })
  return Promise.all(calls.map((call) => client.request({ ...call, checked: true }).then(
    (value) => ({ value, elapsedMillis: performance.now() - began }),
    (error) => ({ outcome: String(error._tag ?? error), elapsedMillis: performance.now() - began }),
  )))
}`
const bundle = async (contents: string): Promise<string> => {
  const options = {
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
  } as const
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: here, loader: "ts" } })
  return outputFiles[0]?.text ?? ""
}
const script = await bundle(page)
const sizes = `${(script.length / 1024).toFixed(0)} KiB, ${(gzipSync(script).length / 1024).toFixed(0)} KiB gzip`
console.log(`@daybook/rpc/promise with effect in a browser: ${sizes}`)

const server = createServer((request, response) => {
  const isScript = request.url === "/run.js"
  response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" })
  response.end(isScript ? script : `<!doctype html><script type="module" src="/run.js"></script>`)
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  // The hostile node sends no CORS headers.
  args: ["--no-sandbox", "--disable-web-security"],
})
try {
  const tab = await (await browser.newContext()).newPage()
  await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await tab.waitForFunction("globalThis.run !== undefined")
  const count = Number(process.argv[2] ?? 300)
  const seeds = Array.from({ length: count }, (_, seed) => seed)
  const issues: Array<string> = []
  const ends = new Map<string, number>()
  const histograms: Array<ReturnType<HostileNode.Node["histogram"]>> = []
  const worker = async () => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
      const one = NodeScript.make(seed)
      const { batchLimit, calls, steps } = one
      const node = await HostileNode.start({ script: steps, ...(batchLimit === undefined ? {} : { batchLimit }) })
      try {
        const results = await tab.evaluate(
          ([url, requested]) => (globalThis as unknown as { readonly run: Run }).run(url, requested),
          [node.url, calls] as const,
        )
        await node.settled(200)
        const observed = results.map(({ outcome, value, elapsedMillis }, at) => {
          const call = calls[at]
          return { call, outcome: outcome ?? NodeScript.outcomeOf(call, value), elapsedMillis }
        })
        for (const { outcome } of observed) ends.set(outcome, (ends.get(outcome) ?? 0) + 1)
        issues.push(...NodeScript.judge(one, policy, node.exchanges(), observed))
        histograms.push(node.histogram())
      } finally {
        await node.stop()
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  const never = NodeScript.histogram(histograms).filter(([, times]) => times === 0)
  console.log([...ends].map(([outcome, times]) => `${outcome} ${times}`).join(", "))
  console.log(
    `${count} scripts in Chromium ${browser.version()}: ${issues.length} issues; faults not applied: ${never.map(([name]) => name).join(" ") || "none"}`,
  )
  for (const issue of issues.slice(0, 20)) console.log(issue)
  process.exitCode = issues.length === 0 ? 0 : 1
} finally {
  await browser.close()
  server.close()
}
