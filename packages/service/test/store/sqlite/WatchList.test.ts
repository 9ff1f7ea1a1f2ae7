import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { damage } from "../../maintenance/damage.ts"
import { chainOn, refOf, wallets } from "../model.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import { ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"

const [mine, other] = [wallets[0]!, wallets[1]!]

describe("WatchList", () => {
  it.effect("a list that does not match the checksum of the checkpoint is neither used nor sealed again", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const blocks = chainOn(null, 2)
      const store = yield* TestStore.inFolder(folder, ref, { watch: new Set([mine]) })
      yield* store.append(null, blocks.slice(0, 1))
      const { changeWatch, reader, writer } = store.database.chain(ref)
      damage(join(folder, "chain-test.sqlite"), `UPDATE checkpoint SET watch = '["${other}"]'`)

      const reads = [
        changeWatch({ _tag: "Add", wallets: [mine] }),
        writer({ watch: new Set([other]) }),
        writer({ watch: new Set([mine]) }),
        store.append(refOf(blocks[0]!), blocks.slice(1)),
        reader.snapshot(({ checkpoint }) => checkpoint),
      ]
      for (const read of reads) {
        expect((yield* Effect.flip(Effect.asVoid(read))).message).toContain(
          "Stored checkpoint damaged: chain-test.sqlite.",
        )
      }
    }),
  )
})
