import { identity } from '@reticle/contracts/api/identity'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { overTransport, type Transport } from '@reticle/kit/testing/transport'
import { readConfig } from '../config.ts'
import { migrations } from '../db/migrations/index.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { membershipsOfUsers } from '../organizations/index.ts'
import type { IdentitySettings } from './deps.ts'
import type { Mail, Mailer } from './mail/mailer.ts'
import { identityHandlers } from './rpc.ts'
import { createUser, type NewUser } from './users.ts'

const defaults: IdentitySettings = {
  maxAccessTokens: 50,
  accessTokenStaleDays: 180,
  registration: true,
  defaultRole: 'user',
  publicUrl: 'https://label.example.org',
  uiUrl: 'https://ui.example.org',
  emailVerification: 'none',
}

/**
 * Sets up identity on the database of the test file, with a clock that only moves forward, from noon of 1 March 2026.
 */
export async function testIdentity() {
  const db = await testDb<ProjectsDb>(migrations, 'projects')
  const keys = { user: 'users', accesstoken: 'access_tokens', login: 'password_failures' }
  await checkEmitOrder(db, keys)
  const clock = testClock('2026-03-01T12:00:00Z')
  const { organizations } = readConfig({})
  const memberships = membershipsOfUsers({ clock, settings: organizations })
  const mails: Mail[] = []
  const box: Mailer = {
    async send(mail) {
      mails.push(mail)
    },
  }
  let count = 0

  return {
    db,
    clock,
    settings: defaults,
    memberships,
    /** Returns the events so far in the order of emission, and deletes them. */
    takeEvents: async () => {
      const rows = await db.deleteFrom('outbox').returningAll().execute()
      const sorted = rows.sort((one, other) => one.id - other.id)
      return sorted.map(({ type, key, data, headers }) => ({ type, key, data, headers }))
    },
    /** Sent mails, oldest first. */
    mails,
    over: (
      transport: Transport,
      settings: Partial<IdentitySettings> = {},
      mailer: Mailer | null = box,
    ) => {
      const deps = {
        db,
        clock,
        settings: { ...defaults, ...settings },
        memberships,
        mailer: mailer ?? undefined,
      }
      return overTransport(transport, identity, identityHandlers(deps))
    },
    /** Adds a user named `name<number>` with the password `secret`, unless other values are passed. */
    addUser: (given: Partial<NewUser> = {}) => {
      const username = `name${++count}`
      return createUser(db, { username, email: '', password: 'secret', ...given })
    },
    /** Returns the context of a call signed in as that user. */
    as: ({ id, role }: { id: number; role: 'admin' | 'user' | 'worker' | null }) =>
      callAs({ user_id: id, role }),
    days: (count: number) => clock.advance(count * 86_400_000),
  }
}

export const anonymousCall = () => callAs(null)
export const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
