/**
 * `daybook webhooks`: adds webhooks, lists them with their state, and pauses, resumes, tests, replays, rotates and removes them. A running
 * service notices changes within a second.
 *
 * Source: decision 0073.
 */
import { readFileSync } from "node:fs"
import { quote } from "@daybook/schema/Issue"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as Webhook from "../push/Webhook.ts"
import * as WebhookBeginning from "../push/WebhookBeginning.ts"
import * as WebhookKey from "../push/WebhookKey.ts"
import * as WebhookRequest from "../push/WebhookRequest.ts"
import * as Coverage from "../query/Coverage.ts"
import * as IndexedChain from "../query/IndexedChain.ts"
import * as Engine from "../store/Engine.ts"
import type { Webhooks } from "../store/Webhooks.ts"
import { notBegun, type WalletChanges } from "../store/WebhookWallets.ts"
import { shellWord } from "../supervision/ShellWord.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as KeyFlags from "./KeyFlags.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"
import * as WalletFlags from "./WalletFlags.ts"

/** Maximum number of wallets of a webhook in JSON output. */
const shownAddresses = 100
/** Number of wallets added or removed in one change of the database. */
const changedAtOnce = 1_000

const failed = (message: string) => new CommandError({ message })

const open = Effect.fnUntraced(function* (path: string) {
  const { baseFolder, config } = yield* ConfigFile.read(path)
  if (config.webhooks === undefined) {
    return yield* failed(`Webhooks are not configured: ${path}. Set "webhooks", for example to {}.`)
  }
  const chains = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const database = yield* Engine.fromUrl(config.database, baseFolder)
  const settings = yield* WebhookKey.settingsOf(config.webhooks, config.database, baseFolder)
  return { settings, chains, database, store: database.webhooks }
})

const nameArgument = Argument.String("name").pipe(Argument.withDescription("Name of the webhook"))
const flags = { name: nameArgument, config: Selection.configFlag }

const noWebhook = (name: string) =>
  failed(`No webhook has this name: ${quote(name)}. "daybook webhooks list" lists the names.`)

const attempts = 10

/** Changes a webhook, retrying if the service changed it meanwhile; returns the result of the change. */
const changeStored = Effect.fnUntraced(function* <A>(
  store: Webhooks,
  name: string,
  make: (webhook: Webhook.Webhook) => readonly [Webhook.Webhook, A, WalletChanges?],
) {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = yield* store.find(name)
    if (stored === null) return yield* noWebhook(name)
    const [next, given, wallets] = make(yield* Webhook.decode(stored.content))
    if (yield* store.change(name, stored.revision, Webhook.encode(next), wallets)) return given
  }
  return yield* failed(`Webhook changed meanwhile: ${quote(name)}. Run the command again.`)
})

/** Changes a webhook of a configuration. */
const change = Effect.fnUntraced(function* <A>(
  config: string,
  name: string,
  make: (webhook: Webhook.Webhook, key: string) => readonly [Webhook.Webhook, A, WalletChanges?],
) {
  const { settings, store } = yield* open(config)
  return yield* changeStored(store, name, (webhook) => make(webhook, settings.key))
})

/** Rejects wallets that are not indexed, since their webhook would be paused. */
const checkWatched = Effect.fnUntraced(function* (chain: IndexedChain.IndexedChain, wallets: ReadonlyArray<string>) {
  // Until the indexer has created the index, the configured wallets apply.
  const read = chain.reader.snapshot((snapshot) => snapshot.checkpoint)
  const checkpoint = yield* Effect.catchTag(read, "StoreError", () => Effect.succeed(null))
  for (const wallet of wallets) {
    yield* Effect.catchTag(Coverage.checkWallet(chain, checkpoint, wallet), "NotWatched", () =>
      failed(
        `Wallet not watched: ${wallet}. Watch it with "daybook watch add ${wallet} --chain ${shellWord(chain.name)}", or leave it out.`,
      ),
    )
  }
})

/** Wallets with the positions where their rows start. Without an index, all rows are in the future, and the service finds the positions. */
const begun = (
  chain: IndexedChain.IndexedChain,
  webhook: Pick<Webhook.Webhook, "finality" | "from">,
  wallets: ReadonlyArray<string>,
) =>
  Effect.catchTag(WebhookBeginning.begun(chain, webhook, wallets), "StoreError", () =>
    Effect.succeed(wallets.map(notBegun)),
  )

