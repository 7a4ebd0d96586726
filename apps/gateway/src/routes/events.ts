import { tables } from '@reticle/contracts'
import { getEventsQuery } from '@reticle/contracts/rest/events'
import { DomainError, invalid, notFound, signedIn } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { baseOf, contextOf } from '../call/request.ts'
import { createInputReader } from '../operations/read.ts'
import { pathOf } from '../operations/serve.ts'
import type { GatewayPorts } from '../ports.ts'
import { sendJson } from '../responses/present.ts'
import { sendFile } from './downloads.ts'

/**
 * Serves `GET /events`, the deprecated export of the event log as CSV: the first call starts it; later calls with its
 * `query_id` return 202 while it runs, 201 when it is ready, and the file once for `action=download`. The replacement
 * is `POST /events/export`.
 */
export function serveEvents(api: FastifyInstance, ports: GatewayPorts): void {
  const operation = tables.requests.getEvents
  const read = createInputReader(operation, ports.settings)
  api.get(pathOf(operation), { config: { operation } }, async (request, reply) => {
    const { action, query_id, ...query } = getEventsQuery.parse(await read(request))
    const successor = `${baseOf(request)}/events/export`
    reply.headers({ deprecation: 'true', link: `<${successor}>; rel="successor-version"` })
    if (action !== undefined && action !== '' && action !== 'download')
      throw invalid({ action: `"${action.slice(0, 100)}" is not a valid choice: use download.` })
    if (!['', 'local', undefined].includes(query.location))
      throw invalid({ location: 'Only local is possible here: use POST /events/export.' })
    if (query_id) return followExport(query_id, action === 'download', { request, reply, ports })

    const context = contextOf(request)
    const { rq_id } = await ports.services.requests.exportEvents(
      { ...query, location: undefined },
      context,
    )
    return sendAccepted(request, reply, new URLSearchParams(rq_id).get('id') ?? '')
  })
}

interface Call {
  request: FastifyRequest
  reply: FastifyReply
  ports: GatewayPorts
}

async function followExport(
  query_id: string,
  isDownload: boolean,
  { request, reply, ports }: Call,
): Promise<FastifyReply> {
  const { requests } = ports.services
  const context = contextOf(request)
  if (!z.uuid().safeParse(query_id).success) throw notFound()
  const { user_id } = signedIn(context)
  const rq_id = `action=export&target=events&id=${query_id.toLowerCase()}&user_id=${user_id}`
  const { status, message } = await requests.getRequest({ rq_id }, context)
  if (status === 'failed') throw new DomainError('internal', message, { code: 'export_failed' })
  if (status !== 'finished') return sendAccepted(request, reply, query_id)
  if (!isDownload) return reply.code(201).send()
  const is_last = request.method === 'GET'
  const file = await requests.getResultFile({ target: 'events', id: 0, rq_id, is_last }, context)
  return sendFile(request, reply, file, ports.blobs)
}

const sendAccepted = (request: FastifyRequest, reply: FastifyReply, query_id: string) =>
  sendJson(request, reply.code(202), { query_id })
