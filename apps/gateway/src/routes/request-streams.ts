import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { request as requestRecord } from '@reticle/contracts/rest/requests'
import { absolute } from '@reticle/kit/links'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { GatewayPorts, Phase } from '../ports.ts'
import { apiPrefix, toJson } from '../present.ts'
import { reader } from '../read.ts'
import { contextOf, originOf } from '../request.ts'
import { sendNone } from '../send-bytes.ts'
import { pathOf } from '../serve.ts'

const followed = z.object({ rq_id: z.string().optional() })

/**
 * Requests as they change, as server-sent events (`spec/extensions.md` 5; the format is that of the HTML standard, 9.2). A stream
 * begins with what is, so that one which was cut off loses nothing: clients come back by themselves.
 */
export function serveRequestStreams(api: FastifyInstance, ports: GatewayPorts, phase: Phase): void {
  const { streamRequest, streamRequests } = tables.requests
  for (const operation of [streamRequest, streamRequests]) serveStream(api, operation, ports, phase)
}

function serveStream(
  api: FastifyInstance,
  operation: Operation,
  { services: { requests }, settings }: GatewayPorts,
  phase: Phase,
): void {
  const read = reader(operation, settings)
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, async (request, reply) => {
    const { rq_id } = followed.parse(await read(request))
    const { chunks } = await requests.followRequests({ rq_id }, contextOf(request, reply))
    reply
      .type('text/event-stream')
      .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' }) // proxies pass it on at once
    if (request.method === 'HEAD') {
      await chunks[Symbol.asyncIterator]().return?.()
      return sendNone(reply)
    }
    const base = originOf(request) + apiPrefix
    return reply.send(Readable.from(eventTexts(chunks, base, phase), { objectMode: false }))
  })
}

const tickMs = 1000
/** Proxies and clients take a longer silence for the end. */
const silenceMs = 15_000
/** Until a client comes back, in milliseconds. */
const retry = 2000

/** Ends when there is nothing more to tell, or when this process is about to go. */
async function* eventTexts(
  chunks: AsyncIterable<Uint8Array>,
  base: string,
  phase: Phase,
): AsyncGenerator<string> {
  const pieces = chunks[Symbol.asyncIterator]()
  const ask = () => {
    const asked = pieces.next()
    asked.catch(() => undefined) // when it fails, whoever waits for it is told; perhaps nobody does any more
    return asked
  }
  try {
    yield `retry: ${retry}\n\n`
    let silentMs = 0
    let next = ask()
    while (phase.now === 'ready') {
      const piece = await Promise.race([next, sleep(tickMs)])
      if (piece?.done) return
      silentMs = piece ? 0 : silentMs + tickMs
      if (piece) {
        next = ask()
        yield eventsOf(piece.value, base)
      } else if (silentMs >= silenceMs) {
        silentMs = 0
        yield ': still here\n\n'
      }
    }
  } finally {
    pieces.return?.().catch(() => undefined) // not waited for: it may be in the middle of a pause
  }
}

/** The lines of one piece, which are whole. */
function eventsOf(piece: Uint8Array, base: string): string {
  const lines = Buffer.from(piece).toString().split('\n').filter(Boolean)
  return lines.map((line) => eventOf(requestRecord.parse(JSON.parse(line)), base)).join('')
}

function eventOf(record: z.infer<typeof requestRecord>, base: string): string {
  return `event: request\nid: ${record.id}\ndata: ${toJson(absolute(requestRecord, record, base))}\n\n`
}
