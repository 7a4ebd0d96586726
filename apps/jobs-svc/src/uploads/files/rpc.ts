import { randomUUID } from 'node:crypto'
import type { requests } from '@reticle/contracts/api/requests'
import { type CallContext, conflict, notFound, type Service, signedIn } from '@reticle/kit'
import { spreadKey } from '@reticle/kit/blob/spread'
import { runChange } from '@reticle/kit/db/change'
import type { Transaction } from 'kysely'
import type { RequestsDb } from '../../db/schema.ts'
import { tenantOf } from '../../requests/post.ts'
import { type ContentOwner, useContents } from '../../storage/repo-contents.ts'
import { dropUpload, expiryOf, insertUpload, lockUsed } from '../../storage/repo-uploads.ts'
import { type Aim, assertAccepts, assertName, authorizeUpload, targetOf } from '../purposes.ts'
import type { UploadDeps } from '../rpc.ts'
import { assertUnused, openSession } from '../sessions/open-session.ts'
import { makeRoom } from './add-files.ts'
import { isAnother, noteStored, openNext } from './chunks.ts'
import { fileIdOf, readFileId } from './file-id.ts'
import { assertIncomplete, findOwnFile, type NamedFile } from './own-file.ts'
import { deleteFiles, findUploadOf, insertFiles, lockFile } from './repo.ts'
import { assertRoom, lockRoom } from './room.ts'

type Requests = Service<typeof requests>
type Tx = Transaction<RequestsDb>
type NewFile = Parameters<Requests['createFile']>[0]
type Dropped =
  | 'deleteTaskDataFile'
  | 'deleteTaskAnnotationsFile'
  | 'deleteJobAnnotationsFile'
  | 'deleteProjectDatasetFile'
  | 'deleteProjectBackupFile'
  | 'deleteTaskBackupFile'
type Handlers = Pick<Requests, 'createFile' | 'findFile' | 'openChunk' | 'noteChunk' | Dropped>

/** Creates the handlers of resumable uploads: stored offsets, and leases to store the next bytes. */
export function fileHandlers(deps: UploadDeps): Handlers {
  const { db, services, settings } = deps
  const { uploadTtlHours: ttl } = settings
  const drop = (purpose: Aim['purpose'], target: Aim['target']) => {
    return (named: { id?: number; file_id: string }, context: CallContext) =>
      dropFile(deps, { id: 0, ...named, purpose, target }, context)
  }

  return {
    createFile: (given, context) => createFile(deps, given, context),

    async findFile(named, context) {
      await authorizeUpload(services.tasks, named, context)
      const file = assertIncomplete(await findOwnFile(db, named, ttl, context))
      const { name: filename, length, offset } = file
      return { filename, length, offset, expires_date: expiryOf(file, ttl) }
    },

    async openChunk({ offset, bytes, ...named }, context) {
      await authorizeUpload(services.tasks, named, context)
      return runChange(db, context, async (tx) => {
        const { file_id, upload_id } = await findOwnFile(tx, named, ttl, context)
        const file = await lockAfterUse(tx, { file_id, upload_id })
        const next = await openNext(tx, assertIncomplete(file), { offset, bytes })
        const { key, tail, lease } = next
        const is_checked = file.expected_sha256 !== null && offset + bytes === file.length
        return {
          filename: next.name,
          key,
          offset: next.offset,
          ...(tail !== null && { tail }),
          ...(lease !== null && { lease }),
          ...(is_checked && { is_checked }),
        }
      })
    },

    async noteChunk({ file_id: given, lease, ...stored }, context) {
      return runChange(db, context, async (tx) => {
        const file_id = readFileId(given)?.file_id
        const upload_id = file_id && (await findUploadOf(tx, file_id))
        if (!file_id || !upload_id) throw notFound()
        const file = await lockAfterUse(tx, { file_id, upload_id })
        const expires_date = expiryOf(file, ttl)
        if (file.lease !== lease) return { is_noted: false, offset: file.offset, expires_date }
        if (isAnother(file, stored)) {
          await deleteFiles(tx, [file])
          return { is_noted: true, is_refused: true, offset: 0, expires_date }
        }
        await noteStored(tx, file, stored)
        return { is_noted: true, offset: stored.offset, expires_date }
      })
    },

    deleteTaskDataFile: drop('data', 'task'),
    deleteTaskAnnotationsFile: drop('annotations', 'task'),
    deleteJobAnnotationsFile: drop('annotations', 'job'),
    deleteProjectDatasetFile: drop('dataset', 'project'),
    deleteProjectBackupFile: drop('backup', 'project'),
    deleteTaskBackupFile: drop('backup', 'task'),
  }
}

