/** Seeded pseudorandom numbers, re-exported from the test kit. */
export * from "@daybook/testkit/internal/Random"
