/** A Chromium page that runs a bundled program. Needs Chromium at /usr/bin/chromium or at CHROMIUM. */
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import * as PeerInstall from "../bench/PeerInstall.ts"

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** Reason why no page can be opened; undefined if one can. */
export const missing = existsSync(executablePath)
  ? undefined
  : `No Chromium at ${executablePath}. Install it, or set CHROMIUM to its path.`

/** The minified bundle of a program. Its imports are relative to this folder. */
export const bundle = async (contents: string): Promise<string> => {
  PeerInstall.install(import.meta.dirname)
  const { build } = await import("esbuild")
  const { outputFiles } = await build({
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
  })
  return outputFiles[0]?.text ?? ""
}

export interface Options {
  /** Headers of the responses of the page. Default none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Arguments of Chromium. Default none. */
  readonly args?: ReadonlyArray<string>
}

const isRunning = "globalThis.run !== undefined"

/** Reloads the page, so that it has neither values nor compiled code of the previous load. */
export const reload = async (page: Page): Promise<void> => {
  await page.reload()
  await page.waitForFunction(isRunning)
}

/** Serves a page with the script on a free port of 127.0.0.1, opens it, and closes both after `use`. */
export const withPage = async (
  script: string,
  { args = [], headers = {} }: Options,
  use: (page: Page, browser: Browser) => Promise<void>,
): Promise<void> => {
  PeerInstall.install(import.meta.dirname)
  const { chromium } = await import("playwright-core")
  const server = createServer((request, response) => {
    const isScript = request.url === "/run.js"
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html", ...headers })
    response.end(isScript ? script : `<!doctype html><script type="module" src="/run.js"></script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", ...args] })
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.waitForFunction(isRunning)
    await use(page, browser)
  } finally {
    await browser.close()
    server.close()
  }
}
