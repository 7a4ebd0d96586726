import { type Operation, tables } from '@reticle/contracts'
import { listServiceOperations, type Operations } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/rest/principal'
import { notFound, type Service, unauthenticated } from '@reticle/kit'
import { guardHandlers } from '@reticle/kit/rpc/guard'
import { z } from 'zod'
import type { GatewayServices } from '../ports.ts'

/** Handlers that a test needs; every other operation responds with not_found. */
export type SomeServices = { [N in keyof GatewayServices]?: Partial<GatewayServices[N]> }

export const anna: Principal = {
  user_id: 3,
  username: 'anna',
  first_name: 'Anna',
  last_name: 'Lind',
  email: 'anna@example.org',
  role: 'user',
  token: null,
  organization_roles: {},
  scope: null,
}

/** Credentials of tests: `Token <name>`, and the session cookie `anna`. */
const accounts: Record<string, { principal: Principal; is_deprecated: boolean }> = {
  anna: { principal: anna, is_deprecated: false },
  boss: {
    principal: { ...anna, user_id: 1, username: 'boss', role: 'admin' },
    is_deprecated: false,
  },
  bo: { principal: { ...anna, user_id: 4, username: 'bo' }, is_deprecated: false },
  legacy: { principal: anna, is_deprecated: true },
  reader: { principal: { ...anna, token: { id: 1, read_only: true } }, is_deprecated: false },
  'anna in a browser': { principal: { ...anna, session_id: 1 }, is_deprecated: false },
  writer: { principal: { ...anna, token: { id: 2, read_only: false } }, is_deprecated: false },
}

const authenticate: GatewayServices['identity']['authenticate'] = async ({
  authorization,
  session,
}) => {
  const found = accounts[authorization?.replace('Token ', '') ?? `${session} in a browser`]
  if (!found) throw unauthenticated('Invalid token.')
  return found
}

/** Creates guarded services of all tables; `bugs` collects unexpected errors. */
export function createTestServices(given: SomeServices, bugs: unknown[] = []): GatewayServices {
  const handlers = { ...given, identity: { authenticate, ...given.identity } }
  const guarded = Object.entries(tables).map(([name, table]) => {
    const own = Object.entries(handlers).find(([key]) => key === name)?.[1]
    const all = z.custom<Service<Operations>>().parse({ ...unknownObjects(table), ...own })
    return [name, guardHandlers(all, (thrown) => bugs.push(thrown))]
  })
  return z.custom<GatewayServices>().parse(Object.fromEntries(guarded))
}

function unknownObjects(table: Operations) {
  const refuse = async () => {
    throw notFound()
  }
  return Object.fromEntries(
    listServiceOperations(table).map(({ name }: Operation) => [name, refuse]),
  )
}
