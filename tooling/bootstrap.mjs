// Runs a root script with the Node and pnpm versions of this repository: `node tooling/bootstrap.mjs <script> [args]`.
// Installed versions are used if they are new enough; otherwise npx downloads them once into npm's cache.
// Standard input, standard output, signals and the exit code are passed through. With DAYBOOK_INSTALLED=true the
// installed dependencies are used unchanged.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { constants } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [script, ...args] = process.argv.slice(2)
const manifest = JSON.parse(readFileSync(`${root}/package.json`, "utf8"))
if (!Object.hasOwn(manifest.scripts, script ?? "")) {
  console.error(`bootstrap: Unknown script: "${script ?? ""}". Use one of ${Object.keys(manifest.scripts).join(", ")}.`)
  process.exit(2)
}

const windows = process.platform === "win32"
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const nodeFits = major > 22 || (major === 22 && minor >= 19)
const pnpmVersion = spawnSync("pnpm", ["--version"], { cwd: root, shell: windows, encoding: "utf8" }).stdout ?? ""
const pnpmFits = pnpmVersion.split(".")[0] === manifest.packageManager.match(/@(\d+)/)[1]

const missing = [...(nodeFits ? [] : ["node@24"]), ...(pnpmFits ? [] : [manifest.packageManager])]
if (missing.length > 0) {
  console.error(`bootstrap: using ${missing.join(" and ")} through npx`)
  const printPath = ["node", "-p", "process.env.PATH"]
  const npx = spawnSync("npx", ["-y", "--loglevel=error", ...missing.flatMap((name) => ["-p", name]), ...printPath], {
    cwd: root,
    shell: windows,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  if (npx.status !== 0) process.exit(npx.status ?? 1)
  process.env.PATH = npx.stdout.trim()
} else process.env.PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)

if (process.env.DAYBOOK_INSTALLED !== "true") {
  const install = ["install", "--frozen-lockfile", "--config.confirmModulesPurge=false", "--reporter=append-only"]
  if (!existsSync(join(root, "node_modules"))) console.error("bootstrap: installing dependencies")
  const installed = spawnSync("pnpm", install, {
    cwd: root,
    shell: windows,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 1 << 26,
  })
  if (installed.status !== 0) {
    console.error(`${installed.stdout ?? ""}${installed.stderr ?? ""}bootstrap: pnpm install failed.`)
    process.exit(installed.status ?? 1)
  }
}

// Not `pnpm run`, which exits on SIGTERM before the script has cleaned up.
process.env.PATH = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter)
const command = manifest.scripts[script]
const child = windows
  ? spawn([command, ...args].join(" "), { cwd: root, shell: true, stdio: "inherit" })
  : spawn("sh", ["-c", `${/[&|;]/.test(command) ? "" : "exec "}${command} "$@"`, script, ...args], {
      cwd: root,
      stdio: "inherit",
    })

// A terminal sends Ctrl-C to the script itself. Other signals are forwarded.
const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => (signal === "SIGINT" && terminal) || child.kill(signal))
}
// npm exits on SIGTERM without forwarding it, so a missing parent process is treated as SIGTERM.
const parent = process.ppid
setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 500).unref()
child.on("error", (error) => console.error(`bootstrap: ${error.message}`))
child.on("close", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