const checkCount = (
  { addressesPerWebhook }: Pick<WebhookKey.Settings, "addressesPerWebhook">,
  count: number,
): Effect.Effect<void, CommandError> =>
  count <= addressesPerWebhook
    ? Effect.void
    : Effect.fail(
        failed(
          `Too many wallets: ${count}. A webhook has at most ${addressesPerWebhook} (webhooks.addressesPerWebhook).`,
        ),
      )

const showSecrets = Effect.fnUntraced(function* ({ publicKey, secret }: Webhook.Secrets) {
  yield* Terminal.note(`Public key, for receivers that verify ed25519: ${publicKey}`)
  yield* Terminal.note("The secret is shown once:")
  yield* Terminal.printSecret(secret, {
    what: "The secret",
    remedy: 'Make another with "daybook webhooks rotate".',
  })
})

const add = Command.make(
  "add",
  {
    ...flags,
    addresses: Argument.String("ADDRESS").pipe(Argument.withDescription("Address of a wallet"), Argument.atLeast(1)),
    url: Flag.String("url").pipe(Flag.withDescription("Where messages are sent: an https URL")),
    chain: Selection.chainFlag("Chain of the wallets; required if several are configured"),
    from: Selection.blockFlag("First block whose rows are sent; by default the next one"),
    types: Flag.Literals("type", WalletEvent.rowTypes).pipe(
      Flag.withDescription("Type of rows to send; may be repeated; by default all types"),
      Flag.atLeast(0),
    ),
    final: Flag.Boolean("final").pipe(
      Flag.withDescription("Send rows only once their block is final, so that no reorg reverts them"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ addresses, chain: names, config, final, from, name, types, url }) {
    const { chains, database, settings, store } = yield* open(config)
    const issue = WebhookRequest.issueOf(url, settings)
    if (issue !== null) return yield* invalidOption("--url", issue, "other text")
    if (!/^[\w-]{1,60}$/.test(name)) {
      return yield* failed(
        `Invalid argument "name": expected 1 to 60 letters, digits, hyphens and underscores, received ${quote(name)}.`,
      )
    }
    const [chain, ...others] = yield* Selection.select(chains, names)
    if (chain === undefined || others.length > 0) {
      return yield* failed(
        `Several chains are configured: ${chains.map((one) => one.name).join(", ")}. Name one with --chain.`,
      )
    }
    const wallets = yield* WalletFlags.parseAddresses(addresses)
    yield* checkCount(settings, wallets.length)
    const indexed = IndexedChain.fromDatabase(database)(chain)
    yield* checkWatched(indexed, wallets)
    const [webhook, secrets] = yield* Webhook.make(settings.key, {
      url,
      chain: chain.name,
      types: types.length === 0 ? WalletEvent.rowTypes : types,
      finality: final ? "final" : "head",
      from: (yield* Selection.parseBlock(from)) ?? "now",
    })
    if (!(yield* store.add(name, Webhook.encode(webhook), yield* begun(indexed, webhook, wallets)))) {
      return yield* failed(`A webhook with this name exists: ${quote(name)}. Choose another name, or remove that one.`)
    }
    yield* showSecrets(secrets)
  }, Effect.scoped),
).pipe(Command.withDescription("Add a webhook; its secret is the only line on standard output"))

/** The addresses in a file, one per line. */
const addressesIn = Effect.fnUntraced(function* (file: Option.Option<string>) {
  if (Option.isNone(file)) return []
  const text = yield* Effect.try({
    try: () => readFileSync(file.value, "utf8"),
    catch: () => invalidOption("--file", "a file that can be read", file.value),
  })
  return text.split(/\s+/).filter((word) => word !== "")
})

/** Those of some wallets that belong to a webhook. */
const presentOf = (store: Webhooks, name: string, wallets: ReadonlyArray<string>) =>
  Effect.map(store.walletsOf(name, { among: wallets }), (rows) => new Set(rows.map(({ wallet }) => wallet)))

