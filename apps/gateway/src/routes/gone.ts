import { type Operation, tables } from '@reticle/contracts'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import type { GatewayPorts } from '../ports.ts'
import { reader } from '../read.ts'
import { pathOf } from '../serve.ts'

type Settings = Pick<GatewayPorts, 'settings'>

/** What old clients ask for, and what replaces it (`spec/api-annotations.md` 1.9, `spec/api-workspace.md` 5.5). */
export function serveGone(api: FastifyInstance, ports: Settings): void {
  const { getProjectAnnotations } = tables.annotations
  serveOneGone(api, getProjectAnnotations, 'POST /projects/{id}/dataset/export', ports)
  const { getCloudStorageContent } = tables.storages
  serveOneGone(api, getCloudStorageContent, 'GET /cloudstorages/{id}/content-v2', ports)
}

function serveOneGone(
  api: FastifyInstance,
  operation: Operation,
  successor: string,
  { settings }: Settings,
): void {
  const read = reader(operation, settings)
  api.get(pathOf(operation), { config: { operation } }, async (request) => {
    await read(request)
    throw new DomainError('gone', `This endpoint is no longer supported. Use ${successor}`)
  })
}
