import { join } from "node:path"
import { expect, it } from "vitest"
import * as RpcMethod from "../src/RpcMethod.ts"

const intro = `# JSON-RPC methods

The methods that the clients call and the relay of the service forwards. Keys of the service may call those with the exposure
\`public\`; keys made with \`--operator\` may also call those with the exposure \`operator\`.

Written by \`pnpm exec vitest run --project @daybook/schema test/methods -u\`.

| method | exposure |
|---|---|
`

it("METHODS.md lists every method with its exposure", async () => {
  const rows = Object.values(RpcMethod.all).map(({ exposure, name }) => `| \`${name}\` | ${exposure} |\n`)
  const text = intro + rows.toSorted().join("")

  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../METHODS.md"))
})