const addressFlags = {
  ...flags,
  addresses: Argument.String("ADDRESS").pipe(Argument.withDescription("Address of a wallet"), Argument.atLeast(0)),
  file: Flag.String("file").pipe(
    Flag.withDescription("File with more addresses, one per line"),
    Flag.withMetavar("FILE"),
    Flag.optional,
  ),
}

/** Splits wallets into batches for single changes of the database. */
const partsOf = (wallets: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(wallets.length / changedAtOnce) }, (_, at) =>
    wallets.slice(at * changedAtOnce, (at + 1) * changedAtOnce),
  )

const watch = Command.make(
  "watch",
  addressFlags,
  Effect.fn(function* ({ addresses, config, file, name }) {
    const { chains, database, settings, store } = yield* open(config)
    const wallets = yield* WalletFlags.parseAddresses([...addresses, ...(yield* addressesIn(file))])
    const stored = yield* store.find(name)
    if (stored === null) return yield* noWebhook(name)
    const { chain: chainName, from } = yield* Webhook.decode(stored.content)
    const chain = chains.find((one) => one.name === chainName)
    if (chain === undefined) return yield* failed(`The chain of the webhook is not configured: ${chainName}.`)
    const indexed = IndexedChain.fromDatabase(database)(chain)
    yield* checkWatched(indexed, wallets)
    for (const part of partsOf(wallets)) {
      const present = yield* presentOf(store, name, part)
      const added = part.filter((wallet) => !present.has(wallet))
      if (added.length === 0) continue
      const before = (yield* store.find(name)) ?? stored
      yield* checkCount(settings, before.wallets + added.length)
      const begins = yield* begun(indexed, yield* Webhook.decode(before.content), added)
      yield* changeStored(store, name, (webhook) => [webhook, undefined, { add: begins }])
    }
    const { wallets: count } = (yield* store.find(name)) ?? stored
    const beginning = from === "now" ? "now" : `with block ${from}`
    yield* Terminal.note(
      `${Terminal.count(count, "wallet")} in ${quote(name)}; rows of new wallets begin ${beginning}.`,
    )
  }, Effect.scoped),
).pipe(Command.withDescription("Add wallets to a webhook"))

const unwatch = Command.make(
  "unwatch",
  addressFlags,
  Effect.fn(function* ({ addresses, config, file, name }) {
    const { store } = yield* open(config)
    const wallets = yield* WalletFlags.parseAddresses([...addresses, ...(yield* addressesIn(file))])
    const stored = yield* store.find(name)
    if (stored === null) return yield* noWebhook(name)
    const parts = partsOf(wallets)
    let present = 0
    for (const part of parts) present += (yield* presentOf(store, name, part)).size
    if (present > 0 && present >= stored.wallets) {
      return yield* failed(
        `No wallet would be left in ${quote(name)}. Remove the webhook with "daybook webhooks remove ${name}".`,
      )
    }
    for (const part of parts) {
      const removed = new Set(part)
      yield* changeStored(store, name, (webhook) => [Webhook.without(webhook, removed), undefined, { remove: part }])
    }
    const { wallets: count } = (yield* store.find(name)) ?? stored
    yield* Terminal.note(`${Terminal.count(count, "wallet")} in ${quote(name)}.`)
  }, Effect.scoped),
).pipe(Command.withDescription("Remove wallets from a webhook"))

const stateOf = ({ attempts: { failures, nextAt, paused }, pending }: Webhook.Webhook): string => {
  if (paused !== null) return `paused: ${paused}`
  if (failures > 0) return `failing: ${Terminal.count(failures, "attempt")}, next at ${new Date(nextAt).toISOString()}`
  return pending === null ? "idle" : "sending"
}

