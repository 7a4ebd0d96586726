import type { tasks } from '@reticle/contracts/api/tasks'
import { annotationsChanged } from '@reticle/contracts/events/annotations'
import { taskUpdated } from '@reticle/contracts/events/tasks'
import type { Service } from '@reticle/kit'
import { causeOf, type Handle, on, route } from '@reticle/kit/bus/bus'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from './db/schema.ts'
import {
  type AnnotationsChangedSettings,
  applyAnnotationsChange,
  touchAnnotatedJobs,
} from './jobs/annotations-changed.ts'
import { followChild } from './projects/repo.ts'

/** The name under which this service consumes events. */
export const group = 'reticle.projects'

/** What this service does about events: those of annotations-svc, and its own where a project only follows. */
export function eventHandler(settings: AnnotationsChangedSettings): Handle<ProjectsDb> {
  return route([
    on(annotationsChanged, (tx, change, event) =>
      applyAnnotationsChange(tx, { event_id: event.id, change }, settings, causeOf(event)),
    ),
    // Many changes of tasks move a project once, and no save waits for its row (`design.md` 8).
    on(taskUpdated, async (tx, { task }) => {
      if (task.project_id !== null) await followChild(tx, task.project_id, task.updated_date)
    }),
  ])
}

interface DoorDeps {
  db: Kysely<ProjectsDb>
  settings: AnnotationsChangedSettings
}

/**
 * annotations-svc calls this before it answers a save, so that the next request for the job or task sees the new date and
 * state (`spec/api-annotations.md` 1.11). The consumer of `annotations.changed` emits the events.
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
