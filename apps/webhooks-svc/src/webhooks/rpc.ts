import type { webhooks } from '@reticle/contracts/api/webhooks'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Webhook, WebhookPatch } from '@reticle/contracts/rest/webhooks'
import { type CallContext, type Service, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { changeAfter, runChange } from '@reticle/kit/db/change'
import type { Guard } from '@reticle/kit/outgoing/guard'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { SecretBox } from '@reticle/kit/settings/secrets'
import type { Transaction, Updateable } from 'kysely'
import type { WebhookRow, WebhooksDb, WebhooksTable } from '../db/schema.ts'
import { changesOf, rotationOf } from './changes.ts'
import { eventsOf, readScope, readWebhookFields, type WebhookFields } from './check.ts'
import { type EnterDeps, enterOrganization, enterProject } from './enter.ts'
import { listWebhooks } from './list.ts'
import { logWebhook, logWebhookUpdate } from './log.ts'
import { toWebhook } from './messages.ts'
import { findPermitted, rejectMissing } from './permit.ts'
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  updateWebhook,
  type WebhookScope,
} from './repo.ts'
import { sealSecret } from './secret.ts'

export interface WebhookDeps extends EnterDeps {
  secrets: SecretBox
  guard: Guard
  clock: Clock
}

type Handlers = Pick<
  Service<typeof webhooks>,
  | 'listWebhooks'
  | 'createWebhook'
  | 'getWebhook'
  | 'updateWebhook'
  | 'replaceWebhook'
  | 'rotateWebhookSecret'
  | 'deleteWebhook'
  | 'listWebhookEvents'
>

/** Creates the handlers of webhooks as a resource. */
export function webhookHandlers(deps: WebhookDeps): Handlers {
  const { db } = deps
  return {
    listWebhookEvents: async ({ type }) => ({ webhook_type: type, events: eventsOf(type) }),

    async listWebhooks(query, context) {
      const { count, results } = await listWebhooks(db, signedIn(context), query)
      return { count, results: results.map(toWebhook) }
    },

    async createWebhook({ body }, context) {
      const owner = signedIn(context)
      const whose = readScope(body, owner)
      const enter =
        'project_id' in whose
          ? await enterProject(deps, whose.project_id, context)
          : enterOrganization(deps, whose.organization_id, context)
      const fields = readWebhookFields(body, body.type, deps.guard)
      const columns = { ...fields, type: body.type, target_url: body.target_url }
      return runChange(db, context, async (tx) => {
        const made = await insert(tx, deps, { ...columns, ...(await enter(tx)) }, owner)
        await logWebhook({ tx, clock: deps.clock }, 'create', made, context)
        return made
      })
    },

    async getWebhook({ id }, context) {
      return toWebhook(await findPermitted(deps, 'view', id, context))
    },

    async updateWebhook({ id, if_match, body }, context) {
      return update(deps, { id, if_match, body }, context)
    },

    async replaceWebhook({ id, if_match, body }, context) {
      return update(deps, { id, if_match, body }, context)
    },

    async rotateWebhookSecret({ id, body }, context) {
      const prepare = () => findPermitted(deps, 'update', id, context)
      return changeAfter(db, context, prepare, (tx) =>
        write(tx, deps, { id, changesTo: (before) => rotationOf(before, body, deps) }, context),
      )
    },

    async deleteWebhook({ id, if_match }, context) {
      const prepare = () => findPermitted(deps, 'delete', id, context)
      await changeAfter(db, context, prepare, async (tx) => {
        assertMatches(if_match, (await lockWebhook(tx, id)) ?? rejectMissing())
        await logWebhook({ tx, clock: deps.clock }, 'delete', await read(tx, id), context)
        await deleteWebhook(tx, id)
      })
    },
  }
}

async function read(tx: Transaction<WebhooksDb>, id: number): Promise<Webhook> {
  return toWebhook((await findWebhook(tx, id)) ?? rejectMissing())
}

async function insert(
  tx: Transaction<WebhooksDb>,
  { clock, secrets }: WebhookDeps,
  { secret = '', ...columns }: NewFields,
  owner: Principal,
): Promise<Webhook> {
  const now = clock.now()
  const dates = { created_date: now, updated_date: now }
  const row = { ...defaults, ...columns, ...ownerColumns(owner), ...dates }
  const id = await insertWebhook(tx, row)
  if (secret) await updateWebhook(tx, id, { secret_sealed: sealSecret(secrets, id, secret) })
  return read(tx, id)
}
type NewFields = WebhookFields & Pick<WebhookRow, 'type' | 'target_url'> & Partial<WebhookScope>

const defaults = {
  description: '',
  events: [],
  is_active: true,
  enable_ssl: true,
  dialect: 'service' as const,
}

const ownerColumns = ({ user_id, username, first_name, last_name }: Principal) => ({
  owner_id: user_id,
  owner_username: username,
  owner_first_name: first_name,
  owner_last_name: last_name,
})

/** PATCH and PUT differ only in the required fields; neither changes a field that the body does not name. */
async function update(
  deps: WebhookDeps,
  { id, if_match, body }: { id: number; if_match?: string; body: WebhookPatch },
  context: CallContext,
): Promise<Webhook> {
  const { type } = await findPermitted(deps, 'update', id, context)
  const fields = readWebhookFields(body, type, deps.guard)
  const changesTo = (before: WebhookRow) => changesOf(before, fields, deps)
  return runChange(deps.db, { ...context, row: `webhook:${id}` }, (tx) =>
    write(tx, deps, { id, if_match, changesTo }, context),
  )
}

interface Change {
  id: number
  if_match?: string
  /** Undefined: the row needs no change. */
  changesTo: (before: WebhookRow) => Updateable<WebhooksTable> | undefined
}

async function write(
  tx: Transaction<WebhooksDb>,
  { clock }: Pick<WebhookDeps, 'clock'>,
  { id, if_match, changesTo }: Change,
  context: CallContext,
): Promise<Webhook> {
  const before = (await lockWebhook(tx, id)) ?? rejectMissing()
  assertMatches(if_match, before)
  const changes = changesTo(before)
  const old = await read(tx, id)
  if (!changes) return old
  await updateWebhook(tx, id, changes)
  const record = await read(tx, id)
  await logWebhookUpdate({ tx, clock }, old, record, context)
  return record
}
