import { text } from 'node:stream/consumers'
import { events as table } from '@reticle/contracts/api/events'
import { organizationCreated, organizationUpdated } from '@reticle/contracts/events/organizations'
import { projectCreated } from '@reticle/contracts/events/projects'
import { clientEvents, type EventFilter, eventColumns } from '@reticle/contracts/rest/events'
import { organizationRecord, projectRecord } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { consumeEvents } from '../consumer.ts'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { eventHandlers } from './rpc.ts'

/** The event log in organizations: docs/spec/workspace.md#event-log */

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:01Z')
const handlers = eventHandlers({ db, bulk: db, clock })
const arrives = createDeliverer(
  db,
  consumeEvents({ clock, base: 'https://host/api', onMessages: () => undefined }),
)
const organization = organizationRecord({ id: 2, slug: 'acme' })
const project = projectRecord({ organization: 2, organization_id: 2 })

beforeEach(async () => {
  await sql`truncate events, webhooks, projects, organizations cascade`.execute(db)
})

const everything: EventFilter = {
  org_id: null,
  project_id: null,
  task_id: null,
  job_id: null,
  user_id: null,
  from: null,
  to: null,
}
const places = async () =>
  db.selectFrom('events').select(['scope', 'org_id', 'org_slug']).orderBy('ordinal').execute()
const names = { first_name: '', last_name: '', email: '' }
const by = (id: number) => ({ actor: { id, username: `user${id}`, ...names } })

describe.each(transports)('over %s', (transport) => {
  const log = overTransport(transport, table, handlers)
  const read = async (filter: Partial<EventFilter>, call = callAs({ role: 'admin' })) => {
    const { chunks } = await log.readEvents({ ...everything, ...filter }, call)
    const [, ...lines] = (await text(chunks)).trimEnd().split('\n')
    return lines
  }
  const column = (name: (typeof eventColumns)[number]) => (line: string) =>
    line.split(',')[eventColumns.indexOf(name)]

  test('a log event has the organization and its slug at that time', async () => {
    await arrives(organizationCreated, { organization })
    await arrives(projectCreated, { project })
    const renamed = { ...organization, slug: 'ajax' }
    await arrives(organizationUpdated, {
      organization: renamed,
      before_update: { slug: 'acme' },
    })
    await arrives(projectCreated, { project: { ...project, id: 8 } })
    expect((await places()).sort((one, other) => one.scope.localeCompare(other.scope))).toEqual([
      { scope: 'create:organization', org_id: 2, org_slug: 'acme' },
      { scope: 'create:project', org_id: 2, org_slug: 'acme' },
      { scope: 'create:project', org_id: 2, org_slug: 'ajax' },
      { scope: 'update:organization', org_id: 2, org_slug: 'ajax' },
    ])
  })

  test('an export adds a slug that arrived after the event', async () => {
    await arrives(projectCreated, { project })
    expect(await places()).toMatchObject([{ org_id: 2, org_slug: null }])
    await arrives(organizationCreated, { organization })
    expect((await read({ project_id: 7 })).map(column('org_slug'))).toEqual(['acme'])
  })

  test('client events belong to the organization that the request names', async () => {
    await arrives(organizationCreated, { organization })
    const timestamp = '2026-03-01T09:00:00Z'
    const body = clientEvents.parse({ timestamp, events: [{ scope: 'draw:object', timestamp }] })
    const inAcme = callAs({ user_id: 3, scope: { organization_id: 2 } })
    const { events } = await log.recordEvents({ body }, inAcme)
    expect(events).toMatchObject([{ org_id: 2, org_slug: 'acme' }])
    const { events: own } = await log.recordEvents({ body }, callAs({ user_id: 3 }))
    expect(own).toMatchObject([{ org_id: null, org_slug: null }])
    const drawn = (await places()).filter(({ scope }) => scope === 'draw:object')
    expect(drawn.map(({ org_slug }) => org_slug).sort()).toEqual(['acme', null])
  })
})

