/** Opens the given bundle in Chromium, at /usr/bin/chromium or at CHROMIUM, and prints the title of the page. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { chromium } from "playwright-core"

const [bundle] = process.argv.slice(2)
const server = createServer((request, response) => {
  const isScript = request.url === "/page.js"
  response.setHeader("content-type", isScript ? "text/javascript" : "text/html")
  response.end(
    isScript
      ? readFileSync(bundle)
      : `<!doctype html><title>none</title><script type="module" src="/page.js"></script>`,
  )
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  // The service of this check sends no CORS headers.
  args: ["--no-sandbox", "--disable-web-security"],
})
const page = await browser.newPage()
page.on("pageerror", (error) => console.log(error.message))
await page.goto(`http://127.0.0.1:${server.address().port}/`)
await page.waitForFunction("document.title !== 'none'", undefined, { timeout: 20_000 })
console.log(await page.title())
await browser.close()
server.close()
