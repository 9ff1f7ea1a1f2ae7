import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as RpcMethod from "../src/RpcMethod.ts"

const intro = `# JSON-RPC methods

The methods that the clients call and the relay of the service forwards. Keys of the service may call those with the exposure
\`public\`; keys made with \`--operator\` may also call those with the exposure \`operator\`.

Written by \`pnpm snapshots\`.

A result of the cacheability \`never\` depends on the head, the state or the node. Other results are immutable once the block that
holds them is final, and the relay may keep them.

| method | parameters | exposure | cacheability |
|---|---|---|---|
`

it("METHODS.md: lists every method with its parameters, exposure and cacheability", async () => {
  const rows = Object.values(RpcMethod.all).map(
    ({ cacheability, exposure, name, paramNames }) =>
      `| \`${name}\` | ${paramNames.join(", ")} | ${exposure} | ${cacheability} |\n`,
  )
  const text = intro + rows.toSorted().join("")

  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../METHODS.md"))
})
