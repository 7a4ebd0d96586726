import type { requests } from '@reticle/contracts/api/requests'
import { conflict, notFound, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import { lockSession } from '../../storage/repo-sessions.ts'
import { dropUpload, lockUsed } from '../../storage/repo-uploads.ts'
import { addWholeFiles } from '../files/add-files.ts'
import { assertRoom, lockRoom } from '../files/room.ts'
import { assertAccepts, authorizeUpload } from '../purposes.ts'
import type { UploadDeps } from '../rpc.ts'
import { assertUnused, openSession } from './open-session.ts'

type Requests = Service<typeof requests>

/**
 * Creates the handlers of data-upload sessions, in which files of a task wait until the last request states their use.
 */
export function sessionHandlers({
  db,
  services: { tasks },
  settings,
}: UploadDeps): Pick<Requests, 'openSession' | 'addFiles' | 'deleteTaskData'> {
  const { uploadTtlHours } = settings
  const mediaOf = (id: number) => ({ purpose: 'data', target: 'task', id }) as const

  return {
    async openSession({ id }, context) {
      const facts = await authorizeUpload(tasks, mediaOf(id), context)
      assertAccepts(mediaOf(id), facts)
      const { user_id } = signedIn(context)
      return runChange(db, context, async (tx) => {
        await lockRoom(tx, user_id)
        await assertRoom(tx, user_id, 0, settings)
        const { upload_id, prefix } = await openSession(tx, id, facts, uploadTtlHours, context)
        await lockUsed(tx, upload_id)
        return { upload_id, prefix }
      })
    },

    async addFiles({ body: { upload_id, task_id, files } }, context) {
      await authorizeUpload(tasks, mediaOf(task_id), context)
      return runChange(db, context, async (tx) => {
        const session = await lockSession(tx, task_id, uploadTtlHours)
        if (session?.upload_id !== upload_id) throw notFound('This upload was given up.')
        await assertUnused(tx, task_id)
        await addWholeFiles(tx, session, files, signedIn(context).user_id)
        await lockUsed(tx, upload_id)
        return undefined
      })
    },

    async deleteTaskData({ id }, context) {
      const { size } = await authorizeUpload(tasks, mediaOf(id), context)
      if (size > 0) throw hasMedia()
      return runChange(db, context, async (tx) => {
        const session = await lockSession(tx, id, uploadTtlHours)
        await assertUnused(tx, id)
        if (session) await dropUpload(tx, session)
        return undefined
      })
    },
  }
}

const hasMedia = () =>
  conflict('The task has its media already. It goes with the task.', { code: 'data_initialized' })
