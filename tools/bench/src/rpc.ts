import { randomBytes } from 'node:crypto'
import type { CallContext, Service } from '@reticle/kit/call/context'
import { connectGrpc } from '@reticle/kit/rpc/grpc/connect'
import { guardHandlers } from '@reticle/kit/rpc/guard'
import { protosOf } from '@reticle/kit/testing/protos'
import { startRpcProcess, tally } from '@reticle/kit/testing/rpc-process'
import { measureMs, median } from './measure.ts'
import type { BenchFigure } from './table.ts'

const rounds = 5
const calls = 500
const warmRounds = 10
const most = 0.5 // milliseconds

/**
 * Measures P10, the p50 cost of a hop: an empty call to another process over gRPC with signature, deadline and guard,
 * minus the same call to the same handler in this process.
 */
export async function hopFigure(): Promise<BenchFigure> {
  const keys = [randomBytes(32).toString('base64')]
  const server = await startRpcProcess({ port: 0, keys })
  const address = `127.0.0.1:${server.port}`
  const connection = connectGrpc({ address, keys, protos: protosOf(tally) })
  try {
    const { ping: far } = connection.service(tally)
    const { ping: near } = guardHandlers<typeof tally>(here, () => undefined)
    for (let round = 0; round < warmRounds; round++) await halfOf(far) // warms up the JIT compiler
    const differences: number[] = []
    for (let round = 0; round < rounds; round++) {
      const direct = await halfOf(near)
      differences.push((await halfOf(far)) - direct)
    }
    const hop = median(differences)
    return {
      id: 'P10',
      what: 'gRPC hop: a call that does nothing, less the direct call, p50',
      seen: `${hop.toFixed(2)} ms`,
      target: `<= ${most} ms`,
      holds: hop <= most,
    }
  } finally {
    connection.close()
    await server.kill()
  }
}

type Ping = Service<typeof tally>['ping']

/** Returns the median milliseconds of calls made one after another. */
async function halfOf(ping: Ping): Promise<number> {
  const { signal } = new AbortController()
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    const deadline = Date.now() + 5000
    const context: CallContext = { principal: null, request_id: 'bench', deadline, signal }
    times.push(await measureMs(() => ping({}, context)))
  }
  return median(times)
}

const unused = () => Promise.reject(new Error('not part of the figure'))
const here: Service<typeof tally> = {
  add: unused,
  flood: unused,
  ping: async () => ({ pid: process.pid }),
}
