import { randomUUID } from 'node:crypto'
import type { requests } from '@reticle/contracts/api/requests'
import { type Context, conflict, notFound, type Service, signedIn } from '@reticle/kit'
import { spreadKey } from '@reticle/kit/blob/spread'
import { change } from '@reticle/kit/db/change'
import type { Transaction } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { assertUnused, openSession } from '../sessions/open-session.ts'
import { type Aim, judge, permit, taskOrJob } from '../uploads/purposes.ts'
import { dropUpload, expiryOf, insertUpload, lockUsed } from '../uploads/repo.ts'
import type { UploadDeps } from '../uploads/rpc.ts'
import { makeRoom } from './add-files.ts'
import { noteStored, openNext } from './chunks.ts'
import { fileIdOf, readFileId } from './file-id.ts'
import { type NamedFile, ownFile, unfinished } from './own-file.ts'
import { deleteFiles, findUploadOf, insertFiles, lockFile } from './repo.ts'

type Requests = Service<typeof requests>
type Tx = Transaction<RequestsDb>
type NewFile = Parameters<Requests['createFile']>[0]
type Dropped = 'deleteTaskDataFile' | 'deleteTaskAnnotationsFile' | 'deleteJobAnnotationsFile'
type Handlers = Pick<Requests, 'createFile' | 'findFile' | 'openChunk' | 'noteChunk' | Dropped>

/** Files that arrive in pieces: how much of each is stored, and who may store the next (`spec/api-annotations.md` 2.4). */
export function fileHandlers(deps: UploadDeps): Handlers {
  const { db, services, settings } = deps
  const { uploadTtlHours: ttl } = settings
  const drop = (purpose: Aim['purpose'], target: Aim['target']) => {
    return (named: Pick<NamedFile, 'id' | 'file_id'>, context: Context) =>
      dropFile(deps, { ...named, purpose, target }, context)
  }

  return {
    createFile: (given, context) => createFile(deps, given, context),

    async findFile(named, context) {
      await permit(services.tasks, named, context)
      const file = unfinished(await ownFile(db, named, ttl, context))
      const { name: filename, length, offset } = file
      return { filename, length, offset, expires_date: expiryOf(file, ttl) }
    },

    async openChunk({ offset, bytes, ...named }, context) {
      await permit(services.tasks, named, context)
      return change(db, context, async (tx) => {
        const { file_id, upload_id } = await ownFile(tx, named, ttl, context)
        const file = await lockAfterUse(tx, { file_id, upload_id })
        const next = await openNext(tx, unfinished(file), { offset, bytes })
        const { key, tail, lease } = next
        return {
          ...{ filename: next.name, key, offset: next.offset },
          ...(tail !== null && { tail }),
          ...(lease !== null && { lease }),
        }
      })
    },

    async noteChunk({ file_id: given, lease, ...stored }, context) {
      return change(db, context, async (tx) => {
        const file_id = readFileId(given)?.file_id
        const upload_id = file_id && (await findUploadOf(tx, file_id))
        if (!file_id || !upload_id) throw notFound()
        const file = await lockAfterUse(tx, { file_id, upload_id })
        const expires_date = expiryOf(file, ttl)
        if (file.lease !== lease) return { is_noted: false, offset: file.offset, expires_date }
        await noteStored(tx, file, stored)
        return { is_noted: true, offset: stored.offset, expires_date }
      })
    },

    deleteTaskDataFile: drop('data', 'task'),
    deleteTaskAnnotationsFile: drop('annotations', 'task'),
    deleteJobAnnotationsFile: drop('annotations', 'job'),
  }
}

/** The file with its upload, whose time begins anew; both are locked. */
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
  context: Context,
): Promise<{ file_id: string; expires_date: string }> {
  const { purpose, id, name, length } = aim
  const { user_id: owner_id } = signedIn(context)
  const facts = await permit(services.tasks, aim, context)
  judge(aim, facts)
  return change(db, context, async (tx) => {
    const ttl = settings.uploadTtlHours
    const { upload_id, prefix } =
      purpose === 'data'
        ? await openSession(tx, id, facts, ttl, context)
        : await insertUpload(tx, { ...uploadOf(aim), owner_id }, facts.organization_id)
    await makeRoom(tx, { upload_id, names: [name], owner_id }, nameTaken)
    const file_id = randomUUID()
    const key = spreadKey(`${prefix}${file_id}`, length)
    await insertFiles(tx, [{ file_id, upload_id, owner_id, name, key, length, offset: 0 }])
    const used = await lockUsed(tx, upload_id)
    if (!used) throw notFound()
    return { file_id: fileIdOf({ owner_id, file_id }), expires_date: expiryOf(used, ttl) }
  })
}

const uploadOf = ({ purpose, target, id: target_id }: Aim) => ({
  ...{ purpose, target: taskOrJob(target), target_id },
})

const nameTaken = (name: string) =>
  conflict(`There is a file called ${name} already.`, { code: 'file_exists' })

async function dropFile(
  { db, services, settings: { uploadTtlHours } }: UploadDeps,
  named: NamedFile,
  context: Context,
): Promise<undefined> {
  const { purpose, id } = named
  await permit(services.tasks, named, context)
  return change(db, context, async (tx) => {
    const { file_id, upload_id } = await ownFile(tx, named, uploadTtlHours, context)
    const file = await lockAfterUse(tx, { file_id, upload_id })
    if (purpose === 'data') {
      await assertUnused(tx, id)
      await deleteFiles(tx, [file])
    } else await dropUpload(tx, file)
    return undefined
  })
}
