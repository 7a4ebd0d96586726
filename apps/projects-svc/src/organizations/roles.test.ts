import { identity as table } from '@reticle/contracts/api/identity'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { callAs } from '@reticle/kit/testing/call'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createUser } from '../identity/index.ts'
import { handlers } from '../server.ts'
import { testOrganizations } from '../testing/organizations.ts'

const { db, blobs, addOrganization } = await testOrganizations()
const all = handlers({ db, blobs, clock: systemClock, settings: readConfig({}) })

test.each(transports)(
  'an authenticated user has the roles in organizations, over %s',
  async (transport) => {
    const identity = overTransport(transport, table, all.identity)
    const password = 'a good password'
    const username = `anna-${transport}`
    const { id: user_id } = await createUser(db, { username, email: '', password })
    const { id } = await addOrganization()
    const pending = await addOrganization()
    await db
      .insertInto('memberships')
      .values([
        { organization_id: id, user_id, role: 'supervisor', is_active: true },
        { organization_id: pending.id, user_id, role: 'worker', is_active: false },
      ])
      .execute()
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const { principal } = await identity.authenticate({ authorization, address: '' }, callAs(null))
    expect(principal).toMatchObject({
      user_id,
      organization_roles: { [id]: 'supervisor' },
      scope: null,
    })
    expect(Object.keys(principal.organization_roles)).toHaveLength(1)
  },
)
