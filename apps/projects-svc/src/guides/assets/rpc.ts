import { randomUUID } from 'node:crypto'
import type { guides } from '@reticle/contracts/api/guides'
import { notFound, type Service, signedIn } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { assertPermitted } from '@reticle/kit/call/policy'
import { changeAfter, runChange } from '@reticle/kit/db/change'
import { createKeyedQueue } from '@reticle/kit/scheduling/keyed-queue'
import type { Kysely } from 'kysely'
import { ownerOf } from '../../access/owner.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { guideRules } from '../policy.ts'
import { guideStanding } from '../standing.ts'
import { lockTarget } from '../target.ts'
import { uploadPrefix } from './keys.ts'
import { toAssetFile } from './messages.ts'
import { deleteAsset, findAsset } from './repo.ts'
import { registerPending } from './repo-objects.ts'
import { addAsset, storeFile } from './store.ts'

type Handlers = Pick<
  Service<typeof guides>,
  'deleteAsset' | 'openAssetUpload' | 'storeAsset' | 'getAssetFile'
>

/**
 * Builds the handlers of guide assets. The gateway reads and writes the bytes, which do not pass through this
 * service.
 */
export function assetHandlers({
  db,
  blobs,
}: {
  db: Kysely<ProjectsDb>
  blobs: BlobStore
}): Handlers {
  const deps = { db, blobs, inTurn: createKeyedQueue() }
  return {
    async openAssetUpload(_, context) {
      const { user_id } = signedIn(context)
      return runChange(db, context, async (tx) => {
        const upload_id = randomUUID()
        const prefix = uploadPrefix(user_id, upload_id)
        await registerPending(tx, { key: prefix, kind: 'upload', organization_id: null })
        return { upload_id, prefix }
      })
    },

    async storeAsset({ body }, context) {
      const principal = signedIn(context)
      const store = () => storeFile(deps, principal, body, context.signal)
      return changeAfter(db, context, store, (tx, stored) => addAsset(tx, principal, stored))
    },

    async getAssetFile({ uuid }, context) {
      const principal = signedIn(context)
      const row = await findAsset(db, uuid, principal.user_id)
      if (!row) throw notFound()
      assertPermitted(guideRules, 'view:assets', principal, guideStanding(principal, row))
      return toAssetFile(row)
    },

    async deleteAsset({ uuid }, context) {
      const principal = signedIn(context)
      await runChange(db, context, async (tx) => {
        const seen = await findAsset(tx, uuid, principal.user_id)
        if (seen) await lockTarget(tx, ownerOf(seen))
        const row = seen && (await findAsset(tx, uuid, principal.user_id))
        if (!row) throw notFound()
        assertPermitted(guideRules, 'remove:assets', principal, guideStanding(principal, row))
        await deleteAsset(tx, uuid)
      })
    },
  }
}
