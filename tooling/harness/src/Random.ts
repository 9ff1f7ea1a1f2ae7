/** Seeded pseudorandom numbers: those of the test kit. */
export * from "@daybook/testkit/internal/Random"
