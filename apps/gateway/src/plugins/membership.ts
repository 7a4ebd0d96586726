import type { Operation } from '@reticle/contracts/api/operation'
import { forbidden } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'

/**
 * Lists of an organization, and what is made in it, are for its active members (`spec/api-workspace.md` 1.9). Of an object it
 * is the object's own organization that counts: its service asks.
 *
 * @throws DomainError forbidden
 */
export function allowMember({ params }: Operation, { principal }: FastifyRequest): void {
  const id = principal?.scope?.organization_id
  if (params || id == null || principal?.role === 'admin') return
  if (!principal?.organization_roles[id])
    throw forbidden('You are not a member of this organization.')
}
