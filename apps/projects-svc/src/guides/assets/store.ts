import { type Asset, type AssetUpload, largestAsset } from '@reticle/contracts/rest/assets'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { DomainError, invalid, unavailable } from '@reticle/kit/call/errors'
import { cutBytes } from '@reticle/kit/call/pieces'
import { assertPermitted } from '@reticle/kit/call/policy'
import type { KeyedQueue } from '@reticle/kit/scheduling/keyed-queue'
import type { Kysely, Transaction } from 'kysely'
import { ownerOf } from '../../access/owner.ts'
import { noSuchObject } from '../../bodies/field-error.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { peopleOf } from '../../organizations/index.ts'
import { guideRules } from '../policy.ts'
import { mostAssets } from '../references.ts'
import { findGuide, type GuideView } from '../repo.ts'
import { guideStanding } from '../standing.ts'
import { lockTarget } from '../target.ts'
import { assetKey, uploadPrefix } from './keys.ts'
import { kindOf } from './kind.ts'
import { toAsset } from './messages.ts'
import { fitPicture } from './picture.ts'
import { countAssets, insertAssets } from './repo.ts'
import { makeDead, makeLive, registerPending } from './repo-objects.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export interface StoreDeps {
  db: Db
  blobs: BlobStore
  /** Limit on files that are checked at the same time, because each is held in memory. */
  inTurn: KeyedQueue
}

/** Asset whose object is stored and registered, and which no row references yet. */
export interface StoredAsset {
  uuid: string
  guide_id: number
  filename: string
  media_type: string
  key: string
  size: number
  /** Prefix of the uploaded parts. */
  prefix: string
}

/**
 * Checks an uploaded file and stores the asset object made from it. Runs outside transactions: the sweep deletes the
 * object after a crash, and a repeated call gives the same result.
 *
 * @throws DomainError invalid, forbidden
 */
export async function storeFile(
  { db, blobs, inTurn }: StoreDeps,
  principal: Principal,
  { upload_id: uuid, guide_id, filename, media_type: declared }: AssetUpload,
  signal: AbortSignal,
): Promise<StoredAsset> {
  const { user_id } = principal
  const guide = assertMayAddAssets(await findGuide(db, guide_id, user_id), guide_id, principal)
  await assertRoom(db, guide_id)
  const prefix = uploadPrefix(user_id, uuid)
  const { organization_id } = guide
  const key = assetKey(organization_id, user_id, uuid)
  const run = async () => {
    signal.throwIfAborted()
    const bytes = await readWhole(blobs, `${prefix}0`)
    const media_type = kindOf({ filename, media_type: declared }, bytes)
    const isPicture = media_type.startsWith('image/')
    const kept = isPicture ? await fitPicture(bytes, media_type) : bytes
    await registerPending(db, { key, kind: 'asset', organization_id })
    const { size } = await blobs.put(key, piecesOf(kept), { signal })
    return { uuid, guide_id, filename, media_type, key, size, prefix }
  }
  return inTurn('file', run, { ms: turnMs, late: tooMany })
}

/** Shorter than the deadline of the whole call. */
const turnMs = 30_000
const tooMany = () =>
  new DomainError('too_many', 'Too many files arrive at once.', { retry_after: 5 })

/**
 * Inserts the row of a stored asset and marks the uploaded parts for deletion.
 *
 * @throws DomainError invalid, forbidden, unavailable
 */
export async function addAsset(
  tx: Tx,
  principal: Principal,
  { prefix, ...stored }: StoredAsset,
): Promise<Asset> {
  const { user_id: owner_id } = principal
  const { guide_id, key, size } = stored
  await lockGuide(tx, guide_id, principal)
  await assertRoom(tx, guide_id)
  if (!(await makeLive(tx, key, size))) throw unavailable('The file has gone, send it again.')
  await makeDead(tx, prefix)
  const [row] = await insertAssets(tx, [{ ...stored, owner_id }])
  if (!row) throw new Error(`asset ${stored.uuid} was not inserted`)
  return toAsset(row, await peopleOf(tx, [owner_id]))
}

/** Locks the target of a guide, so that no other transaction adds an asset at the same time. */
async function lockGuide(tx: Tx, id: number, principal: Principal): Promise<void> {
  const seen = assertMayAddAssets(await findGuide(tx, id, principal.user_id), id, principal)
  await lockTarget(tx, ownerOf(seen))
  assertMayAddAssets(await findGuide(tx, id, principal.user_id), id, principal)
}

function assertMayAddAssets(
  guide: GuideView | undefined,
  id: number,
  principal: Principal,
): GuideView {
  if (!guide) throw invalid({ guide_id: noSuchObject(id) })
  assertPermitted(guideRules, 'add:assets', principal, guideStanding(principal, guide))
  return guide
}

async function assertRoom(db: Db, guide_id: number): Promise<void> {
  const count = await countAssets(db, guide_id)
  if (count >= mostAssets)
    throw invalid({ guide_id: `The guide has ${count} assets, more than ${mostAssets} it cannot.` })
}

function rejectMissingUpload(thrown: unknown): never {
  if (!(thrown instanceof DomainError) || thrown.kind !== 'not_found') throw thrown
  throw invalid({ file: 'The file has gone, send it again.' })
}

async function readWhole(blobs: BlobStore, key: string): Promise<Buffer> {
  const { size, chunks } = await blobs.get(key).catch(rejectMissingUpload)
  if (size > largestAsset) throw new Error(`${key} is larger than an asset may be`)
  const pieces: Uint8Array[] = []
  for await (const piece of chunks) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* cutBytes(bytes)
}
