/**
 * Documentation of the REST operations and their parameters. It is separate from the operations so that clients do not download it.
 */
import * as Address from "../Address.ts"
import * as Chain from "../Chain.ts"
import { kinds } from "../Movement.ts"
import type * as ExplorerOperation from "../ExplorerOperation.ts"
import { maxErrorBytes, maxNames } from "../NameLookup.ts"
import { maxLimit } from "../NameSearch.ts"
import type * as ChangeOperation from "../ChangeOperation.ts"
import type * as RestOperation from "../RestOperation.ts"
import { rowTypes } from "../WalletEvent.ts"
import type * as WebhookOperation from "../WebhookOperation.ts"

/** A JSON Schema, as OpenAPI shows it. */
export type JsonSchema =
  | { readonly [key: string]: JsonSchema }
  | ReadonlyArray<JsonSchema>
  | string
  | number
  | boolean
  | null

/** Documentation of a parameter. */
export interface Parameter {
  /** One or two sentences. */
  readonly description: string
  /** Type, bounds and default of the value that the text represents. */
  readonly jsonSchema: JsonSchema
}

/** Documentation of an operation. */
export interface Operation {
  readonly title: string
  /** One sentence. */
  readonly description: string
}

type Documented = RestOperation.All & RestOperation.Streams

/** Names of the parameters of all operations. */
type ParameterName = {
  readonly [N in keyof Documented]:
    | (keyof Documented[N]["params"]["fields"] & string)
    | RestOperation.ParameterName<Documented[N]>
}[keyof Documented]

const blockNumber: JsonSchema = { type: "integer", format: "int64", minimum: 0 }

const chainForms: JsonSchema = {
  anyOf: [
    { type: "string", enum: Chain.all.filter((chain) => chain.identifier !== null).map((chain) => chain.name) },
    { type: "string", enum: [...new Set(Chain.all.flatMap((chain) => chain.identifier ?? []))] },
    { type: "string", title: "any other spelling of a name or form of an identifier" },
  ],
  default: "eth",
}

/** The parameters by name. */
export const parameters: { readonly [N in ParameterName | "contract"]: Parameter } = {
  contract: {
    description:
      "Address of the contract or account, in any case; any other text is the name of a pack, which has no address.",
    jsonSchema: { type: "string" },
  },
  address: {
    description: "The wallet, in any case.",
    jsonSchema: { type: "string", pattern: Address.pattern.source, title: "an address of 20 bytes in hex" },
  },
  chain: {
    description: "Chain by name (eth) or identifier (0x1). Default eth.",
    jsonSchema: chainForms,
  },
  from_block: {
    description: "First block, inclusive. Takes precedence over from_date.",
    jsonSchema: blockNumber,
  },
  to_block: {
    description: "Last block, inclusive. Takes precedence over to_date.",
    jsonSchema: blockNumber,
  },
  from_date: {
    description: "Start date: the first block at or after it. Any format of the moment library, in UTC.",
    jsonSchema: { type: "string" },
  },
  to_date: {
    description: "End date: the last block at or before it. Any format of the moment library, in UTC.",
    jsonSchema: { type: "string" },
  },
  cursor: {
    description: "The cursor of the previous page.",
    jsonSchema: { type: "string" },
  },
  include: {
    description: "internal_transactions adds the internal transactions of each transaction.",
    jsonSchema: { type: "string", enum: ["internal_transactions"] },
  },
  scope: {
    description:
      "direct (default): transactions that the wallet sent or received, or that created it. all: transactions in which it appears in any role.",
    jsonSchema: { type: "string", enum: ["direct", "all"], default: "direct" },
  },
  asset: {
    description: "native, a token address, or several of them separated by commas, at most 20. Default: all assets.",
    jsonSchema: { type: "string" },
  },
  kind: {
    description: `Kinds of movements, separated by commas: ${kinds.join(", ")}. Default: all kinds.`,
    jsonSchema: { type: "string" },
  },
  direction: {
    description: "in: what the wallet received. out: what it paid. Default: both.",
    jsonSchema: { type: "string", enum: ["in", "out"] },
  },
  from: {
    description:
      "Where the events start: a block number, a date in any format of the moment library, a cursor, or now (default). Last-Event-ID takes precedence.",
    jsonSchema: { type: "string", default: "now" },
  },
  finality: {
    description:
      "head (default): rows of every stored block, and a void if a reorg removes it. final: only rows of final blocks.",
    jsonSchema: { type: "string", enum: ["head", "final"], default: "head" },
  },
  types: {
    description: `Types of rows, separated by commas: ${rowTypes.join(", ")}. Default: all.`,
    jsonSchema: { type: "string" },
  },
  role: {
    description: "Only operations in which the wallet has this role. Default: any role.",
    jsonSchema: { type: "string", enum: ["operation_sender", "paymaster", "bundler"] },
  },
  limit: {
    description: "Maximum number of rows on a page, from 1.",
    jsonSchema: { type: "integer", minimum: 1 },
  },
  order: {
    description: "DESC newest first (default), ASC oldest first; any case.",
    jsonSchema: { type: "string", enum: ["ASC", "DESC"], default: "DESC" },
  },
}

