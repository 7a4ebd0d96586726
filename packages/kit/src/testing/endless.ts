import { createServer, type ServerResponse } from 'node:http'

/** Starts a loopback server whose responses never end. */
export async function startEndless() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/xml' })
    pour(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${typeof address === 'object' && address?.port}`, close }
}

const piece = Buffer.alloc(64 * 1024, ' ')

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write(piece));
  response.once('drain', () => pour(response))
}
