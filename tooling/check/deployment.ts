/**
 * Checks the files of `deploy`: the configuration of HAProxy by HAProxy, with the environment of `docs/operations.md`; the units by
 * `systemd-analyze`; and the first stage of the Dockerfile, whose steps are run in a temporary folder. Checks whose program is missing on
 * this machine are reported as skipped. A test decodes the configuration of the service, and `pnpm --filter @daybook/service cluster` runs
 * the whole set-up.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Finished, report, root, run } from "./Workspace.ts"

const deploy = join(root, "deploy")
const haproxy = "/usr/sbin/haproxy"
const nginx = "/usr/sbin/nginx"
const promtool = "/usr/bin/promtool"
const systemdAnalyze = "/usr/bin/systemd-analyze"
const issues: Array<string> = []
const done: Array<string> = []

const expectSuccess = (what: string, { code, output }: Finished): void => {
  if (code === 0) done.push(what)
  else issues.push(`${what} exits ${code}\n${output.trim()}`)
}

const skip = (what: string, missing: string): void => console.log(`deployment: ${what} skipped: ${missing} is missing`)

const checkProxy = async (): Promise<void> => {
  if (!existsSync(haproxy)) return skip("haproxy.cfg", haproxy)
  const text = readFileSync(join(root, "docs/operations.md"), "utf8")
  const env = Object.fromEntries(
    Array.from(text.matchAll(/^(DAYBOOK_\w+)=(.+)$/gm), ([, name = "", value = ""]) => [name, value]),
  )
  expectSuccess("haproxy.cfg", await run(haproxy, ["-c", "-f", join(deploy, "haproxy.cfg")], { env }))
}

const checkCache = async (folder: string): Promise<void> => {
  if (!existsSync(nginx)) return skip("nginx.conf", nginx)
  const args = ["-t", "-p", folder, "-e", "stderr", "-c", join(deploy, "nginx.conf")]
  expectSuccess("nginx.conf", await run(nginx, args))
}

const checkMonitoring = async (): Promise<void> => {
  if (!existsSync(promtool)) return skip("prometheus", promtool)
  const cwd = join(deploy, "prometheus")
  expectSuccess("prometheus.yml", await run(promtool, ["check", "config", "prometheus.yml"], { cwd }))
  expectSuccess("alerts.yml", await run(promtool, ["check", "rules", "alerts.yml"], { cwd }))
  expectSuccess("alerts.test.yml", await run(promtool, ["test", "rules", "alerts.test.yml"], { cwd }))
}

/** Verifies copies of the units in which the command is replaced by one that exists on this machine. */
const checkUnits = async (folder: string): Promise<void> => {
  if (!existsSync(systemdAnalyze)) return skip("units", systemdAnalyze)
  const units = readdirSync(join(deploy, "systemd")).map((name) => {
    const text = readFileSync(join(deploy, "systemd", name), "utf8")
    const copy = join(folder, name)
    writeFileSync(copy, text.replace("ExecStart=daybook", `ExecStart=${process.execPath}`))
    return copy
  })
  const { code, output, standardOutput } = await run(systemdAnalyze, ["verify", "--man=no", ...units])
  // An unknown key is reported, although the exit code is 0.
  const isQuiet = units.every((unit) => !output.includes(unit))
  expectSuccess("units", { code: isQuiet ? code : 1, output, standardOutput })
}

/** Patterns that lines of a Dockerfile must not match, with the reason. */
const refusedLines: ReadonlyArray<readonly [line: RegExp, reason: string]> = [
  [/^FROM (?!\S+:\S*\d)/, "an image without a version is not reproducible"],
  [/^FROM \S+:latest\b/, "the tag latest is not reproducible"],
  [/^ADD /, "COPY does not unpack or download"],
  [/^RUN .*\b(?:curl|wget)\b/, "a download is not verified"],
  [/^RUN npm install --global (?!\S+@\d)/, "a program without a version is not reproducible"],
  [/^RUN .*\bpnpm install\b(?!.*--frozen-lockfile)/, "versions must be those of the lockfile"],
  [/^RUN .*\bsudo\b/, "steps already run as root"],
  [/^(?:ENV|ARG) .*(?:KEY|SECRET|TOKEN|PASSWORD)/i, "an image must not contain a secret"],
]

/** Lints the Dockerfile with these rules, and its last stage: a user other than root, a signal, and an entry point in list form. */
const lintImage = (): void => {
  const text = readFileSync(join(deploy, "Dockerfile"), "utf8").replaceAll("\\\n", " ")
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  for (const line of lines) {
    for (const [refused, reason] of refusedLines) {
      if (refused.test(line)) issues.push(`Dockerfile: ${line.trim()}: ${reason}`)
    }
  }
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")))
  const user = last.findLast((line) => line.startsWith("USER "))
  if (user === undefined || /^USER (?:root|0)\b/.test(user)) issues.push("Dockerfile: the image runs as root")
  for (const needed of [/^STOPSIGNAL SIGTERM$/, /^ENTRYPOINT \[/]) {
    if (!last.some((line) => needed.test(line))) issues.push(`Dockerfile: the last stage has no line ${needed.source}`)
  }
  if (issues.length === 0) done.push("Dockerfile: lines")
}

/** Runs the steps of the stage `install` in a folder, except for the installation of pnpm. */
const checkImage = async (folder: string): Promise<void> => {
  const text = readFileSync(join(deploy, "Dockerfile"), "utf8").replaceAll("\\\n", " ")
  const [, stage = ""] = text.split(/^FROM .*$/m)
  for (const line of stage.split("\n")) {
    const [instruction, ...words] = line.split(" ")
    if (instruction === "COPY") {
      const to = words.pop() ?? "."
      for (const from of words) {
        const isFolder = words.length > 1
        const target = isFolder ? join(folder, to, from) : join(folder, to)
        cpSync(join(root, from), target, { recursive: true, filter: (path) => !/\/(?:node_modules|dist)$/.test(path) })
      }
    }
    const command = words.join(" ")
    if (instruction !== "RUN" || command.startsWith("npm install --global")) continue
    const env = { npm_config_prefer_offline: "true", CI: "true" }
    const finished = await run("sh", ["-c", command], { cwd: folder, env, timeoutMillis: 300_000 })
    expectSuccess(`Dockerfile: ${command.split(" ").slice(0, 2).join(" ")}`, finished)
  }
  const started = await run(join(folder, "packages/service/src/bin.ts"), ["--help"], { cwd: dirname(folder) })
  expectSuccess("Dockerfile: daybook --help", started)
}

const folder = mkdtempSync(join(tmpdir(), "daybook-deployment-"))
try {
  lintImage()
  await checkProxy()
  await checkCache(folder)
  await checkMonitoring()
  await checkUnits(folder)
  await checkImage(join(folder, "daybook"))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
report("deployment", issues, `${done.join("; ")}: valid`)