/** Documentation of a parameter that is a list of names. */
const listOf = (what: string): Parameter => ({
  description: `${what}, in lower case, separated by commas, at most ${maxNames}.`,
  jsonSchema: { type: "string" },
})

/** Parameters of the explorer's operations, some of which share names with others. */
export const explorerParameters: {
  readonly [N in ExplorerOperation.Name]: {
    readonly [
      P in keyof ExplorerOperation.All[N]["params"]["fields"] | RestOperation.ParameterName<ExplorerOperation.All[N]>
    ]: Parameter
  }
} = {
  names: {
    chain: parameters.chain,
    address: listOf("Addresses"),
    call: listOf("Calls, each as an address, a colon and a selector"),
    error: listOf(`Errors, each as an address, a colon and data of at most ${maxErrorBytes} bytes`),
  },
  search: {
    q: {
      description: "Part of a name, the start of a symbol, or an address.",
      jsonSchema: { type: "string", minLength: 1, maxLength: 100 },
    },
    chain: parameters.chain,
    limit: {
      description: "Maximum number of addresses.",
      jsonSchema: { type: "integer", minimum: 1, maximum: maxLimit, default: 20 },
    },
  },
  contract: {
    contract: {
      description: "The contract, in any case.",
      jsonSchema: parameters.address.jsonSchema,
    },
    chain: parameters.chain,
  },
  settings: {},
  ready: {
    chain: {
      description: "Chain by name (eth) or identifier (0x1). Default: the server and all of its chains.",
      jsonSchema: { type: "string" },
    },
  },
}

