/**
 * Writes `src/internal/generated/objects.ts`: for each object that occurs repeatedly in responses, code that decodes and encodes it with
 * one statement per key. The code is a source file, so that no content security policy rejects it. It calls the steps of the schema, so
 * that it cannot accept more than they do.
 */
import { type AnySchema, coderOf, type ObjectKeys } from "../src/internal/coder.ts"
import * as schema from "../src/index.ts"

/** Objects by the name of their code. Blocks with hashes, with transactions and with both have the same keys. */
export const unrolled: Readonly<Record<string, AnySchema>> = {
  Action: schema.Trace.Action,
  ActionResult: schema.Trace.ActionResult,
  DecodedItem: schema.DecodedItem.DecodedItem,
  FeeMarket: schema.Transaction.FeeMarket,
  FlatTrace: schema.Trace.FlatTrace,
  InternalTransaction: schema.InternalTransaction.InternalTransaction,
  Legacy: schema.Transaction.Legacy,
  Log: schema.Log.Log,
  Movement: schema.Movement.Movement,
  Param: schema.DecodedItem.Param,
  Receipt: schema.Receipt.Receipt,
  ReceiptLog: schema.Receipt.Log,
  SetCode: schema.Transaction.SetCode,
  WalletTransaction: schema.WalletTransaction.WalletTransaction,
  Withdrawal: schema.Block.Withdrawal,
}

const intro = `/**
 * Generated from the schemas by \`pnpm snapshots\`: code of the objects that responses repeat. Each function is a copy of \`stepOver\` of
 * \`open.ts\`, unrolled over the keys of one object. Decoding and encoding have one each, although they read alike: an
 * engine compiles a function for the steps that it calls.
 */
import { isObject, type Unrolled, unread } from "../coder.ts"
`

const statement = ({ mayLack, name }: ObjectKeys["keys"][number], at: number): string => {
  const place = `output[${JSON.stringify(name)}]`
  const convert = `if ((${place} = s${at}!(${place})) === unread) return unread`
  return mayLack ? `if (${place} === undefined) isLacking = true\n      else ${convert}` : convert
}

const direction = ({ keys }: ObjectKeys): string => {
  const mayLack = keys.some((key) => key.mayLack)
  const names = keys.map((_, at) => `s${at}`)
  return `([${names.join(", ")}]${mayLack ? ", lacking" : ""}) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
${mayLack ? "      let isLacking = false\n" : ""}${keys.map((key, at) => `      ${statement(key, at)}\n`).join("")}      return ${mayLack ? "isLacking ? lacking(output) : output" : "output"}
    }`
}

/** Text of the file. */
export const text = (): string =>
  intro +
  Object.entries(unrolled)
    .map(([name, of]) => {
      const { object } = coderOf(of)!
      return `\nexport const ${name}: Unrolled = {\n  read: ${direction(object!)},\n  write: ${direction(object!)},\n}\n`
    })
    .join("")
