import type { loginRejected } from '@reticle/contracts/events/users'
import type { z } from 'zod'
import type { LogEvent } from './server-events.ts'

/** Returns the log event of a sign-in with a password, or of a sign-out. */
export const signInEvent = (scope: 'login:user' | 'logout:user', user_id: number): LogEvent => ({
  scope,
  obj_id: user_id,
})

/** Returns the log event of a rejected sign-in: the username, the id of its user if one exists, and the reason. */
export function rejectionEvent({
  username,
  user_id,
  reason,
  count,
  names,
}: z.output<typeof loginRejected.data>): LogEvent {
  return {
    scope: 'reject:login',
    obj_name: 'username',
    obj_id: user_id,
    obj_val: username,
    payload: count === undefined ? { reason } : { reason, count, names },
  }
}
