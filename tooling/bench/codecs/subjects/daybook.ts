/** `@daybook/schema` as imported. */
import * as Block from "../../../../packages/schema/src/Block.ts"
import * as WalletPage from "../../../../packages/schema/src/WalletPage.ts"
import * as Schema from "../../../../packages/schema/node_modules/effect/dist/Schema.js"
import type { Subject } from "../measure.ts"

const both = (schema: any) => ({ decode: Schema.decodeUnknownSync(schema), encode: Schema.encodeUnknownSync(schema) })

export const subject: Subject = {
  page: both(WalletPage.WalletPage),
  block: both(Block.HydratedBlock),
  hashes: both(Block.Block),
}
