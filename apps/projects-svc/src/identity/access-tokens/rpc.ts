import type { identity } from '@reticle/contracts/api/identity'
import {
  accessTokenCreated,
  accessTokenDeleted,
  accessTokenUpdated,
} from '@reticle/contracts/events/users'
import type { accessTokenCreate, accessTokenPatch } from '@reticle/contracts/rest/auth'
import { type CallContext, type Service, signedIn } from '@reticle/kit'
import { invalidText, notFound, unauthenticated } from '@reticle/kit/call/errors'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted, listRelations } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import { emit } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import type { z } from 'zod'
import { fieldsBefore, isEmpty } from '../../bodies/changes.ts'
import type { AccessTokenRow, ProjectsDb } from '../../db/schema.ts'
import type { IdentityDeps } from '../deps.ts'
import { toBasicUser } from '../messages.ts'
import { findUser, lockUser } from '../repo.ts'
import { hashOf, newAccessToken } from '../secrets.ts'
import { selfOf, userDeleted } from '../self.ts'
import { readExpiry } from './expiry.ts'
import { listAccessTokens } from './list.ts'
import { type TokenFormat, toAccessToken } from './messages.ts'
import { accessTokenRules } from './policy.ts'
import {
  countAccessTokens,
  findAccessToken,
  insertAccessToken,
  lockAccessToken,
  updateAccessToken,
} from './repo.ts'

/** Calls on access tokens. */
type AccessTokens = Pick<
  Service<typeof identity>,
  | 'listAccessTokens'
  | 'createAccessToken'
  | 'getCurrentAccessToken'
  | 'getAccessToken'
  | 'updateAccessToken'
  | 'deleteAccessToken'
>

export function accessTokenHandlers({ db, clock, settings }: IdentityDeps): AccessTokens {
  const usability = () => ({ now: clock.now(), staleDays: settings.accessTokenStaleDays })

  return {
    async listAccessTokens(query, context) {
      const owner = await selfOf(db, context)
      const { count, results } = await listAccessTokens(db, owner.id, query, usability())
      const user = toBasicUser(owner)
      return { count, results: results.map((row) => toAccessToken(row, user, query)) }
    },

    async createAccessToken({ body, ...shown }, context) {
      const { value, columns } = newToken(body, clock.now())
      const made = await runChange(db, context, async (tx) => {
        const owner = await lockUser(tx, signedIn(context).user_id)
        if (!owner) throw userDeleted()
        const count = await countAccessTokens(tx, owner.id, usability())
        assertRoomForOne(count, settings.maxAccessTokens)
        const row = await insertAccessToken(tx, { ...columns, owner_id: owner.id })
        const accesstoken = toAccessToken(row, toBasicUser(owner))
        await emit(tx, accessTokenCreated, { accesstoken }, context)
        const record = toAccessToken(row, toBasicUser(owner), shown)
        return { record, prefix: columns.prefix }
      })
      // A repeated call: the first response is lost, and its value is not stored, so the token gets a new value.
      const { prefix, token_hash } = columns
      if (made.prefix !== prefix)
        await updateAccessToken(db, made.record.id, { prefix, token_hash })
      return { ...made.record, value }
    },

    async getCurrentAccessToken(shown, context) {
      const { token } = signedIn(context)
      const row = token && (await findAccessToken(db, token.id, usability()))
      if (!row) throw unauthenticated('This request was not signed in by an access token.')
      return withOwner(db, row, shown)
    },

    async getAccessToken({ id, ...shown }, context) {
      const row = allowed('view', context, await findAccessToken(db, id, usability()))
      return withOwner(db, row, shown)
    },

    async updateAccessToken({ id, body, if_match, ...shown }, context) {
      return runChange(db, context, async (tx) => {
        const before = allowed('update', context, await lockAccessToken(tx, id, usability()))
        assertMatches(if_match, before)
        const after = await changeToken(tx, before, body, { clock, context })
        return withOwner(tx, after, shown)
      })
    },

    async deleteAccessToken({ id, if_match }, context) {
      return runChange(db, context, async (tx) => {
        const row = allowed('delete', context, await lockAccessToken(tx, id, usability()))
        assertMatches(if_match, row)
        const accesstoken = await withOwner(tx, row)
        await emit(tx, accessTokenDeleted, { accesstoken }, context)
        await updateAccessToken(tx, id, { revoked_date: clock.now() })
        return undefined
      })
    },
  }
}

type Db = Kysely<ProjectsDb>

function assertRoomForOne(count: number, max: number): void {
  if (max >= 0 && count >= max)
    throw invalidText(
      'You have reached the maximum allowed number of Personal Access Tokens for a user',
    )
}

/** Returns the token if it exists and the caller may do `action`. */
function allowed(
  action: string,
  context: CallContext,
  row: AccessTokenRow | undefined,
): AccessTokenRow {
  if (!row) throw notFound()
  const caller = signedIn(context)
  const relations = listRelations({ owner: row.owner_id === caller.user_id })
  const standing = { organization_id: null, organization_role: null, relations }
  assertPermitted(accessTokenRules, action, caller, standing)
  return row
}

async function withOwner(db: Db, row: AccessTokenRow, shown?: TokenFormat) {
  const owner = await findUser(db, row.owner_id)
  if (!owner) throw notFound()
  return toAccessToken(row, toBasicUser(owner), shown)
}

/** Returns a new value and the columns stored for it. */
function newToken(body: z.output<typeof accessTokenCreate>, now: Date) {
  const { value, prefix } = newAccessToken()
  const columns = {
    name: body.name,
    prefix,
    token_hash: hashOf(value),
    read_only: body.read_only,
    ...(body.dialect && { dialect: body.dialect }),
    expiry_date: body.expiry_date == null ? null : readExpiry(body.expiry_date),
    created_date: now,
    updated_date: now,
  }
  return { value, columns }
}

/** Changes a locked token and emits an event. A change without effect emits none. */
async function changeToken(
  tx: Transaction<ProjectsDb>,
  before: AccessTokenRow,
  body: z.output<typeof accessTokenPatch>,
  { clock, context }: Pick<IdentityDeps, 'clock'> & { context: CallContext },
): Promise<AccessTokenRow> {
  const changes = changesOf(before, body)
  if (isEmpty(changes)) return before
  const was = await withOwner(tx, before)
  const updated_date = laterThan(before.updated_date, clock.now())
  const row = await updateAccessToken(tx, before.id, { ...changes, updated_date })
  const accesstoken = await withOwner(tx, row)
  const before_update = fieldsBefore(was, accesstoken)
  await emit(tx, accessTokenUpdated, { accesstoken, before_update }, context)
  return row
}

type Changes = Partial<Pick<AccessTokenRow, 'name' | 'read_only' | 'dialect' | 'expiry_date'>>

/** Returns the columns that the body changes. */
function changesOf(before: AccessTokenRow, body: z.output<typeof accessTokenPatch>): Changes {
  const { name = before.name, read_only = before.read_only, dialect = before.dialect } = body
  const changes: Changes = {}
  if (name !== before.name) changes.name = name
  if (read_only !== before.read_only) changes.read_only = read_only
  if (dialect !== before.dialect) changes.dialect = dialect
  if (body.expiry_date === undefined) return changes
  const expiry_date = body.expiry_date === null ? null : readExpiry(body.expiry_date)
  if (expiry_date?.getTime() !== before.expiry_date?.getTime()) changes.expiry_date = expiry_date
  return changes
}

/** Every change gets its own date, because the ETag contains it. */
const laterThan = (before: Date, now: Date) =>
  new Date(Math.max(now.getTime(), before.getTime() + 1))
