import { integer } from '@reticle/contracts/rest/common'
import { invalid, invalidText, notFound } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { type Check, onlyOne, queryOf } from '../request.ts'

/** Paths whose operations have no scope (`spec/api-workspace.md` 1.9). */
const unscoped = /^\/(?:server|schema|auth|organizations|guides|assets|requests)(?:\/|$)/

/**
 * The organization that a request names: `X-Organization`, `org` or `org_id`. Contradictions are errors, empty values
 * mean the personal workspace. No organization exists, so one that is named is unknown.
 */
export const checkScope: Check = (request, _reply, { path }) => {
  if (unscoped.test(path)) return
  const query = queryOf(request)
  const org = textOf(query, 'org')
  const org_id = textOf(query, 'org_id')
  const header = headerOf(request)
  if (org_id !== undefined && (org ?? header) !== undefined)
    throw invalidText('org_id cannot be combined with org or the X-Organization header.')
  if (org !== undefined && header !== undefined && org !== header)
    throw invalidText('org and the X-Organization header name different organizations.')
  if (org_id && !integer.safeParse(org_id).success)
    throw invalid({ org_id: 'A valid integer is required.' })
  const named = org_id || org || header
  if (named) throw notFound(`${named} organization does not exist.`)
}

function textOf(query: Map<string, unknown>, name: string): string | undefined {
  const value = onlyOne(name, query.get(name))
  return value === undefined ? undefined : String(value)
}

function headerOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-organization']
  return Array.isArray(given) ? given.join(', ') : given
}
