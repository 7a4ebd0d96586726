import { randomUUID } from 'node:crypto'
import type { tasks } from '@reticle/contracts/api/tasks'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { insertTask } from '../tasks/repo.ts'
import { openDraft } from './open.ts'
import { dropDraft, publishDraft } from './publish.ts'
import { listDraftsBefore, lockDraft } from './repo.ts'

type Handlers = Pick<
  Service<typeof tasks>,
  'openDraft' | 'addDraftTask' | 'publishDraft' | 'dropDraft'
>

/**
 * Builds the handlers of drafts: the results of imports and restores, which become visible at once or never
 * (`docs/spec/requests.md#dry-runs-and-merges`).
 */
export function draftHandlers({ db }: { db: Kysely<ProjectsDb> }): Handlers {
  return {
    async openDraft({ body }, context) {
      const principal = signedIn(context)
      return runChange(db, context, (tx) => openDraft(tx, principal, body))
    },

    async addDraftTask({ draft_id, name, subset }, context) {
      return runChange(db, context, async (tx) => {
        if (!(await lockDraft(tx, draft_id))) throw notFound()
        return { task_id: await insertTask(tx, { draft_id, name, subset }) }
      })
    },

    async publishDraft(input, context) {
      return db.transaction().execute((tx) => publishDraft(tx, input, context))
    },

    async dropDraft({ draft_id }, context) {
      await db.transaction().execute((tx) => dropDraft(tx, draft_id, context))
    },
  }
}

const dayMs = 24 * 3_600_000

/** Drops drafts older than a day. Their requests have ended long before. */
export async function dropOldDrafts(db: Kysely<ProjectsDb>, now: Date): Promise<void> {
  const cause = { principal: null, request_id: randomUUID() }
  for (const draft_id of await listDraftsBefore(db, new Date(now.getTime() - dayMs)))
    await db.transaction().execute((tx) => dropDraft(tx, draft_id, cause))
}
