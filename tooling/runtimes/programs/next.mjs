/** Starts the application built by Next, and prints the response of its route. */
import { spawn } from "node:child_process"
import { createServer } from "node:net"

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port: free } = server.address()
    server.close(() => resolve(free))
  })
})
const next = spawn("node", ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", `${port}`], {
  stdio: "ignore",
})
let text = "no answer"
for (let tries = 0; tries < 100 && text === "no answer"; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 200))
  text = await fetch(`http://127.0.0.1:${port}/`).then(
    (response) => response.text(),
    () => text,
  )
}
console.log(text)
next.kill()
