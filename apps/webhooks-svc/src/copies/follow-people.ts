import { userDeleted, userUpdated } from '@reticle/contracts/events/users'
import { onEvent, routeEvents } from '@reticle/kit/bus/bus'
import type { WebhooksDb } from '../db/schema.ts'
import { removeOwner, renameOwner } from './repo-people.ts'

/** Updates the stored owner names when users change. Webhooks of a deleted user stay, without an owner. */
export const followPeople = routeEvents<WebhooksDb>([
  onEvent(userUpdated, (tx, { user }) => renameOwner(tx, user)),
  onEvent(userDeleted, (tx, { user }) => removeOwner(tx, user.id)),
])
