/** The block that the RPC clients request: 150 transactions, whole or as hashes. */
import { inputs } from "../codecs/Inputs.ts"

interface Block {
  readonly transactions: ReadonlyArray<{ readonly hash: string }>
}

const whole = JSON.parse(inputs.block) as Block
const transactions = whole.transactions.slice(0, 150)

export const blocks = {
  hydrated: JSON.stringify({ ...whole, transactions }),
  hashes: JSON.stringify({ ...whole, transactions: transactions.map(({ hash }) => hash) }),
}
