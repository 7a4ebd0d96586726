import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, expect, test } from 'vitest'
import { openProxy } from './proxy.ts'

/** Returns all received bytes, and ends after the client has ended. */
const echo = createServer((socket) => {
  heard.add(socket)
  socket.on('error', () => {}).pipe(socket)
})
const heard = new Set<Socket>()
await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
const address = echo.address()
const proxy = await openProxy({
  host: '127.0.0.1',
  port: typeof address === 'object' && address ? address.port : 0,
})

const opened: Socket[] = []
afterEach(() => {
  proxy.heal()
  for (const socket of opened.splice(0)) socket.destroy()
})
afterAll(async () => {
  await proxy.close()
  echo.close()
})

async function open(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true })
  opened.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Resolves to the milliseconds until the sent bytes have returned. */
async function echoed(socket: Socket, sent: Buffer): Promise<number> {
  const begun = performance.now()
  socket.write(sent)
  let missing = sent.length
  while (missing > 0) {
    const [piece] = await once(socket, 'data')
    missing -= piece.length
  }
  return performance.now() - begun
}

const short = Buffer.from('hello')

test('without faults, bytes and the end of each side are forwarded', async () => {
  const socket = await open()
  const all = text(socket)
  socket.write('one ')
  socket.end('two')
  expect(await all).toBe('one two')
})

test('latency delays every response without reducing the throughput', async () => {
  const socket = await open()
  await echoed(socket, short)
  proxy.latency(300)
  expect(await echoed(socket, short)).toBeGreaterThanOrEqual(299)
  expect(await echoed(socket, Buffer.alloc(8_000_000))).toBeLessThan(5000)
  proxy.heal()
  expect(await echoed(socket, short)).toBeLessThan(250)
})

test('a throttle limits the bytes per second in both directions', async () => {
  const socket = await open()
  proxy.throttle(100_000)
  expect(await echoed(socket, Buffer.alloc(30_000))).toBeGreaterThan(250)
})

test('in a black hole nothing arrives or ends, and everything arrives after heal', async () => {
  const socket = await open()
  await echoed(socket, short)
  proxy.blackHole()
  const later = await open()
  const answers = Promise.all([echoed(socket, short), echoed(later, short)])
  await expect(Promise.race([answers, sleep(100, 'silence')])).resolves.toBe('silence')
  expect(socket.destroyed || later.destroyed).toBe(false)
  proxy.heal()
  await answers
})

test('in a black hole the server does not see that a client has left', async () => {
  const socket = await open()
  await echoed(socket, short)
  const atServer = [...heard].at(-1)
  proxy.blackHole()
  socket.destroy()
  await sleep(50)
  expect(atServer?.destroyed).toBe(false)
  proxy.heal()
  await expect.poll(() => atServer?.destroyed).toBe(true)
})

test('a cut resets open and new connections until heal', async () => {
  const socket = await open()
  await echoed(socket, short)
  const reset = new Promise((resolve) => socket.on('close', resolve))
  proxy.cut()
  await reset
  await expect(open().then((again) => echoed(again, short))).rejects.toThrow()
  proxy.heal()
  await echoed(await open(), short)
})

test('after a half-close a client reads the end and can still write', async () => {
  const socket = await open()
  await echoed(socket, short)
  const atServer = [...heard].at(-1)
  const end = once(socket, 'end')
  proxy.halfClose()
  await end
  const read = atServer?.bytesRead ?? 0
  socket.write(short)
  await expect.poll(() => atServer?.bytesRead).toBe(read + short.length)
})

test('a proxy can be opened again on the port of a closed one', async () => {
  const target = { host: '127.0.0.1', port: proxy.port }
  const first = await openProxy(target)
  await first.close()
  const second = await openProxy(target, { port: first.port })
  expect(second.port).toBe(first.port)
  await expect(openProxy(target, { port: second.port })).rejects.toThrow('EADDRINUSE')
  await second.close()
})
