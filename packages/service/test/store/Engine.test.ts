import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import * as Folder from "../../src/store/sqlite/Folder.ts"
import { blockOn } from "./model.ts"
import * as TestStore from "./TestStore.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

describe("Engine", () => {
  describe("fromUrl", () => {
    it.effect(
      "fromUrl: creates a folder that only its owner can read, with a file for each chain and one for keys",
      () =>
        Effect.gen(function* () {
          const base = yield* temporaryFolder
          const database = yield* Engine.fromUrl("sqlite:deep/data", base)
          const eth = yield* TestStore.open(database, { name: "eth", id: 1 })
          const mine = yield* TestStore.open(database, { name: "my chain", id: 31337 })
          const { reader } = database.chain({ name: "ETH", id: 1 })
          yield* database.apiKeys.ready

          yield* eth.append(null, [blockOn(null, { number: 5 })])
          yield* mine.append(null, [blockOn(null, { number: 7 })])
          const checkpoint = yield* reader.snapshot((snapshot) => snapshot.checkpoint)

          expect(checkpoint?.first).toBe(5)
          expect(statSync(join(base, "deep/data")).mode & 0o777).toBe(0o700)
          expect(readdirSync(join(base, "deep/data")).filter((name) => name.endsWith(".sqlite"))).toEqual([
            "chain-eth.sqlite",
            "chain-my-chain.sqlite",
            "daybook.sqlite",
          ])
        }),
    )

    it.effect("fromUrl: accepts an absolute folder, and an existing one", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const database = yield* Engine.fromUrl(`sqlite:${folder}`, "/nowhere")
        yield* database.apiKeys.ready

        expect(existsSync(join(folder, "daybook.sqlite"))).toBe(true)
      }),
    )

    it.effect("fromUrl: rejects any other text and states what is expected", () =>
      Effect.gen(function* () {
        for (const text of [
          "",
          "data",
          "sqlite:",
          "sqlite::memory:",
          "sqlite://data",
          "mysql://u:s3cret@h/d",
          "sqlite:postgres://u:s3cret@h/d",
        ]) {
          const error = yield* Effect.flip(Engine.fromUrl(text, "/nowhere"))

          const sqlite = '"sqlite:" and a folder, for example "sqlite:data"'
          const forms = '"sqlite:" and a folder, or "postgres:" and the URL of a PostgreSQL database'
          const isFolder = text.startsWith("sqlite:")
          expect(error.message).toBe(
            `Invalid configuration "database": expected ${isFolder ? sqlite : forms}, received a URL in another form.`,
          )
          expect(error.isRetryable).toBe(false)
        }
      }),
    )

    it.effect("fromUrl: reports a folder that cannot be created, with the part of the path and the reason", () =>
      Effect.gen(function* () {
        const base = yield* temporaryFolder
        writeFileSync(join(base, "data"), "a file")

        const error = yield* Effect.flip(Engine.fromUrl("sqlite:data", base))

        const nested = yield* Effect.flip(Engine.fromUrl("sqlite:data/below/it", base))
        const refused = yield* Effect.flip(Engine.fromUrl("sqlite:/proc/x/y", base))

        const data = join(base, "data")
        expect([error, nested, refused].map(({ message }) => message)).toEqual([
          `Cannot create folder: ${data} (ENOTDIR, not a folder). Name another folder, or change its permissions.`,
          `Cannot create folder: ${data}/below/it (${data}: ENOTDIR, not a folder). Name another folder, or change its permissions.`,
          `Cannot create folder: /proc/x/y (/proc/x: ENOENT, no such file or folder). Name another folder, or change its permissions.`,
        ])
      }),
    )
  })

  describe("writer", () => {
    it.effect("writer: rejects a wallet that the index lacks, and names the command that indexes it", () =>
      Effect.gen(function* () {
        const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
        const [mine, other] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`]
        for (const [name, word] of [
          ["eth", "eth"],
          ["my chain", "'my chain'"],
        ] as const) {
          const ref = { name, id: 1 }
          const store = yield* TestStore.open(database, ref, { watch: new Set([mine]) })
          yield* store.append(null, [blockOn(null, { number: 5 })])

          const error = yield* Effect.flip(Effect.scoped(database.chain(ref).writer({ watch: new Set([mine, other]) })))

          expect(error.message).toBe(
            `The index lacks wallet ${other}, which "watch" now names: ${Folder.chainFile(name)}. Run "daybook watch add ${other} --chain ${word}" to index it from now on. Or stop the service, run "daybook reindex --all --chain ${word}" and start it again; or restore the previous "watch".`,
          )
        }
      }),
    )
  })
})
