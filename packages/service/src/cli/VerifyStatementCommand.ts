/**
 * `daybook verify-statement`: verifies a signed statement with an archive node, without an index or a configuration.
 */
import { readFile, stat } from "node:fs/promises"
import { quote } from "@daybook/schema/Issue"
import type * as SignedStatement from "@daybook/schema/SignedStatement"
import { visibleLine } from "@daybook/schema/VisibleText"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ErrorCode from "../config/ErrorCode.ts"
import * as NodeConnection from "../discovery/NodeConnection.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import * as StatementCheck from "../signed/StatementCheck.ts"
import * as StatementFile from "../signed/StatementFile.ts"
import * as Statement from "../statement/Statement.ts"
import * as StatementFormat from "../statement/StatementFormat.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as Terminal from "./Terminal.ts"
import * as WalletFlags from "./WalletFlags.ts"

const readText = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: async () => ((await stat(file)).size > StatementFile.maxLength ? null : readFile(file, "utf8")),
    catch: (cause) => new CommandError({ message: `File not readable: ${file} (${ErrorCode.reasonOf(cause)}).` }),
  })
  if (text !== null) return text
  const message = `File too large: ${file}. A statement has at most ${StatementFile.maxLength} bytes.`
  return yield* new CommandError({ message })
})

const parseKey = (given: Option.Option<string>) => {
  const key = Option.getOrUndefined(given)?.toLowerCase()
  return key === undefined || /^0x[0-9a-f]{64}$/.test(key)
    ? Effect.succeed(key)
    : Effect.fail(invalidOption("--public-key", "a public key of 32 bytes in hex", quote(key)))
}

/** Searches for the movements again and compares their digests. */
const checkRows = Effect.fnUntraced(function* (
  connection: NodeConnection.NodeConnection,
  { header, statements: signed }: SignedStatement.SignedStatement,
) {
  const addresses = signed.map(({ address }) => address)
  const { statements } = yield* Statement.run(connection, {
    addresses,
    at: Number(header.closing_block.number),
    fromBlock: Number(header.from_block),
  })
  for (const { address, rows } of statements) {
    const stated = signed.find((one) => one.address === address)?.rows
    if (stated?.sha256 === rows.sha256) continue
    const counts = `the statement has ${stated?.count} with the digest ${stated?.sha256}, a search on the node found ${rows.count} with ${rows.sha256}.`
    const isSameRevision = header.ledger_revision === WalletLedger.revision
    if (header.source === "node" && isSameRevision) {
      return yield* new StatementFile.StatementRefused({ reason: `the movements of ${address} differ: ${counts}` })
    }
    const why = isSameRevision
      ? "An index also has movements that cancel out within a block, which a search does not find."
      : `The statement follows revision ${header.ledger_revision} of the rules that movements are derived by, but this version of daybook follows revision ${WalletLedger.revision}.`
    const message = `Movements not confirmed: ${address}; ${counts} ${why}`
    return yield* new CommandError({ message })
  }
})

const describe = (
  { header, signature, statements }: SignedStatement.SignedStatement,
  checked: ReadonlyArray<StatementCheck.CheckedWallet>,
  hasRows: boolean,
): ReadonlyArray<string> => {
  const { closing_block: closing, from_block: from } = header
  const symbol = StatementFormat.nativeSymbol(Number(header.chain_id))
  return [
    `signed by ${signature.public_key} with ${visibleLine(header.made_by)} at ${header.made_at.toISOString()}, from ${header.source === "node" ? "a node" : "an index"}`,
    `${StatementFormat.chainName(Number(header.chain_id))}, blocks ${from} to ${closing.number} (${closing.hash})`,
    ...checked.map(
      ({ address, balances, isByStateRoot, trusted }) =>
        `${address}: ${Terminal.count(balances, "balance")} equal to the chain; ${isByStateRoot ? `${symbol} and transaction count verified against the state root` : `the node was trusted for ${symbol} too: ${trusted}`}`,
    ),
    ...checked.flatMap(({ address, notCompared }) =>
      notCompared.length === 0
        ? []
        : [`not compared for ${address}`, ...notCompared.map((sentence) => `  ${sentence}`)],
    ),
    hasRows ? "the movements were found again" : "the movements were not searched for; --rows searches for them",
    ...statements.flatMap(({ address, not_covered }) => [
      `not covered for ${address}`,
      ...not_covered.map((sentence) => `  ${visibleLine(sentence)}`),
    ]),
  ]
}

/** `daybook verify-statement`: exits with code 0 only if nothing was rejected and the statement is proved. */
export const verifyStatement = Command.make(
  "verify-statement",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("File of a signed statement")),
    rpc: Flag.String("rpc").pipe(Flag.withDescription("URL of an archive node of the chain"), Flag.withMetavar("URL")),
    publicKey: Flag.String("public-key").pipe(
      Flag.withDescription("Public key of the operator; without it, any key is accepted and printed"),
      Flag.withMetavar("HEX"),
      Flag.optional,
    ),
    address: Flag.String("address").pipe(
      Flag.withDescription("Wallet that the statement must contain; may be repeated"),
      Flag.withMetavar("ADDRESS"),
      Flag.atLeast(0),
    ),
    rows: Flag.Boolean("rows").pipe(
      Flag.withDescription('Also search the node for the movements again, as "daybook statement" does'),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ address, file, publicKey: givenKey, rows, rpc }) {
    const publicKey = yield* parseKey(givenKey)
    const wallets = yield* WalletFlags.parseAddresses(address, "--address")
    const statement = yield* Effect.fromResult(StatementFile.read(yield* readText(file), { publicKey, wallets }))
    const connection = yield* NodeConnection.connect({ node: { url: rpc } })
    const checked = yield* StatementCheck.run(connection, connection.chainId, statement)
    if (rows) yield* checkRows(connection, statement)
    for (const line of describe(statement, checked, rows)) yield* Terminal.print(line)
    if (publicKey === undefined) {
      yield* Terminal.note(
        "The file does not show whose key this is: compare it with the operator's, or give --public-key.",
      )
    }
    const message = StatementCheck.whyUnproved(statement.statements, checked)
    return yield* message === null ? Terminal.print("verified") : new CommandError({ message })
  }),
)
