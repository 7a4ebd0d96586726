import type { Operation } from '@reticle/contracts/api/operation'
import { removedOperations as rows } from '@reticle/contracts/api/removed'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import { queryOf } from '../call/request.ts'
import { createInputReader } from '../operations/read.ts'
import { methodOf, pathOf } from '../operations/serve.ts'
import type { GatewayPorts } from '../ports.ts'

/** Serves removed operations: 410 with the name of the replacement. */
export function serveRemovedOperations(
  api: FastifyInstance,
  { settings }: Pick<GatewayPorts, 'settings'>,
): void {
  for (const operation of Object.values(rows)) serveRemovedOperation(api, operation, settings)
}

function serveRemovedOperation(
  api: FastifyInstance,
  operation: Operation,
  settings: GatewayPorts['settings'],
) {
  const read = createInputReader(operation, settings)
  const [method, url] = [methodOf(operation), pathOf(operation)]
  api.route({
    method,
    url,
    config: { operation },
    handler: async (request) => {
      await read(request)
      const query = queryOf(request)
      const isPoll = query.get('action') === 'import_status'
      const instead = isPoll ? 'GET /requests/{rq_id}' : operation.gone
      throw new DomainError('gone', `This endpoint is no longer supported. Use ${instead}`)
    },
  })
}
