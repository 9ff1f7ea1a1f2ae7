import { join } from "node:path"
import { afterAll, expect, it, vi } from "vitest"

afterAll(() => {
  vi.unstubAllEnvs()
})

it("Preload: loads the sources that the run names", async () => {
  vi.stubEnv("DAYBOOK_MUTATION_SOURCES", JSON.stringify([join(import.meta.dirname, "no-such-source.ts")]))

  await expect(import("./Preload.ts")).rejects.toThrow("no-such-source.ts")
})
