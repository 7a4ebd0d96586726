import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'

const actions = ['start', 'stop', 'kill', 'pause', 'resume', 'restart']

/**
 * Lets other processes (test files, or a user with curl) stop and start servers: `POST <url>/kafka/restart` is answered
 * 204 when done. The address contains a secret.
 *
 * @returns `{url, close}`
 */
export async function openControl(parts) {
  const secret = randomBytes(12).toString('hex')
  const server = createServer(async (request, response) => {
    const answer = (status, text) => response.writeHead(status).end(text)
    const [, given, name, action] = request.url.split('/')
    if (request.method !== 'POST' || given !== secret) return answer(404)
    if (!parts[name]) return answer(404, `${name} was not started here, so it cannot be controlled`)
    if (!actions.includes(action)) return answer(404, `${action} is none of ${actions.join(' ')}`)
    await parts[name][action]().then(
      () => answer(204),
      (error) => answer(500, error.message),
    )
  })
  server.requestTimeout = 0
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${server.address().port}/${secret}`, close }
}
