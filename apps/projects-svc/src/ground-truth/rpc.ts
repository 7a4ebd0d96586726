import type { jobs } from '@reticle/contracts/api/jobs'
import type { tasks } from '@reticle/contracts/api/tasks'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { assertPermitted } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import { authorizeTarget } from '../access/authorize.ts'
import { taskStanding } from '../access/standing.ts'
import { taskRules } from '../access/task-policy.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { shownJob } from '../jobs/messages.ts'
import { lockTask } from '../tasks/repo.ts'
import { createGroundTruth } from './create.ts'
import { changeDisabledFrames, toLayout } from './layout.ts'
import { listValidationFrames } from './repo.ts'

type Deps = { db: Kysely<ProjectsDb> }
type OfTasks = Pick<Service<typeof tasks>, 'getTaskValidationLayout' | 'updateTaskValidationLayout'>
type OfJobs = Pick<Service<typeof jobs>, 'createJob' | 'getJobValidationLayout'>

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

/** Builds the handlers that create ground-truth jobs, and of the validation layouts of jobs. */
export function groundTruthHandlers({ db }: Deps): OfJobs {
  return {
    async createJob({ body }, context) {
      const principal = signedIn(context)
      return runChange(db, context, async (tx) => {
        const { row, record } = await createGroundTruth(tx, principal, body, context)
        return shownJob(principal, row, record)
      })
    },

    async getJobValidationLayout({ id }, context) {
      await authorizeTarget(db, signedIn(context), { target: 'job', id }, 'validation:read')
      return {} // no job hides ground-truth frames (honeypots)
    },
  }
}
