import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Front, openFront } from './front.ts'

/** Starts a server on a separate port that answers its name. */
async function gateway(name: string) {
  const server = createServer((_, response) => response.end(name))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  return { port: typeof address === 'object' && address ? address.port : 0, close }
}

async function frontOf(...ports: number[]): Promise<Front> {
  const front = await openFront(ports)
  onTestFinished(front.close)
  return front
}

/** Makes a call over a new connection. */
async function fetchText({ port }: Front): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })
  return answer.text()
}

test('connections go to the gateways in turn', async () => {
  const front = await frontOf((await gateway('one')).port, (await gateway('two')).port)
  expect([await fetchText(front), await fetchText(front), await fetchText(front)]).toEqual([
    'one',
    'two',
    'one',
  ])
})

test('a gateway that has stopped is skipped', async () => {
  const one = await gateway('one')
  const front = await frontOf(one.port, (await gateway('two')).port)
  one.close()
  expect([await fetchText(front), await fetchText(front)]).toEqual(['two', 'two'])
})

test('the connection is closed when no gateway is left', async () => {
  const one = await gateway('one')
  const front = await frontOf(one.port)
  one.close()
  await expect(fetchText(front)).rejects.toThrow('fetch failed')
})

test('a connection is closed together with its gateway', async () => {
  const one = await gateway('one')
  const socket = connect((await frontOf(one.port)).port, '127.0.0.1').on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  one.close()
  await ended
})
