import { factsOf } from '@reticle/contracts/testing/records'
import { type CallContext, notFound } from '@reticle/kit'
import { silentLog } from '@reticle/kit/observe/log'
import { type Outgoing, openOutgoing } from '@reticle/kit/outgoing/fetch'
import { readNets } from '@reticle/kit/outgoing/guard'
import { secretBox } from '@reticle/kit/settings/secrets'
import type { Insertable, Kysely } from 'kysely'
import { afterAll } from 'vitest'
import { lockOrganization } from '../copies/repo-organizations.ts'
import { lockProject } from '../copies/repo-projects.ts'
import type { WebhooksDb, WebhooksTable } from '../db/schema.ts'
import { type HandlerDeps, handlersOf } from '../handlers.ts'
import type { WebhookDeps } from '../webhooks/rpc.ts'

/** Fixtures of the tests of this service, used with a real database. */

export const secrets = secretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)

export interface KnownProject {
  owner_id: number
  organization_id?: number
  /** Roles of members by user id. */
  roles?: Record<number, string>
}

/** Returns a fake of projects-svc with facts of the projects in `known`. */
export function projectFacts(known: Record<number, KnownProject>) {
  const authorize = async ({ id }: { id: number }, { principal }: CallContext) => {
    const project = known[id]
    if (!project) throw notFound()
    const user_id = principal?.user_id ?? 0
    return factsOf({
      target: 'project',
      project_id: id,
      task_id: null,
      size: 0,
      jobs: [],
      organization_id: project.organization_id ?? null,
      organization_role: project.roles?.[user_id] ?? null,
      relations: project.owner_id === user_id ? ['project owner', 'project staff'] : [],
    })
  }
  return { authorize }
}

/** Inserts a webhook of project 7 that subscribes to the listed events, unless `given` overrides it. */
export async function addWebhook(
  db: Kysely<WebhooksDb>,
  given: Partial<Insertable<WebhooksTable>> = {},
): Promise<number> {
  const { project_id = 7 } = given
  if (project_id != null)
    await db
      .transaction()
      .execute((tx) => lockProject(tx, { id: project_id, organization_id: null }))
  const date = new Date('2026-03-01T09:00:00Z')
  const { id } = await db
    .insertInto('webhooks')
    .values({
      type: 'project',
      project_id,
      target_url: 'https://example.org',
      description: '',
      owner_id: 1,
      owner_username: 'anna',
      owner_first_name: '',
      owner_last_name: '',
      events: [
        'create:task',
        'delete:project',
        'delete:task',
        'update:job',
        'update:project',
        'update:task',
      ],
      is_active: true,
      enable_ssl: true,
      created_date: date,
      updated_date: date,
      ...given,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Inserts a webhook of an organization that subscribes to no event, unless `given` overrides it. */
export async function addOrganizationWebhook(
  db: Kysely<WebhooksDb>,
  organization_id: number,
  given: Partial<Insertable<WebhooksTable>> = {},
): Promise<number> {
  await db.transaction().execute((tx) => lockOrganization(tx, organization_id))
  const whose = { type: 'organization', project_id: null, organization_id } as const
  return addWebhook(db, { events: [], ...given, ...whose })
}

/** Creates all handlers, with inert defaults for dependencies that are not given. */
export const testHandlers = (deps: WebhookDeps & Partial<HandlerDeps>) =>
  handlersOf({
    outgoing: nowhere,
    schedule: { seconds: [], random: () => 0.5 },
    disableAfterHours: 0,
    log: silentLog,
    base: 'https://host/api',
    onMessages: () => undefined,
    ...deps,
  })

const nowhere = openOutgoing({ nets: [], allowHttp: false })

/** Returns outgoing calls that can reach this machine only. */
export function resolveLoopback(): Outgoing {
  const outgoing = openOutgoing({ nets: readNets(['127.0.0.0/8']), allowHttp: true })
  afterAll(() => outgoing.close())
  return outgoing
}
