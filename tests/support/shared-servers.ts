import { createServer } from 'node:http'
import { dataDirectory, type SharedServer, startReticle } from './reticle.ts'

/**
 * A shared server serves many files one after another, whose calls together must not reach a rate limit. Tests of
 * repeated deliveries do not wait longer than they must.
 */
const settings = {
  RETICLE_GATEWAY_RATE_ANONYMOUS: '0',
  RETICLE_GATEWAY_RATE_AUTH: '0',
  RETICLE_GATEWAY_RATE_USER: '0',
  RETICLE_WEBHOOKS_RETRY_SECONDS: '1,1',
}

interface RunningServer extends SharedServer {
  stop: () => Promise<void>
}

/**
 * Listens for worker processes of vitest, and starts one server for each that requests it (`shareReticle`). A server
 * that has ended is replaced at the next request.
 */
export async function startSharedServers(): Promise<{ url: string; stop: () => Promise<void> }> {
  const running = new Map<string, Promise<RunningServer>>()
  const starter = createServer(async ({ url: worker = '' }, response) => {
    try {
      const server = running.get(worker) ?? startOne(() => running.delete(worker))
      running.set(worker, server)
      const { url, dataDir } = await server
      response.end(JSON.stringify({ url, dataDir }))
    } catch (error) {
      running.delete(worker)
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => starter.listen(0, '127.0.0.1', resolve))
  const address = starter.address()
  if (!address || typeof address === 'string') throw new Error('the starter has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      starter.closeAllConnections()
      starter.close()
      await Promise.all([...running.values()].map(async (server) => (await server).stop()))
    },
  }
}

async function startOne(onEnd: () => void): Promise<RunningServer> {
  const { path: dataDir, remove } = dataDirectory()
  const reticle = await startReticle(dataDir, settings)
  void reticle.ended().then(onEnd)
  return {
    url: reticle.url,
    dataDir,
    stop: async () => {
      await reticle.stop()
      remove()
    },
  }
}
