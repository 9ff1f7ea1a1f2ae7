/** The tests of these programs alone. */
import { defineConfig } from "vitest/config"

export default defineConfig({ test: { include: ["src/*.test.ts"] } })
