/** The long tests in a browser, which also take the screenshots of the documents: `pnpm --filter @daybook/explorer e2e`. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.e2e.ts"],
    testTimeout: 900_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
})
