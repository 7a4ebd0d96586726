import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'

import type { ControlledPart } from './part.ts'

const actions = ['start', 'stop', 'kill', 'pause', 'resume', 'restart'] as const

/**
 * Lets other processes (test files, or a user with curl) stop and start servers: `POST <url>/kafka/restart` is answered
 * 204 when done. The address contains a secret.
 */
export async function openControl(
  parts: Readonly<Record<string, ControlledPart>>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const secret = randomBytes(12).toString('hex')
  const server = createServer(async (request, response) => {
    const answer = (status: number, text?: string) => response.writeHead(status).end(text)
    const [, given, name = '', action] = (request.url ?? '').split('/')
    if (request.method !== 'POST' || given !== secret) return answer(404)
    const part = parts[name]
    if (!part) return answer(404, `${name} was not started here, so it cannot be controlled`)
    const known = actions.find((one) => one === action)
    if (!known) return answer(404, `${action} is none of ${actions.join(' ')}`)
    await part[known]().then(
      () => answer(204),
      (error) => answer(500, error.message),
    )
  })
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}/${secret}`, close }
}
