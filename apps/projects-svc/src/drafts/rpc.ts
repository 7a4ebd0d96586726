import { randomUUID } from 'node:crypto'
import type { tasks } from '@reticle/contracts/api/tasks'
import { invalidText, notFound, type Service, signedIn } from '@reticle/kit'
import { change } from '@reticle/kit/db/change'
import { allow } from '@reticle/kit/policy'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { listOwnLabels } from '../labels/repo.ts'
import { projectRules } from '../projects/policy.ts'
import { lockProject } from '../projects/repo.ts'
import { projectStanding } from '../standing.ts'
import { findOtherDimension, insertTask } from '../tasks/repo.ts'
import { planned } from './labels.ts'
import { dropDraft, publishDraft } from './publish.ts'
import { insertDraft, listDraftsBefore, lockDraft } from './repo.ts'

type Handlers = Pick<
  Service<typeof tasks>,
  'openDraft' | 'addDraftTask' | 'publishDraft' | 'dropDraft'
>

/** What an import into a project makes, which is seen all at once or never (`reliability.md` 6.3). */
export function draftHandlers({ db }: { db: Kysely<ProjectsDb> }): Handlers {
  return {
    async openDraft({ body: { draft_id, project_id, labels: items } }, context) {
      const principal = signedIn(context)
      return change(db, context, async (tx) => {
        const project = await lockProject(tx, project_id)
        if (!project) throw notFound()
        allow(projectRules, 'import', principal, projectStanding(principal, project))
        if (await findOtherDimension(tx, project_id, { dimension: '2d' }))
          throw invalidText('The project has tasks of another dimension than 2d')
        const current = await listOwnLabels(tx, { kind: 'project', id: project_id })
        const labels = await planned(tx, project_id, current, items)
        const based_on = project.labels_revision
        const labels_revision = items.length > 0 ? based_on + 1 : based_on
        await insertDraft(tx, { draft_id, project_id, labels, labels_revision, based_on })
        return { labels_revision, labels }
      })
    },

    async addDraftTask({ draft_id, name, subset }, context) {
      return change(db, context, async (tx) => {
        if (!(await lockDraft(tx, draft_id))) throw notFound()
        return { task_id: await insertTask(tx, { draft_id, name, subset }) }
      })
    },

    async publishDraft(input, context) {
      await db.transaction().execute((tx) => publishDraft(tx, input, context))
    },

    async dropDraft({ draft_id }, context) {
      await db.transaction().execute((tx) => dropDraft(tx, draft_id, context))
    },
  }
}

const dayMs = 24 * 3_600_000

/** Whoever works on a draft has been stopped long before this (`reliability.md` 6.3). */
export async function dropOldDrafts(db: Kysely<ProjectsDb>, now: Date): Promise<void> {
  const cause = { principal: null, request_id: randomUUID() }
  for (const draft_id of await listDraftsBefore(db, new Date(now.getTime() - dayMs)))
    await db.transaction().execute((tx) => dropDraft(tx, draft_id, cause))
}
