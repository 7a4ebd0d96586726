import { restOperations, tables } from '@reticle/contracts'
import { buildOpenapi } from '@reticle/contracts/openapi'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { stringify } from 'yaml'
import { queryOf } from '../call/request.ts'
import { pathOf } from '../operations/serve.ts'
import { readAccept } from '../plugins/accept.ts'
import { pagePolicy, renderReferencePage } from '../reference/page.ts'

const yamlType = 'application/vnd.oai.openapi'
const jsonType = 'application/vnd.oai.openapi+json'
const plainJsonType = 'application/json'
/** Aliases are disabled because not every YAML parser supports them. */
const noAliases = { aliasDuplicateObjects: false }

/**
 * Serves the API description in OpenAPI 3.1, as YAML unless JSON is negotiated (`GET /schema`), and as a page (`GET
 * /docs`, `GET /swagger`).
 */
export function serveDocuments(api: FastifyInstance): void {
  const operation = tables.server.getSchema
  const asJson = createOnce(() => Buffer.from(JSON.stringify(buildOpenapi(restOperations))))
  const asYaml = createOnce(() => Buffer.from(stringify(buildOpenapi(restOperations), noAliases)))
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, (request, reply) => {
    const type = typeFor(request)
    reply.headers({ 'cache-control': 'no-cache', 'content-type': type })
    return reply.send(type === yamlType ? asYaml() : asJson())
  })

  const asPage = createOnce(() => Buffer.from(renderReferencePage(buildOpenapi(restOperations))))
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

function typeFor(request: FastifyRequest): string {
  const accept = readAccept(request.headers.accept)?.toLowerCase() ?? ''
  if (queryOf(request).get('scheme') === 'json' || accept.includes(jsonType)) return jsonType
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes([yamlType, plainJsonType])
  return accept !== '' && best === plainJsonType ? plainJsonType : yamlType
}

/** Creates a value on first use and caches it. */
function createOnce<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
