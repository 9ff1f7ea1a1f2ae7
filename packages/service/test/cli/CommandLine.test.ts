import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { daybook, daybookProcess, main, ReadsOutput, timeout } from "./daybook.ts"

const preload = join(import.meta.dirname, "loadedModules.process.ts")
const sources = new URL("../../src/", import.meta.url).href

/** Modules of the service that a command loads, in a separate process. */
const loadedBy = (...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { stderr } = spawnSync(process.execPath, ["--no-warnings", "--import", preload, main, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  })
  return stderr
    .split("\n")
    .filter((line) => line.startsWith(sources))
    .map((url) => url.slice(sources.length))
    .toSorted()
}

/** What every command loads. */
const commandLine = [
  "cli/CommandError.ts",
  "cli/CommandLine.ts",
  "cli/ExitCode.ts",
  "cli/HelpText.ts",
  "cli/InvalidUsage.ts",
  "cli/Manifest.ts",
  "cli/ProgressLine.ts",
  "cli/Shutdown.ts",
  "cli/StandardError.ts",
  "cli/Terminal.ts",
  "config/InvalidConfig.ts",
  "indexer/Throughput.ts",
  "main.ts",
]

const run = (...args: ReadonlyArray<string>) => daybook(import.meta.dirname, ...args)

describe("CommandLine", () => {
  it("--help: loads only the modules of the command line", { timeout }, () => {
    assert.deepStrictEqual(loadedBy("--help"), commandLine)
  })

  it("a misspelt command: loads no command's module", { timeout }, () => {
    assert.deepStrictEqual(loadedBy("serv"), commandLine)
  })

  it("serve: loads neither the service nor a database if its arguments are wrong", { timeout }, () => {
    const loaded = loadedBy("serve", "--role", "cook")

    assert.include(loaded, "cli/ServeCommand.ts")
    assert.notInclude(loaded, "Service.ts")
    assert.notInclude(loaded, "store/Engine.ts")
  })

  it.effect("signing-key, verify-statement: name the whole path of a file", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "a".repeat(100))
      const made = yield* run("signing-key", "make", file)
      const missing = yield* run("verify-statement", `${file}.json`, "--rpc", "http://127.0.0.1:1")

      assert.include(made.err, `Created the key ${file}, readable only by its owner.`)
      assert.include(missing.err, `File not readable: ${file}.json (no such file).`)
    }).pipe(Effect.scoped),
  )

  it("mcp: loads neither the server nor the service if the key is missing", { timeout }, () => {
    const loaded = loadedBy("mcp", "--url", "http://127.0.0.1:1")

    assert.include(loaded, "cli/McpCommand.ts")
    assert.notInclude(loaded, "mcp/Server.ts")
    assert.notInclude(loaded, "mcp/LocalService.ts")
  })

  it.effect.each([
    ["mcp --key k", 'Invalid option "--key": expected --key together with --url, received --key alone.'],
    [
      "mcp --url http://127.0.0.1:1 --key k --config daybook.json",
      'Invalid option "--url": expected either --url, or --config, --database or --chain, received both.',
    ],
    ["repair --from 5 --to 3", 'Invalid option "--to": expected at least the block of --from, 5, received 3.'],
    [
      "verify --sample x",
      'Invalid value for flag --sample: "x". Expected a whole number. Run "daybook verify --help".',
    ],
    [
      "verify --sample 1.5",
      'Invalid value for flag --sample: "1.5". Expected a whole number. Run "daybook verify --help".',
    ],
  ] as const)("%s is refused with exit code 2", ([args, message]) =>
    Effect.gen(function* () {
      const { code, err } = yield* run(...args.split(" "))

      assert.deepStrictEqual([code, err], [2, `daybook: ${message}\n`])
    }),
  )

  it.effect.each([
    ["statement 0x0000000000000000000000000000000000000001 --rpc nope", "--rpc", 3],
    ["repair --node nope", "--node", 3],
    ["mcp --url nope --key k", "--url", 2],
    ["mcp --url http://127.0.0.1:1?a=b --key k", "--url", 2],
  ] as const)("%s is refused: %s is no URL, with exit code %i", ([args, name, exitCode]) =>
    Effect.gen(function* () {
      const { code, err } = yield* run(...args.split(" "))

      assert.strictEqual(code, exitCode)
      assert.include(err, `daybook: Invalid option "${name}": expected `)
    }),
  )

  it.effect("a misspelt command: is rejected with the most similar name", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* run("verfy")

      assert.strictEqual(code, 2)
      assert.match(`${out}${err}`, /verify/)
    }),
  )

  it.effect(
    "help: a command describes itself as the list of commands does",
    () =>
      Effect.gen(function* () {
        const all = yield* daybookProcess(import.meta.dirname, "--help")
        const own = yield* daybookProcess(import.meta.dirname, "serve", "--help")

        assert.match(all.out, /^ {2}serve {2,}Run the indexer and the HTTP server$/m)
        assert.match(own.out, /^DESCRIPTION\n {2}Run the indexer and the HTTP server$/m)
      }),
    timeout,
  )

  it.effect(
    "help has 80 columns at most, names every command once, and ends with the flags of every command",
    () =>
      Effect.gen(function* () {
        const all = (yield* daybookProcess(import.meta.dirname, "--help")).out.split("\n")
        const names = all.flatMap((line) => /^ {2}([a-z][a-z-]*) {2,}\S/.exec(line)?.[1] ?? [])
        const headings = all.filter((line) => /^[A-Z]/.test(line))

        assert.strictEqual(new Set(names).size, names.length)
        for (const name of ["serve", "dev", "status", "keys", "statement", "webhooks", "mcp"])
          assert.include(names, name)
        assert.deepStrictEqual(headings.slice(2, 7), ["RUN", "LOOK", "PROVE", "DATA", "KEYS, CONTRACTS AND WALLETS"])
        assert.strictEqual(headings.at(-1), "GLOBAL FLAGS")
        for (const command of ["serve", "export", "statement", "webhooks", "keys"]) {
          const { out } = yield* run(command, "--help")
          const long = [...all, ...out.split("\n")].filter((line) => line.length > 80)
          assert.deepStrictEqual(long, [])
        }
      }),
    timeout,
  )

  it.effect(
    "help, version and completion script: exit code 1 if standard output cannot be written",
    () =>
      Effect.gen(function* () {
        for (const args of [["--help"], ["keys", "--help"], ["--version"], ["--completions", "bash"]]) {
          assert.deepStrictEqual(yield* Effect.provideService(run(...args), ReadsOutput, false), {
            code: 1,
            out: "",
            err: "daybook: Cannot write standard output: ENOSPC: no space left on device, write.\n",
          })
        }
      }),
    timeout,
  )

  it.effect(
    "a completion script has the flags of every command",
    () =>
      Effect.gen(function* () {
        const { out } = yield* daybookProcess(import.meta.dirname, "--completions", "bash")

        for (const flag of ["--processes", "--follow", "--artifacts"]) assert.include(out, flag)
      }),
    timeout,
  )
})
