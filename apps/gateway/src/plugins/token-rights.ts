import type { Operation } from '@reticle/contracts/api/operation'
import { DomainError } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'

/**
 * What an access token may do on a row; other ways to sign in are not narrowed (`spec/api-workspace.md` 2.3).
 *
 * @throws DomainError forbidden
 */
export function allowToken({ by_token, method }: Operation, { principal }: FastifyRequest): void {
  const token = principal?.token
  if (!token || by_token === 'always') return
  const isReading = method === 'GET'
  if (by_token === 'never') throw new DomainError('forbidden', 'Access tokens may not do this.')
  if (token.read_only && !isReading)
    throw new DomainError('forbidden', 'This access token may only read.')
}
