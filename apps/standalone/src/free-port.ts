import { createServer } from 'node:net'
import { toListenError } from '@reticle/gateway'

/** Finds a loopback port that is free at this moment; the caller must be ready to try another. */
export const freePort = (): Promise<number> => listenOnce('127.0.0.1', 0)

/**
 * Checks the port in advance, because an occupied one would fail the start at its last step.
 *
 * @throws Error with the reason, and advice
 */
export async function assertFree(host: string, port: number): Promise<void> {
  await listenOnce(host, port).catch((cause) => {
    throw toListenError(cause, host, port)
  })
}

function listenOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(port, host, () => {
      const address = probe.address()
      const taken = typeof address === 'object' && address ? address.port : 0
      probe.close(() => resolve(taken))
    })
  })
}
