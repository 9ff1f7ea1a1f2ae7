/**
 * `daybook abi`: adds, lists and removes the ABIs used to decode contracts.
 */
import * as Contract from "@daybook/schema/Contract"
import { quote } from "@daybook/schema/Issue"
import { readFile, stat } from "node:fs/promises"
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as ContractAbi from "../contract/ContractAbi.ts"
import { type Contract as Stored, keyOf } from "../store/Contracts.ts"
import * as Engine from "../store/Engine.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

/** Source of these ABIs, as opposed to watched folders. */
const source = "command"

const open = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>) {
  const { baseFolder, config } = yield* ConfigFile.read(path)
  const served = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const chains = yield* Selection.select(served, names)
  return { chains, contracts: (yield* Engine.fromUrl(config.database, baseFolder)).contracts }
})

/** Opens the only chain of a command that writes. */
const openOne = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>) {
  const { chains, contracts } = yield* open(path, names)
  const [chain, ...others] = chains
  if (chain !== undefined && others.length === 0) return { chain, contracts }
  const message = `Several chains are configured: ${chains.map(({ name }) => name).join(", ")}. Name one with --chain.`
  return yield* new CommandError({ message })
})

const failed = (message: string) => new CommandError({ message })

const readItems = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: async () => ((await stat(file)).size > ContractAbi.maxBytes ? null : readFile(file, "utf8")),
    catch: () => failed(`Cannot read the ABI: ${file}. Check the path.`),
  })
  if (text === null)
    return yield* failed(`ABI file too large: ${file}. An ABI has at most ${ContractAbi.maxBytes} bytes.`)
  const { items } = yield* Effect.mapError(Effect.fromResult(ContractAbi.fromText(text)), ({ message }) =>
    failed(`${file}: ${message}`),
  )
  if (items.length > 0) return items
  return yield* failed(`Nothing to decode in the ABI: ${file}. Give one with functions, events or errors.`)
})

const decodeKey = Schema.decodeUnknownEffect(Contract.Key)
const isName = Schema.is(Contract.Name)
const nameForm = "a line of 1 to 100 visible characters"

/** Address of a key, or `null` if the key names a pack. */
const addressOf = (text: string): Effect.Effect<string | null, CommandError> =>
  decodeKey(text).pipe(
    Effect.map((key) => (key.startsWith("0x") ? key : null)),
    Effect.mapError(() => {
      const expected = `an address, or the name of a pack: ${nameForm} that does not begin with 0x`
      const message = `Invalid argument "contract": expected ${expected}, received ${quote(text)}.`
      return new CommandError({ message, isUsage: true })
    }),
  )

const contract = Argument.String("contract").pipe(
  Argument.withDescription("Address of the contract; any other text names a pack, which is tried for every contract"),
)
const chainFlag = Selection.chainFlag("Chain of the contract; required if several are configured")

const add = Command.make(
  "add",
  {
    contract,
    file: Argument.String("file").pipe(
      Argument.withDescription("JSON file with an ABI, or a Foundry or Hardhat artifact"),
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the contract; by default the name of the file"),
      Flag.optional,
    ),
    chain: chainFlag,
    config: Selection.configFlag,
  },
  Effect.fn(function* ({ chain: names, config, contract: key, file, name: given }) {
    const address = yield* addressOf(key)
    const items = yield* readItems(file)
    const { chain, contracts } = yield* openOne(config, names)
    const ownName = Option.getOrElse(given, () => basename(file).replace(/\.json$/i, "")).trim()
    const name = address === null ? key : ownName
    if (!isName(name)) return yield* invalidOption("--name", nameForm, quote(name))
    const abi = JSON.stringify(items)
    yield* contracts.put(chain, [{ address, name, source, abi, implementations: [] }])
    yield* Terminal.note(`Added ${Terminal.count(items.length, "item")} of ${quote(name)} to ${chain.name}.`)
  }, Effect.scoped),
).pipe(
  Command.withDescription("Add the ABI of a contract, or a pack for all contracts; running servers use it at once"),
)

const remove = Command.make(
  "remove",
  { contract, chain: chainFlag, config: Selection.configFlag },
  Effect.fn(function* ({ chain: names, config, contract: key }) {
    const address = yield* addressOf(key)
    const { chain, contracts } = yield* openOne(config, names)
    const removed = yield* contracts.remove(chain, [keyOf({ address, name: key })])
    if (removed.length === 0) {
      return yield* failed(`No ABI has this key: ${quote(key)}. "daybook abi list" lists them.`)
    }
    yield* Terminal.note(`Removed the ABI of ${quote(key)} from ${chain.name}.`)
  }, Effect.scoped),
).pipe(
  Command.withDescription("Remove an ABI; one in a watched folder is added again as long as the folder contains it"),
)

const lineOf = (chain: string, { abi, address, implementations, name, source: from }: Stored): string => {
  const count = (JSON.parse(abi) as ReadonlyArray<unknown>).length
  const proxy = implementations.at(-1)
  const parts = [chain, address ?? "pack", name, Terminal.count(count, "item"), from]
  return [...parts, ...(proxy === undefined ? [] : [`proxy of ${proxy.address}`])].join("\t")
}

const list = Command.make(
  "list",
  { chain: Selection.chainFlag("Chain to list; may be repeated; by default all"), config: Selection.configFlag },
  Effect.fn(function* ({ chain: names, config }) {
    const { chains, contracts } = yield* open(config, names)
    let count = 0
    for (const chain of chains) {
      for (const one of yield* contracts.list(chain)) {
        count += 1
        yield* Terminal.print(lineOf(chain.name, one))
      }
    }
    if (count === 0) yield* Terminal.note('No ABIs. Add one with "daybook abi add ADDRESS FILE".')
  }, Effect.scoped),
).pipe(Command.withDescription("List the contracts: chain, address, name, number of items, source, implementation"))

/** `daybook abi`. */
export const abi = Command.make("abi").pipe(Command.withSubcommands([add, list, remove]))