describe('permissions to export events', () => {
  const query = (filter: Partial<EventFilter>) => ({ ...everything, ...filter })
  const permitted = (filter: Partial<EventFilter>, call: ReturnType<typeof callAs>) =>
    handlers.permitEventExport(query(filter), call)
  const member = (
    role: 'owner' | 'maintainer' | 'supervisor' | 'worker',
    global: 'user' | 'worker' = 'user',
  ) => callAs({ user_id: 3, role: global, organization_roles: { 2: role } })
  const refused = { kind: 'forbidden' }

  test.each(['owner', 'maintainer'] as const)(
    'an organization %s may export all events of the organization',
    async (role) => {
      expect(await permitted({ org_id: 2 }, member(role))).toEqual(query({ org_id: 2 }))
      const others = { org_id: 2, user_id: 4, project_id: 7 }
      expect(await permitted(others, member(role))).toEqual(query(others))
      await expect(permitted({ org_id: 5 }, member(role))).rejects.toMatchObject(refused)
    },
  )

  test.each(['supervisor', 'worker'] as const)(
    'an organization %s may export their own events of the organization',
    async (role) => {
      const own = query({ org_id: 2, user_id: 3 })
      expect(await permitted({ org_id: 2 }, member(role))).toEqual(own)
      expect(await permitted({ org_id: 2, user_id: 3 }, member(role))).toEqual(own)
      await expect(permitted({ org_id: 2, user_id: 4 }, member(role))).rejects.toMatchObject(
        refused,
      )
    },
  )

  test.each(['owner', 'maintainer', 'supervisor', 'worker'] as const)(
    'an %s who names no organization may export their own events in all organizations',
    async (role) => {
      expect(await permitted({}, member(role))).toEqual(query({ user_id: 3 }))
      await expect(permitted({ user_id: 4 }, member(role))).rejects.toMatchObject(refused)
    },
  )

  test.each(['owner', 'worker'] as const)(
    'a global worker may export nothing as %s of the organization',
    async (role) => {
      const attempt = permitted({ org_id: 2 }, member(role, 'worker'))
      await expect(attempt).rejects.toMatchObject(refused)
    },
  )

  test('the workspace that the request names restricts the export like a filter', async () => {
    const naming = (organization_id: number | null, role: 'owner' | 'worker') =>
      callAs({
        user_id: 3,
        organization_roles: { 2: role },
        scope: { organization_id },
      })
    expect(await permitted({}, naming(2, 'owner'))).toEqual(
      query({ org_id: 2, is_personal: false }),
    )
    expect(await permitted({}, naming(2, 'worker'))).toMatchObject({ org_id: 2, user_id: 3 })
    await expect(permitted({}, naming(5, 'owner'))).rejects.toMatchObject(refused)
    const personal = await permitted({}, naming(null, 'owner'))
    expect(personal).toMatchObject({ org_id: null, user_id: 3, is_personal: true })
  })

  test('the personal workspace contains events without an organization', async () => {
    await arrives(projectCreated, { project }, by(3))
    await arrives(projectCreated, { project: projectRecord({ id: 8 }) }, by(3))
    await arrives(projectCreated, { project: projectRecord({ id: 9 }) }, by(4))
    const read = async (call: ReturnType<typeof callAs>) => {
      const { chunks } = await handlers.readEvents(everything, call)
      const [, ...lines] = (await text(chunks)).trimEnd().split('\n')
      return lines.map((line) => line.split(',')[eventColumns.indexOf('project_id')])
    }
    const personal = { scope: { organization_id: null } }
    expect((await read(callAs({ user_id: 3, ...personal }))).sort()).toEqual(['8'])
    expect((await read(callAs({ role: 'admin', ...personal }))).sort()).toEqual(['8', '9'])
    const acme = { scope: { organization_id: 2 } }
    expect(await read(callAs({ role: 'admin', ...acme }))).toEqual(['7'])
  })
})
