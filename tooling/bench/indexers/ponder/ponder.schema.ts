import { onchainTable } from "ponder"

export const event = onchainTable("event", (t) => ({
  id: t.text().primaryKey(),
  name: t.text().notNull(),
  block: t.bigint().notNull(),
  from: t.hex().notNull(),
  to: t.hex(),
  args: t.text().notNull(),
  gasUsed: t.bigint().notNull(),
}))
