import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Loopback TCP proxy whose faults can be changed while connections are open. */
export interface Proxy {
  /** Port on 127.0.0.1. */
  port: number
  /** Delays every byte from the server by milliseconds; a call over an open connection takes that much longer. */
  latency: (ms: number) => void
  /** Limits the bytes per second in each direction of each connection. */
  throttle: (bytesPerSecond: number) => void
  /** Forwards no bytes, ends or resets until `heal`, which delivers them. New connections open and stay silent. */
  blackHole: () => void
  /** Resets every connection, and each new one until `heal`. */
  cut: () => void
  /** Ends the direction from the server to the clients of open connections, while the other direction stays open. */
  halfClose: () => void
  /** Removes every fault. */
  heal: () => void
  close: () => Promise<void>
}

interface Faults {
  latencyMs: number
  bytesPerSecond: number
  isCut: boolean
  /** Pending during a black hole. */
  open: Promise<unknown>
}

const healthy: Faults = {
  latencyMs: 0,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  isCut: false,
  open: Promise.resolve(),
}

/**
 * Opens a proxy between clients on 127.0.0.1 and the server at `target`, on a free port or on `port`. A Kafka broker
 * tells its clients which address to use, so its proxy must listen at that address.
 */
export async function openProxy(
  target: { host: string; port: number },
  { port = 0 }: { port?: number } = {},
): Promise<Proxy> {
  const faults = { ...healthy }
  const links = new Set<{ client: Socket; server: Socket }>()
  let release = () => {}

  const listener = createServer({ allowHalfOpen: true }, (client) => {
    if (faults.isCut) return void client.resetAndDestroy()
    const server = connect({ ...target, allowHalfOpen: true })
    const link = { client, server }
    links.add(link)
    const both = [
      carry(client, server, faults, () => 0),
      carry(server, client, faults, () => faults.latencyMs),
    ]
    void Promise.allSettled(both).then(() => links.delete(link))
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const address = listener.address()

  const reset = () => {
    for (const { client, server } of links) {
      client.resetAndDestroy()
      server.resetAndDestroy()
    }
  }
  const heal = () => {
    Object.assign(faults, healthy)
    release()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    latency: (ms) => Object.assign(faults, { latencyMs: ms }),
    throttle: (bytesPerSecond) => Object.assign(faults, { bytesPerSecond }),
    blackHole: () => {
      release()
      faults.open = new Promise<void>((resolve) => {
        release = resolve
      })
    },
    cut: () => {
      faults.isCut = true
      reset()
    },
    halfClose: () => {
      for (const { client } of links) client.end()
    },
    heal,
    close: async () => {
      reset()
      heal()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

/**
 * Forwards one direction: bytes, their end, and a reset. Delayed chunks wait in a queue, so that latency does not
 * reduce the throughput.
 */
async function carry(from: Socket, to: Socket, faults: Faults, delay: () => number): Promise<void> {
  from.on('error', () => {})
  let line: Promise<void> = Promise.resolve()
  let held = 0
  try {
    for await (const chunk of from.iterator({ destroyOnReturn: false })) {
      const due = Date.now() + delay()
      held += chunk.length
      line = line.then(async () => {
        await sleep(Math.max(0, due - Date.now()))
        await pass(chunk, to, faults)
        held -= chunk.length
      })
      line.catch(() => from.resetAndDestroy())
      if (held > mostHeld(faults)) await line
    }
    await line
    await faults.open
    to.end()
  } catch {
    await faults.open
    to.resetAndDestroy()
  }
}

const socketBytes = 64 * 1024
/** Returns the limit of the queue in bytes: the amount that passes within the latency, at 64 MiB per second at most. */
const mostHeld = ({ latencyMs, bytesPerSecond }: Faults) =>
  socketBytes + (latencyMs / 1000) * Math.min(bytesPerSecond, 64 * 1024 * 1024)

/** Writes a chunk, in twenty slices per second if throttled. */
async function pass(chunk: Buffer, to: Socket, faults: Faults): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    await faults.open
    const { bytesPerSecond } = faults
    const slice = chunk.subarray(at, at + Math.max(1, Math.ceil(bytesPerSecond / 20)))
    await new Promise<void>((resolve, reject) => {
      to.write(slice, (error) => (error ? reject(error) : resolve()))
    })
    at += slice.length
    if (bytesPerSecond < Number.POSITIVE_INFINITY)
      await sleep((slice.length * 1000) / bytesPerSecond)
  }
}
