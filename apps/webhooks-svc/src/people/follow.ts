import { userDeleted, userUpdated } from '@reticle/contracts/events/users'
import { on, route } from '@reticle/kit/bus/bus'
import type { WebhooksDb } from '../db/schema.ts'
import { forgetOwner, renameOwner } from './repo.ts'

/** What this service keeps of people follows them: webhooks stay, under their owner's present name, or nobody's. */
export const followPeople = route<WebhooksDb>([
  on(userUpdated, (tx, { user }) => renameOwner(tx, user)),
  on(userDeleted, (tx, { user }) => forgetOwner(tx, user.id)),
])
