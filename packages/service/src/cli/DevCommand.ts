/**
 * `daybook dev`: the explorer, the REST operations and the relay beside a local chain, without configuration and without an API key.
 */
import { quote } from "@daybook/schema/Issue"
import { visible } from "@daybook/schema/VisibleText"
import * as Endpoint from "@daybook/transport/Endpoint"
import { spawn } from "node:child_process"
import { statSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as AnvilProcess from "../dev/AnvilProcess.ts"
import * as DevConfig from "../dev/DevConfig.ts"
import * as DevServer from "../dev/DevServer.ts"
import * as LocalNode from "../dev/LocalNode.ts"
import { ListenError } from "../server/Listener.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Terminal from "./Terminal.ts"

const usualPort = 8545
const usualUrl = `http://127.0.0.1:${usualPort}`
const maxPort = 65_535

const failed = (message: string) => new CommandError({ message })

const parsePort = (given: Option.Option<string>): Effect.Effect<number | undefined, CommandError> => {
  const text = Option.getOrUndefined(given)
  if (text === undefined) return Effect.succeed(undefined)
  if (/^\d{1,5}$/.test(text) && Number(text) <= maxPort) return Effect.succeed(Number(text))
  return Effect.fail(invalidOption("--port", `a port from 0 to ${maxPort}`, quote(text)))
}

/** The named node, or else one on the usual port, or else one that is started. */
const findNode = Effect.fnUntraced(function* (rpc: string | undefined, isStarted: boolean) {
  const url = rpc?.trim() ?? usualUrl
  yield* Endpoint.make({ url, option: "--rpc" })
  const found = isStarted ? null : yield* LocalNode.find(url)
  if (found !== null) return found
  const { host } = new URL(url)
  if (!isStarted) {
    const remedy =
      rpc === undefined ? "Name it with --rpc URL, or start anvil with --chain." : "Start it, or correct --rpc."
    return yield* failed(`No node responds at ${host}. ${remedy}`)
  }
  const started = yield* Effect.mapError(AnvilProcess.start(process.cwd(), usualPort), ({ message }) => failed(message))
  const node = yield* LocalNode.find(started)
  return node ?? (yield* failed(`Anvil does not respond at ${new URL(started).host}.`))
})

/** Folders of projects. A missing folder is still watched, since it may appear with the first build. */
const foldersOf = Effect.fnUntraced(function* (artifacts: ReadonlyArray<string>) {
  for (const folder of artifacts) {
    const found = statSync(folder, { throwIfNoEntry: false })
    if (found === undefined)
      yield* Terminal.note(`Folder not found: "${visible(folder)}". Its contracts are named once it exists.`)
    else if (!found.isDirectory())
      return yield* invalidOption("--artifacts", "a folder", `the file "${visible(folder)}"`)
  }
  return artifacts.map((folder) => resolve(folder))
})

/** Opens a page in the user's browser. Without a browser, the URL is printed anyway. */
const openPage = (url: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const [program, ...before] = { darwin: ["open"], win32: ["cmd", "/c", "start"] }[process.platform as string] ?? [
      "xdg-open",
    ]
    const child = spawn(program!, [...before, url], { stdio: "ignore", detached: true })
    child.on("error", () => {})
    child.unref()
  })

const announce = Effect.fnUntraced(function* ({ chain, node, url }: DevServer.Running) {
  const { accounts, chainId, client, forkBlock } = node
  const fork = forkBlock === null ? "" : `, forked at block ${forkBlock}`
  yield* Terminal.note(
    `Connected to ${client}: chain ${chain} (${chainId})${fork}. No API key is needed on this machine.`,
  )
  yield* Terminal.note(`  REST      ${url}/api/v2.2/<address>/verbose?chain=${chain}`)
  yield* Terminal.note(`  RPC       ${url}/rpc/${chain}`)
  if (accounts.length > 0) {
    yield* Terminal.note(`  Accounts  Account 0 to Account ${accounts.length - 1}; the first is ${accounts[0]}`)
  }
  yield* Terminal.print(`${url}/?chain=${encodeURIComponent(chain)}`)
})

/** Advice for a port in use, which refers to the option, since there is no configuration. */
const unlistened = ({ problem }: ListenError) =>
  Effect.fail(new ListenError({ problem, remedy: "Name another port with --port." }))

/** `daybook dev`. */
export const dev = Command.make(
  "dev",
  {
    rpc: Flag.String("rpc").pipe(
      Flag.withDescription(`URL of the node; by default ${usualUrl}`),
      Flag.withMetavar("URL"),
      Flag.optional,
    ),
    chain: Flag.Boolean("chain").pipe(
      Flag.withDescription("Start a chain: anvil on port 8545, stopped when the command ends"),
      Flag.withDefault(false),
    ),
    port: Flag.String("port").pipe(
      Flag.withDescription("Port of the explorer and the API; by default 8080, or a free port"),
      Flag.withMetavar("N"),
      Flag.optional,
    ),
    artifacts: Flag.String("artifacts").pipe(
      Flag.withDescription(
        "Folder of a Foundry or Hardhat project; may be repeated; by default the current folder, if it is a project",
      ),
      Flag.withMetavar("FOLDER"),
      Flag.atLeast(0),
    ),
    open: Flag.Boolean("open").pipe(Flag.withDescription("Open the explorer in the browser"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ artifacts, chain, open, port: givenPort, rpc }) {
    Shutdown.complete()
    const port = yield* parsePort(givenPort)
    const url = Option.getOrUndefined(rpc)
    if (chain && url !== undefined) {
      const message = "Both --rpc and --chain are given. Give one of them."
      return yield* new CommandError({ message, isUsage: true })
    }
    const folders = yield* foldersOf(artifacts)
    const node = yield* findNode(url, chain)
    const output = yield* Terminal.Output
    let isOpened = !open
    return yield* DevServer.run(node, {
      url: node.url,
      port,
      artifacts: folders.length > 0 ? folders : DevConfig.projectsOf(process.cwd()),
      onLine: (line) => output.note(visible(line)),
      onReady: (running) =>
        Effect.gen(function* () {
          // The server is useful even if nothing reads its output.
          yield* Effect.ignore(announce(running))
          if (isOpened) return
          isOpened = true
          yield* openPage(`${running.url}/?chain=${encodeURIComponent(running.chain)}`)
        }),
    }).pipe(Effect.catchTag("ListenError", unlistened))
  }, Effect.scoped),
)
