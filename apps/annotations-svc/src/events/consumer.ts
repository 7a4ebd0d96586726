import { labelsChanged } from '@reticle/contracts/events/labels'
import { projectDeleted } from '@reticle/contracts/events/projects'
import { draftDropped, jobCreated, jobDeleted, taskDeleted } from '@reticle/contracts/events/tasks'
import { userDeleted, userUpdated } from '@reticle/contracts/events/users'
import { causeOf, type Handle, onEvent, routeEvents } from '@reticle/kit/bus/bus'
import type { AnnotationsSettings } from '../config.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { byLabels } from '../targets/repo-revisions.ts'
import { followLabels } from './follow-labels.ts'
import { addJob, forgetAuthor, removeJob, removeTasks, renameAuthor } from './repo.ts'

/**
 * Handles events of projects-svc: creates and deletes jobs, applies label changes to annotations, and updates the
 * names of authors.
 *
 * @param onLabels called after the commit of a transaction that handled a label event
 */
export function eventHandler(
  onLabels: () => void,
  settings: Pick<AnnotationsSettings, 'historyDays'>,
): Handle<AnnotationsDb> {
  return routeEvents<AnnotationsDb>([
    onEvent(jobCreated, (tx, { job }) => addJob(tx, job)),
    onEvent(jobDeleted, (tx, { job }) => removeJob(tx, job)),
    onEvent(taskDeleted, (tx, { task }) => removeTasks(tx, [task.id])),
    onEvent(draftDropped, (tx, { task_ids }) => removeTasks(tx, task_ids)),
    onEvent(projectDeleted, (tx, { task_ids }) => removeTasks(tx, task_ids)),
    onEvent(labelsChanged, async (tx, change, event, afterCommit) => {
      await followLabels(tx, change, byLabels(settings, causeOf(event)), causeOf(event))
      afterCommit(onLabels)
    }),
    onEvent(userUpdated, (tx, { user }) => renameAuthor(tx, user)),
    onEvent(userDeleted, (tx, { user }) => forgetAuthor(tx, user.id)),
  ])
}