const list = Command.make(
  "list",
  {
    config: Selection.configFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object per webhook"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ config, json }) {
    const { store } = yield* open(config)
    const found = yield* store.list
    if (found.length === 0) yield* Terminal.note('No webhooks. Add one with "daybook webhooks add".')
    const first = yield* store.firstWallets(
      found.map(({ name }) => name),
      shownAddresses,
    )
    for (const { content, name, wallets: address_count } of found) {
      const decoded = yield* Effect.result(Webhook.decode(content))
      if (Result.isFailure(decoded)) {
        const { message: state } = decoded.failure
        yield* Terminal.print(json ? JSON.stringify({ name, address_count, state }) : `${name}\t${state}`)
        continue
      }
      const webhook = decoded.success
      const { chain, delivered, log, publicKey: public_key, url } = webhook
      const last = log.at(-1) ?? null
      const state = stateOf(webhook)
      if (json) {
        const addresses = first.get(name) ?? []
        const row = { name, url, chain, addresses, address_count, public_key, state, delivered, last }
        yield* Terminal.print(JSON.stringify(row))
        continue
      }
      const attempt =
        last === null ? "nothing sent yet" : `${Webhook.resultText(last)} at ${new Date(last.at).toISOString()}`
      const wallets = Terminal.count(address_count, "wallet")
      yield* Terminal.print([name, url, `${wallets} on ${chain}`, state, `${delivered} delivered`, attempt].join("\t"))
    }
  }, Effect.scoped),
).pipe(Command.withDescription("List the webhooks with their state and their last attempt"))

/** Makes a command that changes a webhook and prints a line. */
const changing = <Name extends string>(
  command: Name,
  description: string,
  done: string,
  make: (webhook: Webhook.Webhook) => Webhook.Webhook,
) =>
  Command.make(
    command,
    flags,
    Effect.fn(function* ({ config, name }) {
      yield* change(config, name, (webhook) => [make(webhook), undefined])
      yield* Terminal.note(done)
    }, Effect.scoped),
  ).pipe(Command.withDescription(description))

const pause = changing("pause", "Pause a webhook until it is resumed", "Paused.", (webhook) =>
  Webhook.paused(webhook, "The operator paused it."),
)

const resume = changing("resume", "Resume a webhook where it was paused, at once", "Resumed.", Webhook.resumed)

const test = changing(
  "test",
  "Send a test message before the next message",
  'A test message is sent; see "daybook webhooks list".',
  (webhook) => ({
    ...webhook,
    test: webhook.test ?? Webhook.newId(),
  }),
)

const replay = Command.make(
  "replay",
  { ...flags, from: Selection.blockFlag("First block whose rows are sent again") },
  Effect.fn(function* ({ config, from, name }) {
    const block = yield* Selection.parseBlock(from)
    if (block === undefined) return yield* invalidOption("--from", "a block number", "none")
    yield* change(config, name, (webhook) => {
      const [next, wallets] = Webhook.replayed(webhook, block)
      return [next, undefined, wallets]
    })
    yield* Terminal.note(`Rows from block ${block} on are sent again.`)
  }, Effect.scoped),
).pipe(Command.withDescription("Send the rows from a block onwards again"))

const rotate = Command.make(
  "rotate",
  {
    ...flags,
    keep: Flag.String("keep").pipe(
      Flag.withDescription("How long the previous secret also signs: 0s, 30m, 12h, 90d; by default 1d"),
      Flag.withMetavar("TIME"),
      Flag.withDefault("1d"),
    ),
  },
  Effect.fn(function* ({ config, keep, name }) {
    const millis = KeyFlags.parseDuration(keep)
    if (millis === undefined) return yield* invalidOption("--keep", "a time such as 0s, 30m, 12h or 90d", quote(keep))
    const nowMillis = yield* Clock.currentTimeMillis
    const until = nowMillis + millis
    const secrets = yield* change(config, name, (webhook, key) => Webhook.rotate(key, webhook, { nowMillis, until }))
    yield* Terminal.note(`The previous secret also signs until ${new Date(until).toISOString()}.`)
    yield* showSecrets(secrets)
  }, Effect.scoped),
).pipe(Command.withDescription("Create a new secret; the previous one also signs for a while"))

const remove = Command.make(
  "remove",
  flags,
  Effect.fn(function* ({ config, name }) {
    const { store } = yield* open(config)
    if (!(yield* store.remove(name))) return yield* noWebhook(name)
    yield* Terminal.note(`Removed ${quote(name)}; nothing more is sent to it.`)
  }, Effect.scoped),
).pipe(Command.withDescription("Remove a webhook with its secret and its position"))

/** `daybook webhooks`. */
export const webhooks = Command.make("webhooks").pipe(
  Command.withSubcommands([add, list, watch, unwatch, pause, resume, test, replay, rotate, remove]),
)
