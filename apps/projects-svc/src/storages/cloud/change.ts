import type { OperationInput } from '@reticle/contracts/api/operation'
import type { storages } from '@reticle/contracts/api/storages'
import { cloudStorageCreated, cloudStorageUpdated } from '@reticle/contracts/events/cloud-storages'
import type { CloudStorage } from '@reticle/contracts/rest/cloud-storages'
import { type CallContext, conflict, notFound, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted } from '@reticle/kit/call/policy'
import { changeAfter } from '@reticle/kit/db/change'
import { emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { allowPatch } from '../../access/patch-rights.ts'
import { workspaceStanding } from '../../access/roles.ts'
import { changesTo, fieldsBefore, isEmpty } from '../../bodies/changes.ts'
import type { CloudStorageRow, ProjectsDb } from '../../db/schema.ts'
import { holdOrganization } from '../../organizations/index.ts'
import { type BucketColumns, locateBucket, receiverOf } from '../buckets/address.ts'
import { type Credentials, isSame, readCredentials } from '../buckets/credentials.ts'
import {
  assertUsable,
  type BucketAccess,
  bucketSignal,
  openBucket,
  reachOf,
} from '../buckets/open.ts'
import { openCredentials, sealCredentials } from '../buckets/secret.ts'
import type { CloudStorageDeps } from './deps.ts'
import { cloudStorageRules } from './policy.ts'
import { cloudStorageRecord } from './records.ts'
import {
  type CloudStorageChanges,
  findCloudStorage,
  insertCloudStorage,
  lockCloudStorage,
  setCredentials,
  updateCloudStorage,
} from './repo.ts'
import { cloudStorageStanding } from './standing.ts'

type Tx = Transaction<ProjectsDb>
type Creation = OperationInput<typeof storages.createCloudStorage>
type Change = OperationInput<typeof storages.updateCloudStorage>

/** Creates a cloud storage after its bucket was checked. The check runs before the transaction. */
export function createCloudStorage(
  { db, outside }: CloudStorageDeps,
  { body }: Creation,
  context: CallContext,
): Promise<CloudStorage> {
  const principal = signedIn(context)
  const workspace = workspaceStanding(principal)
  assertPermitted(cloudStorageRules, 'create', principal, workspace)
  const { organization_id } = workspace
  const prepare = async () => {
    const { provider_type, resource, display_name, credentials_type } = body
    const { description = '', specific_attributes = '', manifests = [] } = body
    const place = { provider_type, resource, credentials_type, specific_attributes }
    const credentials = readCredentials(place, body)
    const is_inside_allowed = isAdministrator(context)
    await probe(outside, { place, credentials, manifests, is_inside_allowed }, context)
    const row = { ...place, display_name, description, manifests, is_inside_allowed }
    return { row, credentials }
  }
  return changeAfter(db, context, prepare, async (tx, { row: given, credentials }) => {
    await holdOrganization(tx, organization_id)
    const owner_id = principal.user_id
    const row = await insertCloudStorage(tx, { ...given, owner_id, organization_id })
    const sealed = sealCredentials(outside.secrets, row.id, credentials)
    if (sealed !== null) await setCredentials(tx, row.id, sealed)
    const cloudstorage = await cloudStorageRecord(tx, row)
    await emit(tx, cloudStorageCreated, { cloudstorage }, { ...context, organization_id })
    return cloudstorage
  })
}

const isAdministrator = (context: CallContext) => signedIn(context).role === 'admin'

interface BucketProbe extends Pick<CloudStorageRow, 'is_inside_allowed'> {
  place: BucketColumns
  credentials: Credentials
  manifests: readonly string[]
}

async function probe(
  outside: BucketAccess,
  { place, credentials, manifests, ...connected }: BucketProbe,
  context: CallContext,
): Promise<void> {
  const reach = reachOf(outside, connected)
  const located = locateBucket(place, credentials, reach.nets)
  const bucket = await openBucket(reach, located)
  const { prefix } = located.attributes
  await assertUsable(bucket, { prefix, manifests }, bucketSignal(context))
}

/** Every field of a PATCH needs the same permission. */
const rights = { any: 'update' } as const

/** Changes a storage after its bucket was checked again. A change without effect emits no event. */
export function changeCloudStorage(
  deps: CloudStorageDeps,
  { id, body, if_match }: Change,
  context: CallContext,
): Promise<CloudStorage> {
  const { db } = deps
  const prepare = async () => {
    const seen = await findCloudStorage(db, id)
    if (!seen) throw notFound()
    allowChange(body, seen, context)
    assertMatches(if_match, seen)
    return { seen, ...(await planChange(deps.outside, seen, body, context)) }
  }
  return changeAfter(db, context, prepare, async (tx, { seen, changes, isOther }) => {
    const row = await lockCloudStorage(tx, id)
    if (!row) throw notFound()
    allowChange(body, row, context)
    assertMatches(if_match, row)
    if (row.updated_date.getTime() !== seen.updated_date.getTime()) throw changedMeanwhile()
    return isOther ? change(tx, row, changes, context) : cloudStorageRecord(tx, row)
  })
}

function allowChange(body: Change['body'], row: CloudStorageRow, context: CallContext): void {
  const principal = signedIn(context)
  const given = isEmpty(body) ? {} : { any: true }
  allowPatch(cloudStorageRules, rights, given, principal, cloudStorageStanding(principal, row))
}

const changedMeanwhile = () =>
  conflict('The cloud storage was changed while its bucket was asked. Try again.', {
    retry_after: 1,
  })

interface Plan {
  changes: CloudStorageChanges
  isOther: boolean
}

async function planChange(
  outside: BucketAccess,
  row: CloudStorageRow,
  body: Change['body'],
  context: CallContext,
): Promise<Plan> {
  if (isEmpty(body)) return { changes: {}, isOther: false }
  const { resource, display_name, description, credentials_type, specific_attributes } = body
  const wanted = { resource, display_name, description, credentials_type, specific_attributes }
  const changes: CloudStorageChanges = changesTo<Partial<CloudStorageRow>>(row, wanted)
  const { manifests = row.manifests } = body
  if (String(manifests) !== String(row.manifests)) changes.manifests = manifests

  const place = { ...row, ...changesTo<Partial<CloudStorageRow>>(row, wanted) }
  const before = openCredentials(outside.secrets, row)
  const { credentials, is_inside_allowed } = planPlace(
    outside,
    { row, place, before },
    body,
    context,
  )
  if (!isSame(credentials, before))
    changes.credentials_sealed = sealCredentials(outside.secrets, row.id, credentials)
  if (is_inside_allowed !== row.is_inside_allowed) changes.is_inside_allowed = is_inside_allowed
  await probe(outside, { place, credentials, manifests, is_inside_allowed }, context)
  return { changes, isOther: !isEmpty(changes) }
}

/** An administrator who sends one of these fields approves the address, as when creating a storage. */
const placeFields = ['specific_attributes', 'connection_string', 'account_name'] as const

const neededAgain =
  'This field is required: the change sends the credentials to another endpoint or account.'

/**
 * Returns the credentials after a change, and whether the storage may be in an administrator network. Stored
 * credentials are sent only to the receiver for which they were entered: a member who may change the storage does not
 * know them and could otherwise send them to another server.
 */
function planPlace(
  outside: BucketAccess,
  { row, place, before }: { row: CloudStorageRow; place: BucketColumns; before: Credentials },
  body: Change['body'],
  context: CallContext,
) {
  const isSameType = place.credentials_type === row.credentials_type
  const credentials = readCredentials(place, body, isSameType ? before : {})
  const receiver = receiverOf(row, before)
  const isElsewhere = receiver === undefined || receiver !== receiverOf(place, credentials)
  const approves = isAdministrator(context) && placeFields.some((name) => body[name] !== undefined)
  const is_inside_allowed = approves || (row.is_inside_allowed && !isElsewhere)
  locateBucket(place, credentials, reachOf(outside, { is_inside_allowed }).nets) // reports an invalid address first
  return {
    credentials: isElsewhere ? readCredentials(place, body, {}, neededAgain) : credentials,
    is_inside_allowed,
  }
}

async function change(
  tx: Tx,
  row: CloudStorageRow,
  changes: CloudStorageChanges,
  context: CallContext,
): Promise<CloudStorage> {
  const before = await cloudStorageRecord(tx, row)
  const cloudstorage = await cloudStorageRecord(tx, await updateCloudStorage(tx, row.id, changes))
  const data = { cloudstorage, before_update: fieldsBefore(before, cloudstorage) }
  const { organization_id } = row
  await emit(tx, cloudStorageUpdated, data, { ...context, organization_id })
  return cloudstorage
}
