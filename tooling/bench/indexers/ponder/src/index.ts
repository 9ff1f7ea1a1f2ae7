import { ponder } from "ponder:registry"
import { event as events } from "ponder:schema"

const text = (value: unknown) =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? inner.toString() : inner))

for (const name of ["Transfer", "Approval", "Swap", "Sync", "Deposit", "Withdrawal", "TransferSingle"] as const) {
  ponder.on(`All:${name}`, async ({ context, event }) => {
    await context.db.insert(events).values({
      id: event.id,
      name,
      block: event.block.number,
      from: event.transaction.from,
      to: event.transaction.to,
      args: text(event.args),
      gasUsed: event.transactionReceipt.gasUsed,
    })
  })
}
