import type { CallContext, Principal } from '../call/context.ts'

/**
 * Builds the context of a call by a user. Missing fields get usual
 * values, with a deadline long enough for a whole test file.
 */
export function callAs(
  given: Partial<Principal> | null,
  context: Partial<CallContext> = {},
): CallContext {
  const principal: Principal | null = given && {
    user_id: 1,
    username: `user${given.user_id ?? 1}`,
    first_name: '',
    last_name: '',
    email: '',
    role: 'user',
    token: null,
    organization_roles: {},
    scope: null,
    ...given,
  }
  const { signal } = new AbortController()
  return { principal, request_id: 'test', deadline: Date.now() + 300_000, signal, ...context }
}
