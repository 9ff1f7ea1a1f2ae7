/**
 * `daybook config check`: reads the configuration as `daybook serve` would, and reports all of its issues.
 */
import { existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { format } from "@daybook/schema/Issue"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Command from "effect/cli/Command"
import * as DatabaseTls from "../config/DatabaseTls.ts"
import * as DatabaseUrl from "../config/DatabaseUrl.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import { InvalidConfig } from "../config/InvalidConfig.ts"
import * as Listen from "../config/Listen.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as SignatureDirectory from "../contract/SignatureDirectory.ts"
import * as Certificate from "../server/Certificate.ts"
import * as Listener from "../server/Listener.ts"
import * as SigningKey from "../signed/SigningKey.ts"
import * as WebhookKey from "../push/WebhookKey.ts"
import * as ConfigFlags from "./ConfigFlags.ts"
import * as Terminal from "./Terminal.ts"

/** Issue of a key, from an error's text. */
const issueOf =
  (path: string) =>
  ({ message }: { readonly message: string }) =>
    new InvalidConfig({ found: [{ path, message }] })

/** Longest prefix of a path that exists. */
const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)))

/** Rejects a folder that cannot be created because a file is in its place or above it. */
const checkFolder = (folder: string): Effect.Effect<void, InvalidConfig> => {
  const found = existing(folder)
  if (statSync(found).isDirectory()) return Effect.void
  const issue = { path: "database", expected: "a folder", received: `the file ${found}` }
  return Effect.fail(issueOf("database")({ message: format("configuration", issue) }))
}

const readTls = ({ baseFolder }: Pick<ConfigFile.ConfigFile, "baseFolder">, { cert, key }: Listener.TlsFiles) =>
  Listener.readTls({ cert: resolve(baseFolder, cert), key: resolve(baseFolder, key) })

/** Reads the files named by a configuration, as the service does at startup; fails with all of their issues. */
const checkFiles = Effect.fnUntraced(
  function* ({
    baseFolder,
    config: { database, listen, monitoring = listen, signatures, signingKey, tls, webhooks },
  }: ConfigFile.ConfigFile): Effect.fn.Return<void, InvalidConfig> {
    const inFolder = (path: string) => resolve(baseFolder, path)
    const folder = DatabaseUrl.folderOf(database, baseFolder)
    const checkSocket = (key: string, at: Listen.Listen) =>
      Listener.checkSocket({ key, listen: Listen.inFolder(at, baseFolder) })
    const urls = DatabaseUrl.urlsOf(database)
    const checkCertificates = (url: string) =>
      Effect.mapError(Effect.fromResult(DatabaseTls.read(url, baseFolder)), (message) =>
        issueOf("database")({ message }),
      )
    const reads: ReadonlyArray<Effect.Effect<unknown, InvalidConfig>> = [
      checkSocket("listen", listen),
      monitoring === listen ? Effect.void : checkSocket("monitoring", monitoring),
      ...(folder === undefined ? urls.map(checkCertificates) : [checkFolder(folder)]),
      signatures === undefined ? Effect.void : SignatureDirectory.read(inFolder(signatures)),
      signingKey === undefined ? Effect.void : SigningKey.readConfigured(inFolder(signingKey)),
      tls === undefined ? Effect.void : readTls({ baseFolder }, tls),
      webhooks === undefined ? Effect.void : Effect.fromResult(WebhookKey.check(webhooks, database, baseFolder)),
    ]
    const results = yield* Effect.forEach(reads, Effect.result)
    const found = results.flatMap((result) => (Result.isFailure(result) ? result.failure.found : []))
    if (found.length > 0) return yield* new InvalidConfig({ found })
  },
  Effect.provideService(References.MinimumLogLevel, "None"),
)

const check = Command.make(
  "check",
  ConfigFlags.flags,
  Effect.fn(function* (flags) {
    const source = yield* ConfigFlags.sourceOf(flags)
    const file = yield* ConfigFile.load(source)
    yield* checkFiles(file)
    const { config: checked, path } = file
    const { chains, listen } = checked
    const names = (yield* Effect.fromResult(ServedChain.fromChains(chains))).map(({ name }) => name)
    yield* Terminal.print(
      `${path ?? "The configuration"} is valid: ${names.join(", ")}; listens on ${Listen.format(listen)}`,
    )
    const warning = Listen.plainTextWarning(checked)
    if (warning !== undefined) yield* Terminal.print(warning)
    if (checked.tls === undefined) return
    const { cert } = yield* readTls(file, checked.tls)
    const { isValid, text } = Certificate.validityAt(yield* Clock.currentTimeMillis, cert)
    if (!isValid) yield* Terminal.print(text)
  }),
).pipe(
  Command.withDescription("List everything that is wrong with the configuration, one issue per line; changes nothing"),
)

/** `daybook config`. */
export const config = Command.make("config").pipe(Command.withSubcommands([check]))
