import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A loopback TCP proxy whose faults change while connections are open (`reliability.md` 19). */
export interface Proxy {
  /** Listens on 127.0.0.1. */
  port: number
  /** Every byte from the server arrives so many milliseconds later; a call over an open connection takes that much longer. */
  latency: (ms: number) => void
  /** So many bytes a second at most, in each direction of each connection. */
  throttle: (bytesPerSecond: number) => void
  /** Nothing passes, nothing ends and nobody is told; what was sent arrives after `heal`. New connections open and stay silent. */
  blackHole: () => void
  /** Resets every connection, and each new one until `heal`. */
  cut: () => void
  /** Tells the clients of open connections that the server has ended, while it goes on listening to them. */
  halfClose: () => void
  /** Takes back every fault. */
  heal: () => void
  close: () => Promise<void>
}

interface Faults {
  latencyMs: number
  bytesPerSecond: number
  isCut: boolean
  /** Pending while the hole is black. */
  open: Promise<unknown>
}

const healthy: Faults = {
  latencyMs: 0,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  isCut: false,
  open: Promise.resolve(),
}

/**
 * Between clients of 127.0.0.1 and the server at `target`, on a free port unless one is given: a Kafka broker tells its
 * clients where to come, so its proxy must listen there.
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

/** One direction: bytes, their end, and a reset. Latency is a line that chunks wait in, so that it costs no throughput. */
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
/** What the line may hold: as much as passes within the latency, at 64 MiB a second at most. */
const mostHeld = ({ latencyMs, bytesPerSecond }: Faults) =>
  socketBytes + (latencyMs / 1000) * Math.min(bytesPerSecond, 64 * 1024 * 1024)

/** Twenty slices a second when throttled. */
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
