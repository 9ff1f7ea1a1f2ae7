/** Measures the longest turn of an event loop, in CPU time of its thread, which excludes other programs on the machine. */
const everyMillis = 5

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Observes the event loop of this thread; `take` returns the longest turn since its previous call, in milliseconds. */
export const start = (): { readonly take: () => number } => {
  let longest = 0
  let before = cpuMillis()
  // A long turn delays the next tick, so the CPU time between two ticks is its cost.
  setInterval(() => {
    const now = cpuMillis()
    longest = Math.max(longest, now - before)
    before = now
  }, everyMillis).unref()
  return {
    take: () => {
      const taken = longest
      longest = 0
      return taken
    },
  }
}
