/**
 * Opens the site of `pnpm reference` in Chromium, searches for names that programs use, and follows the first result of each:
 * `node tooling/reference/search.ts [FOLDER]`. Needs a Chromium at /usr/bin/chromium or at CHROMIUM.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, resolve, sep } from "node:path"
import { root } from "../check/Workspace.ts"

const { chromium } = await import("playwright-core")

const folder = resolve(process.argv[2] ?? join(root, "dist/reference"))
const searches = [
  "walletTransactionsStream",
  "createRpcClient",
  "daybookTransport",
  "Movement",
  "RateLimited",
  "formatUnits",
]
const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" }

const server = createServer((request, response) => {
  const path = join(folder, decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname))
  if (!path.startsWith(folder + sep)) return void response.writeHead(404).end()
  try {
    const body = readFileSync(path.endsWith(sep) ? join(path, "index.html") : path)
    response.writeHead(200, { "content-type": types[extname(path) || ".html"] ?? "application/octet-stream" }).end(body)
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
})
const issues: Array<string> = []
try {
  const page = await browser.newPage()
  page.on("pageerror", (error) => issues.push(`an error on ${page.url()}: ${error.message}`))
  page.on("response", (response) => {
    if (response.status() >= 400 && !response.url().endsWith("favicon.ico"))
      issues.push(`status ${response.status()}: ${response.url()}`)
  })
  for (const text of searches) {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`)
    await page.keyboard.press("/")
    await page.locator("#tsd-search-input").fill(text)
    const first = page.locator("#tsd-search-results a").first()
    await first.waitFor({ timeout: 10_000 }).catch(() => issues.push(`nothing found for ${text}`))
    if ((await first.count()) === 0) continue
    await first.click()
    await page.waitForLoadState()
    const shown = await page.locator("main, .container-main").first().innerText()
    if (shown.includes(text)) console.log(`${text}: ${decodeURIComponent(new URL(page.url()).pathname)}`)
    else issues.push(`${page.url()} does not name ${text}`)
  }
} finally {
  await browser.close()
  server.close()
}
for (const issue of issues) console.error(issue)
console.log(`search: ${searches.length} searches, ${issues.length} issues`)
process.exitCode = issues.length === 0 ? 0 : 1
