/** Standard Schema V1, the interface that form libraries, routers and other validators accept. */
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import type * as Receipt from "../src/Receipt.ts"
import * as schema from "../src/index.ts"
import * as fixture from "./fixture.ts"
import { resources } from "./resources.ts"

const isStandard = (value: unknown): value is StandardSchemaV1 =>
  (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value

describe("Standard Schema V1", () => {
  it.each(Object.entries(resources))("%s implements Standard Schema V1", (_, resource) => {
    expect(isStandard(resource) && resource["~standard"].version).toBe(1)
  })

  it("validate: returns the decoded value synchronously", () => {
    const result = schema.Receipt.Log["~standard"].validate(fixture.log)
    expect(result).toEqual({ value: expect.objectContaining({ logIndex: 5, blockNumber: 16n }) })
    expectTypeOf<StandardSchemaV1.InferOutput<typeof schema.Receipt.Log>>().toExtend<Receipt.Log>()
  })

  it("validate: returns every issue with its path", () => {
    const result = schema.Receipt.Log["~standard"].validate({ ...fixture.log, data: 1, logIndex: "x" })
    expect(result).toMatchObject({
      issues: [{ path: ["data"] }, { path: ["logIndex"], message: expect.stringContaining("hex quantity") }],
    })
  })
})
