/** The longest turn of an event loop, in time of the CPU of its thread, so that other programs on the machine do not count. */
const everyMillis = 5

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Watches the event loop of this thread; `take` returns the longest turn since its last call, in milliseconds. */
export const start = (): { readonly take: () => number } => {
  let longest = 0
  let before = cpuMillis()
  // A long turn delays the next tick: its cost is the time between two ticks.
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
