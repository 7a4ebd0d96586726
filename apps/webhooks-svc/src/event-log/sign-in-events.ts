import type { loginRejected } from '@reticle/contracts/events/users'
import type { z } from 'zod'
import type { Told } from './server-events.ts'

/** Somebody came in by password, or left. */
export const signInEvent = (scope: 'login:user' | 'logout:user', user_id: number): Told => ({
  scope,
  obj_id: user_id,
})

/** Somebody did not come in: under which name, whose that is where it is anybody's, and why not. */
export function rejectionEvent({
  username,
  user_id,
  reason,
  count,
  names,
}: z.output<typeof loginRejected.data>): Told {
  return {
    scope: 'reject:login',
    obj_name: 'username',
    obj_id: user_id,
    obj_val: username,
    payload: count === undefined ? { reason } : { reason, count, names },
  }
}
