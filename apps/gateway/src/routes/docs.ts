import { restOperations, tables } from '@reticle/contracts'
import { openapi } from '@reticle/contracts/openapi'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { stringify } from 'yaml'
import { readAccept } from '../plugins/accept.ts'
import { pagePolicy, referencePage } from '../reference/page.ts'
import { queryOf } from '../request.ts'
import { pathOf } from '../serve.ts'

const yamlType = 'application/vnd.oai.openapi'
const jsonType = 'application/vnd.oai.openapi+json'
/** Not every reader of YAML knows aliases. */
const noAliases = { aliasDuplicateObjects: false }

/**
 * This interface as OpenAPI 3.1, YAML unless JSON is asked for (`GET /schema`), and as a page to read (`GET /docs`,
 * `GET /swagger`): `spec/api-workspace.md` 1.10.
 */
export function serveDocuments(api: FastifyInstance): void {
  const operation = tables.server.getSchema
  const asJson = once(() => Buffer.from(JSON.stringify(openapi(restOperations))))
  const asYaml = once(() => Buffer.from(stringify(openapi(restOperations), noAliases)))
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, (request, reply) => {
    const isJson = wantsJson(request)
    reply.headers({ 'cache-control': 'no-cache', 'content-type': isJson ? jsonType : yamlType })
    return reply.send(isJson ? asJson() : asYaml())
  })

  const asPage = once(() => Buffer.from(referencePage(openapi(restOperations))))
  for (const page of [tables.server.getDocs, tables.server.getSwagger])
    api.get(
      pathOf(page),
      { config: { operation: page, ignoresAccept: true } },
      (_request, reply) => {
        reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': pagePolicy })
        return reply.type('text/html; charset=utf-8').send(asPage())
      },
    )
}

function wantsJson(request: FastifyRequest): boolean {
  const accept = readAccept(request.headers.accept)?.toLowerCase() ?? ''
  return queryOf(request).get('scheme') === 'json' || accept.includes(jsonType)
}

/** Made when first asked for, kept from then on. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