/** Locks a file and its upload, and restarts the expiry of the upload. */
async function lockAfterUse(
  tx: Tx,
  { file_id, upload_id }: { file_id: string; upload_id: string },
) {
  const used = await lockUsed(tx, upload_id)
  const file = await lockFile(tx, file_id)
  if (!used || !file) throw notFound()
  return { ...file, ...used }
}

async function createFile(
  { db, services, settings }: UploadDeps,
  aim: NewFile,
  context: CallContext,
): Promise<{ file_id: string; expires_date: string; offset?: number }> {
  const { purpose, id, name, length, sha256 } = aim
  const { user_id: owner_id } = signedIn(context)
  const facts = await authorizeUpload(services.tasks, aim, context)
  assertAccepts(aim, facts)
  assertName(aim, name)
  return runChange(db, context, async (tx) => {
    const ttl = settings.uploadTtlHours
    await lockRoom(tx, owner_id)
    const { upload_id, prefix } =
      purpose === 'data'
        ? await openSession(tx, id, facts, ttl, context)
        : await insertUpload(tx, { ...uploadOf(aim), owner_id }, facts.organization_id)
    await makeRoom(tx, { upload_id, names: [name], owner_id }, nameTaken)
    const file_id = randomUUID()
    const used = await lockUsed(tx, upload_id)
    if (!used) throw notFound()
    const owner = { tenant: tenantOf(facts.organization_id, owner_id), prefix }
    const known = purpose === 'data' && (await findKnown(tx, owner, { file_id, length, sha256 }))
    const place = known || { key: spreadKey(`${prefix}${file_id}`, length), offset: 0 }
    if (!known) await assertRoom(tx, owner_id, length, settings)
    const sums = known ? { sha256 } : { expected_sha256: sha256 }
    const upload = { upload_id, prefix }
    await insertFiles(tx, upload, [{ file_id, owner_id, name, length, ...place, ...sums }])
    return {
      file_id: fileIdOf({ owner_id, file_id }),
      expires_date: expiryOf(used, ttl),
      ...(known && { offset: known.offset }),
    }
  })
}

/** Finds a file with the announced checksum that the tenant already has, so that it need not be sent. */
async function findKnown(
  tx: Tx,
  owner: ContentOwner,
  { file_id: key, length: size, sha256 }: { file_id: string } & Pick<NewFile, 'length' | 'sha256'>,
): Promise<{ key: string; offset: number } | undefined> {
  if (sha256 === undefined) return undefined
  const kept = (await useContents(tx, owner, [{ key, size, sha256 }])).get(key)
  return kept === undefined ? undefined : { key: kept, offset: size }
}

const uploadOf = ({ purpose, target, id: target_id }: Aim) => ({
  purpose,
  target: targetOf({ purpose, target }),
  target_id,
})

const nameTaken = (name: string) =>
  conflict(`There is a file called ${name} already.`, { code: 'file_exists' })

async function dropFile(
  { db, services, settings: { uploadTtlHours } }: UploadDeps,
  named: NamedFile,
  context: CallContext,
): Promise<undefined> {
  const { purpose, id } = named
  await authorizeUpload(services.tasks, named, context)
  return runChange(db, context, async (tx) => {
    const { file_id, upload_id } = await findOwnFile(tx, named, uploadTtlHours, context)
    const file = await lockAfterUse(tx, { file_id, upload_id })
    if (purpose === 'data') {
      await assertUnused(tx, id)
      await deleteFiles(tx, [file])
    } else await dropUpload(tx, file)
    return undefined
  })
}
