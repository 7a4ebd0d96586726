import { isScoped, type Operation } from '@reticle/contracts/api/operation'
import { integer } from '@reticle/contracts/rest/common'
import { invalid, invalidText, notFound } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { contextOf, onlyOne, queryOf, type RequestCheck } from '../call/request.ts'
import type { GatewayServices } from '../ports.ts'

type Organizations = Pick<GatewayServices['organizations'], 'findWorkspace'>

/**
 * Creates the check of the workspace that a call names: `X-Organization`, `org` or `org_id`. Contradictions are
 * errors, and empty values mean the personal workspace. A missing organization and one of other users get the same
 * response.
 */
export function createWorkspaceCheck(organizations: Organizations): RequestCheck {
  return async (request, _reply, operation) => {
    if (!isScoped(operation)) return
    const named = nameOf(request)
    const { principal } = request
    if (!principal) return
    if (!named) {
      const isNarrow = request.dialect?.listsOnlyOwn === true && isList(operation)
      if (isNarrow) request.principal = { ...principal, only_own: true }
      return
    }
    const organization_id = await findOrganization(organizations, named, request)
    const isMember = organization_id === null || principal.organization_roles[organization_id]
    if (!isMember && principal.role !== 'admin') throw noSuchOrganization(named)
    request.principal = { ...principal, scope: { organization_id } }
  }
}

const isList = ({ method, params }: Operation) => method === 'GET' && !params

/** One of them; an empty one means the personal workspace. */
interface Name {
  slug?: string
  organization_id?: string
}

function nameOf(request: FastifyRequest): Name | undefined {
  const query = queryOf(request)
  const org = textOf(query, 'org')
  const organization_id = textOf(query, 'org_id')
  const header = headerOf(request)
  if (organization_id !== undefined && (org ?? header) !== undefined)
    throw invalidText('org_id cannot be combined with org or the X-Organization header.')
  if (org !== undefined && header !== undefined && org !== header)
    throw invalidText('org and the X-Organization header name different organizations.')
  if (organization_id !== undefined) return { organization_id }
  const slug = org ?? header
  return slug === undefined ? undefined : { slug }
}

/** Creates the same error as the service for a missing organization. */
const noSuchOrganization = ({ slug, organization_id }: Name) =>
  notFound(`${organization_id ?? slug} organization does not exist.`)

/**
 * Finds an organization.
 * @throws DomainError invalid for an invalid id, not_found for a missing organization
 */
async function findOrganization(
  organizations: Organizations,
  { slug, organization_id: text }: Name,
  request: FastifyRequest,
): Promise<number | null> {
  const name = text ?? slug
  if (!name) return null
  const id = text === undefined ? undefined : integer.safeParse(text)
  if (id?.error) throw invalid({ org_id: 'A valid integer is required.' })
  const query = { slug, organization_id: id?.data }
  const found = await organizations.findWorkspace(query, contextOf(request))
  return found.organization_id
}

function textOf(query: Map<string, unknown>, name: string): string | undefined {
  const value = onlyOne(name, query.get(name))
  return value === undefined ? undefined : String(value)
}

function headerOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-organization']
  return Array.isArray(given) ? given.join(', ') : given
}
