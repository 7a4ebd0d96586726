import { labelsChanged } from '@reticle/contracts/events/labels'
import { projectDeleted } from '@reticle/contracts/events/projects'
import { jobCreated, jobDeleted, taskDeleted } from '@reticle/contracts/events/tasks'
import { causeOf, type Handle, on, route } from '@reticle/kit/bus/bus'
import type { AnnotationsDb } from '../db/schema.ts'
import { followLabels } from './follow-labels.ts'
import { addJob, removeJob, removeTasks } from './repo.ts'

/** The name under which this service consumes events. */
export const group = 'reticle.annotations'

/**
 * What this service does about events of projects-svc: its jobs follow theirs, its annotations follow their labels.
 *
 * @param onLabels told at the end of the work on an event of labels, before its transaction commits
 */
export function eventHandler(onLabels: () => void): Handle<AnnotationsDb> {
  return route<AnnotationsDb>([
    on(jobCreated, (tx, { job }) => addJob(tx, job)),
    on(jobDeleted, (tx, { job }) => removeJob(tx, job)),
    on(taskDeleted, (tx, { task }) => removeTasks(tx, [task.id])),
    on(projectDeleted, (tx, { task_ids }) => removeTasks(tx, task_ids)),
    on(labelsChanged, async (tx, change, event) => {
      await followLabels(tx, change, causeOf(event))
      onLabels()
    }),
  ])
}
