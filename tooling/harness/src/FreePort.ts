/** A TCP port for a server that is started as another process. */
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"

/** A TCP port of 127.0.0.1 on which nothing listens. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  // Sound: a TCP server has a port.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}