/** Parameters of the operations on webhooks. */
export const webhookParameters = {
  webhook: {
    description: "Id of the webhook.",
    jsonSchema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,60}$" },
  },
  result: {
    description: "failed: only failed attempts. Default: all.",
    jsonSchema: { type: "string", enum: ["all", "failed"], default: "all" },
  },
  after: {
    description: "Returns addresses after this one: the next of the previous page. Default: from the first one.",
    jsonSchema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** The operations by name. */
export const operations: {
  readonly [
    N in
      | RestOperation.Name
      | keyof RestOperation.Streams
      | keyof ChangeOperation.All
      | WebhookOperation.Name
      | ExplorerOperation.Name
  ]: Operation
} = {
  walletTransactions: {
    title: "Get wallet transactions (decoded, verbose)",
    description:
      "Native transactions of one wallet address with logs, decoded events, decoded calls, address labels and, on request, internal transactions.",
  },
  movements: {
    title: "Get the movements of a wallet",
    description:
      "Each change of the holdings of one wallet address, as a signed amount: fees, values, internal transfers, tokens, withdrawals, rewards.",
  },
  userOperations: {
    title: "Get the user operations of a wallet",
    description:
      "ERC-4337 user operations in which one wallet address is the sender, the paymaster or the bundler, with their outcome and cost.",
  },
  balances: {
    title: "Get the balances of a wallet",
    description: "Balances of one wallet address by asset at a block, as the sums of its movements.",
  },
  statement: {
    title: "Get the statement of a wallet",
    description: "Opening balances, sums of movements by asset and kind, and closing balances of one wallet address.",
  },
  signedStatement: {
    title: "Get a signed statement of a wallet",
    description:
      "The statement of one wallet address over final blocks, signed by the service: anyone can verify it with `daybook verify-statement` and an archive node.",
  },
  walletEvents: {
    title: "Listen to the events of a wallet",
    description:
      "Server-sent events of one wallet address: rows of its transactions and movements, voids after a reorg, finality, and the block up to which everything was sent.",
  },
  putContract: {
    title: "Describe a contract",
    description:
      "Names an address and registers an ABI with which its calls and events are decoded, or adds a pack of items for every contract. Only for API keys that allow the operation.",
  },
  removeContract: {
    title: "Remove the description of a contract",
    description: "Removes the name and the ABI of an address, or a pack. Only for API keys that allow the operation.",
  },
  proveWallet: {
    title: "Compare a wallet with the chain",
    description:
      "Starts the comparison of a wallet's sums with the state of the chain; later requests report its progress, then its result. Only for API keys that allow the operation.",
  },
  listWebhooks: {
    title: "List webhooks",
    description: "The webhooks of the API key with their state; for an operator key, all webhooks.",
  },
  createWebhook: {
    title: "Create a webhook",
    description:
      "Sends the events of wallets to a URL, signed according to Standard Webhooks. The response has the secret, which is shown once.",
  },
  getWebhook: {
    title: "Get a webhook",
    description: "What a webhook sends, to whom, its state, and its last attempt.",
  },
  removeWebhook: {
    title: "Remove a webhook",
    description: "Removes a webhook with its secret and its position.",
  },
  pauseWebhook: {
    title: "Pause a webhook",
    description: "Pauses a webhook until it is resumed. Its position is kept.",
  },
  resumeWebhook: {
    title: "Resume a webhook",
    description: "Resumes a webhook immediately, from where it was paused or failed.",
  },
  testWebhook: {
    title: "Test a webhook",
    description: "Sends a message of type test before the next one.",
  },
  replayWebhook: {
    title: "Replay a webhook",
    description: "Sends the rows again from a block, a date or a cursor, and resumes the webhook.",
  },
  rotateWebhook: {
    title: "Rotate the secret of a webhook",
    description: "Creates a new secret, which is shown once. The previous one also signs for a limited time.",
  },
  changeWebhookAddresses: {
    title: "Change the addresses of a webhook",
    description: "Adds wallets, whose rows start at a block, a date or now, and removes others.",
  },
  listWebhookAddresses: {
    title: "List the addresses of a webhook",
    description: "The wallets of a webhook ordered by address, up to 1,000 per page.",
  },
  webhookDeliveries: {
    title: "List the deliveries of a webhook",
    description: "The last 50 attempts, newest first, with the receiver's response.",
  },
  names: {
    title: "Get names",
    description: "Labels of addresses, functions by selector, and errors by data, in the order of the parameters.",
  },
  search: {
    title: "Search addresses by name",
    description: "Labels, described contracts and tokens whose names match a text, best matches first.",
  },
  contract: {
    title: "Get the ABI of a contract",
    description: "Name and ABI of a described contract and, for a proxy, of its implementation.",
  },
  settings: {
    title: "Get the settings of the explorer",
    description: "Chains of the server, and whether its pages require an API key. This operation requires none.",
  },
  ready: {
    title: "Get the status of the indexes",
    description:
      "Whether the server can answer and how far the index of each chain reaches, or whether the index of one chain follows its node. Requires no API key.",
  },
}

/** Documentation of errors, by HTTP status. */
export const errors: Readonly<Record<string, string>> = {
  "400": "Invalid request.",
  "401": "Missing or unknown API key.",
  "403": "API key without permission for this request.",
  "404": "Unknown path.",
  "405": "HTTP method that the path does not support.",
  "409": "Cursor whose block was removed by a reorg.",
  "413": "Request body that exceeds the limit of the server.",
  "429": "Exceeded rate limit of the API key.",
  "500": "Internal error of the server.",
  "503": "Server temporarily unavailable.",
}
