import { tables } from '@reticle/contracts'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import type { GatewayPorts } from '../ports.ts'
import { reader } from '../read.ts'
import { pathOf } from '../serve.ts'

/** Annotations of a whole project exist only through exports (`spec/api-annotations.md` 1.9). */
export function serveGone(
  api: FastifyInstance,
  { settings }: Pick<GatewayPorts, 'settings'>,
): void {
  const operation = tables.annotations.getProjectAnnotations
  const read = reader(operation, settings)
  api.get(pathOf(operation), { config: { operation } }, async (request) => {
    await read(request)
    const instead = 'Use POST /projects/{id}/dataset/export'
    throw new DomainError('gone', `This endpoint is no longer supported. ${instead}`)
  })
}
