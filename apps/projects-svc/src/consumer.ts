import type { tasks } from '@reticle/contracts/api/tasks'
import { annotationsChanged } from '@reticle/contracts/events/annotations'
import { taskUpdated } from '@reticle/contracts/events/tasks'
import type { Service } from '@reticle/kit'
import { causeOf, type Handle, onEvent, routeEvents } from '@reticle/kit/bus/bus'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from './db/schema.ts'
import { followChild } from './projects/repo.ts'
import {
  type AnnotationsChangedSettings,
  applyAnnotationsChange,
  touchAnnotatedJobs,
} from './tasks/annotations/annotations-changed.ts'

/** Consumer group of this service. */
export const group = 'reticle.projects'

/**
 * Builds the event handler of this service: events of annotations-svc, and its own task updates, which move the date
 * of the project.
 */
export function eventHandler(settings: AnnotationsChangedSettings): Handle<ProjectsDb> {
  return routeEvents([
    onEvent(annotationsChanged, (tx, change, event) =>
      applyAnnotationsChange(tx, { event_id: event.id, change }, settings, causeOf(event)),
    ),
    // The event lets many task changes move a project once, and no save waits for the lock on its row.
    onEvent(taskUpdated, async (tx, { task }) => {
      if (task.project_id !== null) await followChild(tx, task.project_id, task.updated_date)
    }),
  ])
}

interface DoorDeps {
  db: Kysely<ProjectsDb>
  settings: AnnotationsChangedSettings
}

/**
 * Builds the handler that annotations-svc calls before it responds to a save, so that the next request for the job or
 * task reads the new date and state. The consumer of `annotations.changed` emits the events.
 */
export function annotationsChangedHandler({
  db,
  settings,
}: DoorDeps): Pick<Service<typeof tasks>, 'annotationsChanged'> {
  return {
    async annotationsChanged({ body }) {
      await touchAnnotatedJobs(db, body, settings, group)
    },
  }
}
