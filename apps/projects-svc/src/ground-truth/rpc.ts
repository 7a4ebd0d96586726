import type { jobs } from '@reticle/contracts/api/jobs'
import type { tasks } from '@reticle/contracts/api/tasks'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import { assertPermitted } from '@reticle/kit/policy'
import type { Kysely } from 'kysely'
import { authorizeTarget } from '../authorize.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { taskStanding } from '../standing.ts'
import { taskRules } from '../tasks/policy.ts'
import { lockTask } from '../tasks/repo.ts'
import { changeDisabledFrames, toLayout } from './layout.ts'
import { listValidationFrames } from './repo.ts'

type Deps = { db: Kysely<ProjectsDb> }
type OfTasks = Pick<Service<typeof tasks>, 'getTaskValidationLayout' | 'updateTaskValidationLayout'>
type OfJobs = Pick<Service<typeof jobs>, 'getJobValidationLayout'>

/** Builds the handlers of the validation layouts of tasks. */
export function taskLayoutHandlers({ db }: Deps): OfTasks {
  return {
    async getTaskValidationLayout({ id }, context) {
      await authorizeTarget(db, signedIn(context), { target: 'task', id }, 'validation:read')
      return toLayout(await listValidationFrames(db, id))
    },

    async updateTaskValidationLayout({ id, body: { disabled_frames } }, context) {
      const principal = signedIn(context)
      return runChange(db, context, async (tx) => {
        const task = await lockTask(tx, id)
        if (!task) throw notFound()
        assertPermitted(taskRules, 'validation:write', principal, taskStanding(principal, task))
        if (!disabled_frames) return toLayout(await listValidationFrames(tx, id))
        return changeDisabledFrames(tx, task, disabled_frames, context)
      })
    },
  }
}

/**
 * Builds the handlers of the validation layouts of jobs. The layouts are empty, because no job hides ground-truth
 * frames (honeypots).
 */
export function jobLayoutHandlers({ db }: Deps): OfJobs {
  return {
    async getJobValidationLayout({ id }, context) {
      await authorizeTarget(db, signedIn(context), { target: 'job', id }, 'validation:read')
      return {}
    },
  }
}
