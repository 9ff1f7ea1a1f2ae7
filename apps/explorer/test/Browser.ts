/** Chromium for tests: the system's, or the one at CHROMIUM. */
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** Reason why no browser can be started; undefined if one can. */
export const missing = existsSync(executablePath)
  ? undefined
  : `No Chromium at ${executablePath}. Install it, or set CHROMIUM to its path.`

/** Starts the browser. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath, args: ["--no-sandbox"] })
