/**
 * Loaded into an attacked service beside its own code: reports the longest turn of its event loop to the parent process, in time of
 * the CPU, so that other programs on the machine do not count.
 */
const everyMillis = 5

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1000
}

let longest = 0
let before = cpuMillis()

// A turn that takes long delays the next tick: what it cost is between two ticks.
setInterval(() => {
  const now = cpuMillis()
  longest = Math.max(longest, now - before)
  before = now
}, everyMillis).unref()

process.on("message", () => {
  process.send?.({ longestMillis: longest })
  longest = 0
})
// The channel must not keep the service running.
process.channel?.unref()
