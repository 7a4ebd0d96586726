import type { Operation } from '@reticle/contracts/api/operation'
import { DomainError } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { queryOf } from '../request.ts'

/**
 * What an access token may do on a row; other ways to sign in are not narrowed (`spec/api-workspace.md` 2.3).
 *
 * @throws DomainError forbidden
 */
export function allowToken({ by_token, method }: Operation, request: FastifyRequest): void {
  const token = request.principal?.token
  if (!token) return
  const isReading = method === 'GET'
  if (by_token === 'never') throw refused('Access tokens may not do this.')
  if (!token.read_only || isReading) return
  if (by_token !== 'always') throw refused('This access token may only read.')
  if (leavesTheHouse(request))
    throw refused('This access token may only read: it may not write into a cloud storage.')
}

/** A file that is made to be downloaded is read; in a cloud storage it is written. */
const leavesTheHouse = (request: FastifyRequest) =>
  [queryOf(request).get('location')].flat().includes('cloud_storage')

const refused = (detail: string) => new DomainError('forbidden', detail)
